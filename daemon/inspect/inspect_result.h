/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_result.h - the request for an inspection, and the result of an inspection. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_RESULT_H
#define CTRACE_DAEMON_INSPECT_INSPECT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/inspect/polled.h"

/* A wait that the drain thread wants to have inspected, as the CT_SWITCH of the wait describes it.
 * If `spins` is true: a task that does not wait. */
struct inspect_want {
	/* ts of the CT_SWITCH, boot time. 0: inspect any wait of the task, because the task waits
	 * in a loop, or because the start of its wait is not known. */
	uint64_t since_ns;
	uint64_t obj; /* copied to the result; 0: take the object that the task iterator finds */
	uint32_t tid;
	uint16_t nr;
	uint8_t wait; /* CT_W_* */
	uint8_t state;
	/* the task does not wait but yields again and again; the inspection only looks for the
	 * variable that the task polls */
	bool spins;
	bool loop; /* the wait is part of a loop of short waits that only a timer ends */
};

struct inspect_fd {
	int32_t fd;
	uint16_t events; /* POLL*; the sets of select are translated to these */
	uint16_t pad;
};

struct inspect_result {
	/* The kind is CT_VISIT, CT_SAMPLE or CT_ACCESS, and ts is the time at which the stack was
	 * read. If the kind is 0, only ts, tid, tgid and the polled variables are set. */
	struct ct_rec rec;
	uint64_t words[2];
	/* The stack. Its id is in words[0], or for CT_ACCESS in words[1]. NULL if the id is 0. */
	struct ct_stack_blob *stack;
	bool has_futex;
	struct ct_rec futex; /* CT_FUTEX with the word and the owner at the time of the inspection */
	uint64_t futex_words[2];
	/* The name of the variable in which the futex is. "": the futex is in no variable that has
	 * a name, or an earlier inspection has already searched for the name. */
	char futex_name[CT_OBJ_NAME_MAX + 1];
	/* The description of rec.obj, if the inspection found this object by a path. Otherwise
	 * NULL. */
	struct ct_object_blob *object;
	uint32_t tgid;
	/* For poll and select: the first n_fds descriptors of the set. n_set: how many descriptors the
	 * whole set has. */
	uint16_t n_fds, n_set;
	struct inspect_fd fds[CT_WAITFD_MAX];
	/* Variables that the task may be polling, best first; see polled.h. */
	unsigned n_polled;
	struct polled_variable *polled;
};

/* Accepts NULL. */
void inspect_result_free(struct inspect_result *r);

#endif
