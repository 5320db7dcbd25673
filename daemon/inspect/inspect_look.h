/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_look.h - one look at one task: everything of an inspection but the queues and the thread. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_LOOK_H
#define CTRACE_DAEMON_INSPECT_INSPECT_LOOK_H

#include "daemon/inspect/polled.h"
#include "daemon/stack/symbols.h"
#include "daemon/stack/unwind.h"
#include "daemon/inspect/inspect_result.h"

/* A stack of addresses and what it was in words, for accesses: there are many from few places. */
#define INSPECT_LOOK_KNOWN    16
#define INSPECT_LOOK_KNOWN_NS 1000000000ULL /* by then something else may be mapped there */
struct inspect_look_known {
	uint64_t ns;
	uint32_t tgid, n;
	uint64_t ip[CT_RAWSTACK_MAX];
	struct ct_stack_blob *stack; /* NULL: free, or it has none */
};

struct inspect_look {
	struct unwind *unwind;
	struct symbols *symbols;
	struct polled *polled;
	uint32_t own_pidns;    /* inode number */
	uint64_t suspended_ns; /* what the machine had slept in all when this began */
	struct inspect_look_known known[INSPECT_LOOK_KNOWN];
	/* frames of the stack on hand */
	size_t n;
	bool cut;
	char text[CT_ITER_KSTACK + UNWIND_FRAMES_MAX][SYMBOLS_TEXT_MAX];
};

/* 0 or -ENOMEM. */
int inspect_look_new(struct inspect_look **ret);
void inspect_look_free(struct inspect_look *l);
/* True when t still is in the wait that was asked about. */
bool inspect_look_same_wait(const struct inspect_look *l, const struct inspect_want *w,
			    const struct ct_iter_task *t);
/* Looks at a task that t has just described.  -ESRCH: it went on meanwhile; -ENOMEM. */
int inspect_look_wait(struct inspect_look *l, const struct inspect_want *w, const struct ct_iter_task *t,
		      struct inspect_result **ret);
/* Gives names to a sample.  -ENOMEM. */
int inspect_look_sample(struct inspect_look *l, const struct ct_rawstack_blob *raw,
			struct inspect_result **ret);
/* Whether a look at what a sampled task polls is wanted; and that look, which adds what it finds to r. */
bool inspect_look_spin_wanted(struct inspect_look *l, uint32_t tid);
void inspect_look_spin(struct inspect_look *l, const struct ct_iter_task *t, struct inspect_result *r);
/* And to an access to a watched variable.  -ENOMEM. */
int inspect_look_access(struct inspect_look *l, const struct ct_rawaccess_blob *raw,
			struct inspect_result **ret);
/* What an access becomes, but for its stack. */
struct ct_rec inspect_look_access_rec(const struct ct_rawaccess_blob *raw);

#endif
