/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_result.h - the wait that an inspection is asked about, and what the inspection finds. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_RESULT_H
#define CTRACE_DAEMON_INSPECT_INSPECT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/inspect/polled.h"

/* A wait as the drain thread knows it, from its CT_SWITCH. */
struct inspect_want {
	uint64_t since_ns; /* ts of the CT_SWITCH; 0: not known (found at start) */
	uint64_t obj;      /* copied to the result; 0: what the iterator says */
	uint32_t tid;
	uint16_t nr;
	uint8_t wait; /* CT_W_* */
	uint8_t state;
	bool spins; /* it does not wait, but yields again and again: only what it polls is asked for */
	bool loop;  /* one of a loop of short waits that only a clock ends */
};

struct inspect_fd {
	int32_t fd;
	uint16_t events; /* poll events; select sets are translated */
	uint16_t pad;
};

struct inspect_result {
	struct ct_rec rec; /* CT_VISIT, CT_SAMPLE or CT_ACCESS, kind 0: none, only what is polled; ts: when
			      the stack was read */
	uint64_t words[2];
	struct ct_stack_blob
		*stack; /* the stack that words[0] (CT_ACCESS: words[1]) names; NULL when that is 0 */
	bool has_futex;
	struct ct_rec futex; /* CT_FUTEX with the word and the owner as they are now */
	uint64_t futex_words[2];
	uint32_t tgid;
	/* poll, select: the first descriptors of the set; n_set: how many there are in all */
	uint16_t n_fds, n_set;
	struct inspect_fd fds[CT_WAITFD_MAX];
	/* variables that the task may be polling, best first; see polled.h */
	unsigned n_polled;
	struct polled_variable *polled;
};

/* Accepts NULL. */
void inspect_result_free(struct inspect_result *r);

#endif
