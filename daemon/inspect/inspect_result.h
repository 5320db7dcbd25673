/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_result.h - the request for an inspection, and its result. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_RESULT_H
#define CTRACE_DAEMON_INSPECT_INSPECT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/inspect/polled.h"

struct inspect_want {
	/* ts of the CT_SWITCH with which the wait began, boot time; 0: any wait of the task */
	uint64_t since_ns;
	uint64_t obj; /* copied to the result; 0: take the object that the task iterator finds */
	uint32_t tid;
	uint16_t nr;
	uint8_t wait; /* CT_W_* */
	uint8_t state;
	/* the task does not wait, but yields again and again */
	bool spins;
	bool loop;
};

struct inspect_fd {
	int32_t fd;
	uint16_t events;
	uint16_t pad;
};

struct inspect_result {
	/* The kind is CT_VISIT, CT_SAMPLE, CT_ACCESS or CT_JOB_STACK; ts is when the stack was read. Kind 0:
	 * only ts, tid, tgid and the polled variables are set. */
	struct ct_rec rec;
	uint64_t words[2];
	/* The id of the stack is in words[0], or for CT_ACCESS and CT_JOB_STACK in words[1]. NULL if the id
	 * is 0. */
	struct ct_stack_blob *stack;
	bool has_futex;
	struct ct_rec futex;
	uint64_t futex_words[2];
	/* Name of the variable that holds the futex. "": none was found, or an earlier inspection
	 * has already searched. */
	char futex_name[CT_OBJ_NAME_MAX + 1];
	/* If the task's system call has a path on a FUSE file system, rec.obj is the root directory
	 * of this file system, and `object` describes this directory (inspect_path()). Otherwise
	 * `object` is NULL. */
	struct ct_object_blob *object;
	uint32_t tgid;
	/* For poll and select: fds has the first n_fds of n_set descriptors. */
	uint16_t n_fds, n_set;
	struct inspect_fd fds[CT_WAITFD_MAX];
	unsigned n_polled;
	struct polled_variable *polled;
};

void inspect_result_free(struct inspect_result *r);

#endif
