/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_look.h - one inspection of one task, without the queues and the thread. Only one thread
 * at a time may use one struct inspect_look. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_LOOK_H
#define CTRACE_DAEMON_INSPECT_INSPECT_LOOK_H

#include "daemon/inspect/polled.h"
#include "lib/map.h"
#include "daemon/stack/symbols.h"
#include "daemon/stack/unwind.h"
#include "daemon/inspect/inspect_result.h"

/* The stack of an access to a watched variable, as addresses and with names. INSPECT_LOOK_KNOWN
 * such stacks are kept, because many accesses come from the same few places. */
#define INSPECT_LOOK_KNOWN 16
struct inspect_look_known {
	uint64_t ns;
	uint32_t tgid, n;
	uint64_t ip[CT_RAWSTACK_MAX];
	struct ct_stack_blob *stack; /* NULL: the entry is free */
};

/* If `futexes` of struct inspect_look has so many entries, all are removed before the next one is
 * added. */
#define INSPECT_FUTEXES_MAX 4096

struct inspect_look {
	struct unwind *unwind;
	struct symbols *symbols;
	struct polled *polled;
	struct map futexes; /* the futexes for whose names add_futex_name() has searched */
	uint32_t own_pidns; /* inode number of the daemon's pid namespace */
	/* how long the machine had been suspended when this object was made */
	uint64_t suspended_ns;
	struct inspect_look_known known[INSPECT_LOOK_KNOWN];
	/* The frames of the present stack: n names in text. cut: the outermost frames of the stack
	 * could not be found. */
	size_t n;
	bool cut;
	char text[CT_ITER_KSTACK + UNWIND_FRAMES_MAX][SYMBOLS_TEXT_MAX];
};

/* kernel: see symbols_new(). Returns 0 or -ENOMEM. */
int inspect_look_new(const struct symbols_kernel *kernel, struct inspect_look **ret);
/* Accepts NULL. */
void inspect_look_free(struct inspect_look *l);
/* True: the task t is still in the wait w. */
bool inspect_look_same_wait(const struct inspect_look *l, const struct inspect_want *w,
			    const struct ct_iter_task *t);
/* Inspects a waiting task. t: the task, as the task iterator has just read it. Returns 0, or -ESRCH
 * if the wait ended meanwhile, or -ENOMEM. The caller frees *ret with inspect_result_free(). */
int inspect_look_wait(struct inspect_look *l, const struct inspect_want *w, const struct ct_iter_task *t,
		      struct inspect_result **ret);
/* Gives names to the addresses of a sample. Returns 0 or -ENOMEM. The caller frees *ret with
 * inspect_result_free(). */
int inspect_look_sample(struct inspect_look *l, const struct ct_rawstack_blob *raw,
			struct inspect_result **ret);
/* inspect_look_spin_wanted() returns true if it is time to look for the variable that the task tid
 * polls. inspect_look_spin() adds to r each variable that the task t may be polling. */
bool inspect_look_spin_wanted(struct inspect_look *l, uint32_t tid);
void inspect_look_spin(struct inspect_look *l, const struct ct_iter_task *t, struct inspect_result *r);
/* Gives names to the addresses of an access to a watched variable. Returns 0 or -ENOMEM. The caller frees
 * *ret with inspect_result_free(). */
int inspect_look_access(struct inspect_look *l, const struct ct_rawaccess_blob *raw,
			struct inspect_result **ret);
/* Makes the record of an access, without its stack. */
struct ct_rec inspect_look_access_rec(const struct ct_rawaccess_blob *raw);

#endif
