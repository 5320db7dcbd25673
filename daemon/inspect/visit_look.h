/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visit_look.h - one look at one task: everything of a visit but the queues and the thread. */
#ifndef CTRACE_DAEMON_INSPECT_VISIT_LOOK_H
#define CTRACE_DAEMON_INSPECT_VISIT_LOOK_H

#include "daemon/inspect/polled.h"
#include "daemon/stack/symbols.h"
#include "daemon/stack/unwind.h"
#include "daemon/inspect/visit_result.h"

/* A stack of addresses and what it was in words, for accesses: there are many from few places. */
#define VISIT_LOOK_KNOWN    16
#define VISIT_LOOK_KNOWN_NS 1000000000ULL /* by then something else may be mapped there */
struct visit_look_known {
	uint64_t ns;
	uint32_t tgid, n;
	uint64_t ip[CT_RAWSTACK_MAX];
	struct ct_stack_blob *stack; /* NULL: free, or it has none */
};

struct visit_look {
	struct unwind *unwind;
	struct symbols *symbols;
	struct polled *polled;
	uint32_t own_pidns;    /* inode number */
	uint64_t suspended_ns; /* what the machine had slept in all when this began */
	struct visit_look_known known[VISIT_LOOK_KNOWN];
	/* frames of the stack on hand */
	size_t n;
	bool cut;
	char text[CT_ITER_KSTACK + UNWIND_FRAMES_MAX][SYMBOLS_TEXT_MAX];
};

/* 0 or -ENOMEM. */
int visit_look_new(struct visit_look **ret);
void visit_look_free(struct visit_look *l);
/* True when t still is in the wait that was asked about. */
bool visit_look_same_wait(const struct visit_look *l, const struct visit_want *w,
			  const struct ct_iter_task *t);
/* Looks at a task that t has just described.  -ESRCH: it went on meanwhile; -ENOMEM. */
int visit_look_wait(struct visit_look *l, const struct visit_want *w, const struct ct_iter_task *t,
		    struct visit_result **ret);
/* Gives names to a sample.  -ENOMEM. */
int visit_look_sample(struct visit_look *l, const struct ct_rawstack_blob *raw, struct visit_result **ret);
/* Whether a look at what a sampled task polls is wanted; and that look, which adds what it finds to r. */
bool visit_look_spin_wanted(struct visit_look *l, uint32_t tid);
void visit_look_spin(struct visit_look *l, const struct ct_iter_task *t, struct visit_result *r);
/* And to an access to a watched variable.  -ENOMEM. */
int visit_look_access(struct visit_look *l, const struct ct_rawaccess_blob *raw, struct visit_result **ret);
/* What an access becomes, but for its stack. */
struct ct_rec visit_look_access_rec(const struct ct_rawaccess_blob *raw);

#endif
