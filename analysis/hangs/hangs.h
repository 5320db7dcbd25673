/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hangs.h - finds the worst waits and stalls of a window, without a hint where to look. Pure; any
 * thread.
 */
#ifndef CTRACE_ANALYSIS_HANGS_HANGS_H
#define CTRACE_ANALYSIS_HANGS_HANGS_H

#include "analysis/diagnose/diagnose.h"

struct hang {
	uint32_t task;
	uint64_t from_ns, to_ns;
	bool alarm; /* true: some task should have ended the wait; false: the task merely idles or
		       works, or waits for ctrace itself */
	bool minor; /* the state behind the alarm may be intended: the task itself is stopped, or
		       itself spins, or seems to wait for a task that sleeps */
	struct diagnosis *diagnosis;
	/* index of the first row about the same hang; the row's own index if it is the first.
	 * hangs.c, is_same(), says when two rows are about the same hang */
	size_t first_row;
	/* Steps of searches (graph/timeline/scan.h). budget: how many steps the diagnosis may take;
	 * steps: how many it took; refused: how often it needed a step beyond the budget */
	uint64_t budget, steps, refused;
};

struct hangs {
	struct hang *v; /* in the order of hangs_sort() */
	size_t n;
	size_t refused; /* the number of candidates beyond HANGS_MAX; these have no row */
	size_t missing; /* the number of candidates among the first HANGS_MAX that have no
			   diagnosis, because the caller ended the search early */
};

#define HANGS_MAX 200

/* Restricts the tasks. 0 or NULL matches any task. */
struct hangs_filter {
	uint32_t tid, pid;
	const char *comm;
	const char *cgroup, *container; /* compared by cgroup_name_matches() */
	bool worst;                     /* the caller wants only the first row: other rows may be
					   left out */
};

/* Finds the hangs in [from_ns, to_ns). The caller frees *ret with hangs_free(). If `filter` is
 * NULL, all tasks match. Threads of the kernel and tasks of ctrace itself (graph_task.tracer) are
 * left out. If a second ctraced runs on the machine, its tasks are not left out, because no record
 * marks them. Returns 0 or -ENOMEM. */
int hangs_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
	       struct hangs **ret);
void hangs_free(struct hangs *h);

/*
 * The parts of hangs_find(), for a caller that diagnoses candidates in several threads:
 *
 *	hangs_candidates();
 *	for each row: hangs_diagnose(), in any order and in any thread;
 *	for each row: hangs_settle(), in order, as soon as the rows up to this one are diagnosed;
 *	hangs_sort();
 *
 * The list is the same for each order and each number of threads. A caller that ends the search early
 * leaves the diagnoses of the other rows NULL.
 */
/* Finds the candidates, the longest first. Leaves the diagnosis of each row NULL. The arguments and
 * the result are as for hangs_find(). */
int hangs_candidates(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		     const struct hangs_filter *filter, struct hangs **ret);
/* Diagnoses the candidate *x. The diagnosis may take as many steps as the budget of g has left
 * (graph/timeline/scan.h), but does not change this budget. Returns 0 or -ENOMEM. */
int hangs_diagnose(const struct graph *g, struct hang *x);
/* Takes the steps of the diagnosis of *x from the budget of g. If this budget has changed since
 * hangs_diagnose(), and has no more steps left than the diagnosis took, first diagnoses *x again,
 * with the steps that are left. Returns 0 or -ENOMEM. Only one thread at a time may call this
 * function. */
int hangs_settle(const struct graph *g, struct hang *x);
/* Tells whether x is an alarm that is not minor. */
bool hangs_is_worst(const struct hang *x);
/* Tells whether the rows before row `settled` decide which row comes first after hangs_sort(). The
 * rows before row `settled` must have a diagnosis; the other rows need none. The rows are in the
 * order of hangs_candidates(). */
bool hangs_are_decided(const struct hangs *h, size_t settled);
/* Removes the rows without diagnosis, sorts the others, and finds the rows about the same hang. The
 * order:
 * - first, alarms that are not minor; among those that are about equally long, the hang with the
 *   most rows comes first;
 * - then minor alarms;
 * - then rows whose verdict is not normal;
 * - then the other rows.
 *
 * In each of these groups, longer hangs come before shorter ones. */
void hangs_sort(struct hangs *h);

/*
 * Returns the end of a hang that began at since_ns and was noticed at found_ns. If the window does
 * not show this end, returns the exit of the task or the end of the window, whichever is earlier.
 *
 * If `looped` is true, the task is an event loop, and the hang ends when the task waits again where
 * it waited before since_ns. If `looped` is false, the hang ends with the wait or the run in which
 * the task is at found_ns.
 */
uint64_t hangs_end(const struct graph *g, uint32_t task, uint64_t since_ns, uint64_t found_ns, bool looped);

#endif
