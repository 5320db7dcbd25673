/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taken.h - private to analysis/whatif/: says for several what-if questions at once which of them take away
 * a task, a wait or another thing. A set of questions is a bit mask: bit i is for the question i. */
#ifndef CTRACE_ANALYSIS_WHATIF_TAKEN_H
#define CTRACE_ANALYSIS_WHATIF_TAKEN_H

#include "analysis/whatif/link.h"
#include "analysis/whatif/without.h"

#define TAKEN_MAX 32 /* questions */

/* A question takes away all of v[0 .. n). */
struct question {
	const struct whatif_without *v;
	size_t n;
};

/* A thing that the questions in `set` take away. `cause` is set for WHATIF_WAITS. */
struct taken_thing {
	const struct whatif_without *v;
	struct cause cause;
	uint32_t set;
};

struct taken {
	struct whatif *x;
	uint32_t *tasks;    /* [task]: the questions that take away this task */
	uint32_t any_tasks; /* the questions that take away any task */
	uint32_t times[TIME_KINDS];
	VEC(struct taken_thing) waits; /* WHATIF_WAIT, WHATIF_WAITS */
	VEC(struct taken_thing) objects;
};

/* n is at most TAKEN_MAX. The things in v must outlive *t. The caller frees *t with taken_done(), also after
 * an error. Returns 0 or -ENOMEM. */
int taken_init(struct taken *t, struct whatif *x, const struct question *v, size_t n);
void taken_done(struct taken *t);

/* Returns the questions that take away the object, or the disk of this file. */
uint32_t taken_object(const struct taken *t, uint64_t obj);
/* Returns the questions that take away the wait, but not those that take away its task. */
uint32_t taken_wait(const struct taken *t, uint32_t interval);
/* Returns the questions that take away what arrives at the task. */
uint32_t taken_arrival(const struct taken *t, uint32_t task, const struct arrival *a);
/* For each question in `set`, adds to ns[] how long tasks that it takes away had the CPU for which a
 * RUNNABLE interval waited. near[cpu] is from the last call; 0 at first. The calls are fast if they are
 * nearly in order of time. */
void taken_rivals(const struct taken *t, uint32_t set, uint32_t interval, uint64_t from_ns, uint64_t to_ns,
		  size_t *near, int64_t *ns);
/* Adds `add` to v[i] for each question i in `set`. */
static inline void taken_add(uint32_t set, int64_t add, int64_t *v)
{
	for (; set; set &= set - 1)
		v[__builtin_ctz(set)] += add;
}

#endif
