/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - computes how much shorter a range of time would have been without a wait, a task, a
 * process, an object or a resource.
 *
 * Lengths are not just subtracted: other work may take as long at the same time. So the range is
 * replayed. The *shift* of a task says how much earlier the task is in the replay. The shift is 0
 * at the start of the range, and the answer is the shift at the end.
 *
 * - A run, a sleep, or a wait for a disk or the network: the shift stays. If such a run, sleep or
 *   wait is taken away, its length is added to the shift.
 * - A wait that another task ended: this wait is over when the other task has ended it in the
 *   replay.
 * - A wait that has not ended: as if the task to blame (blame.h) ended it at the end of the range.
 * - A wait that timed out: as if the task to blame ended it at the time limit. But the wait is
 *   never longer in the replay than in the trace.
 * - A birth: the task gets the shift of its creator.
 * - A message (only if whatif_link() got links): it is not received before it is sent.
 *
 * A task that is taken away takes no time, but still waits for other tasks.
 *
 * If tasks wait for each other in a cycle at one moment, the definition does not give their shifts. Then
 * the answer depends on the task that the replay looks at first.
 *
 * Known errors:
 * - A task does things in the same order as before, and polls as often.
 * - Waits for a CPU, a disk or the network do not depend on the load in the replay.
 * - Work on behalf of a task that is taken away stays.
 * - If a result was ready before a task needed it, the task did not wait, and no record shows that
 *   it needed the result. Then the answer is too large.
 *
 * Compare Coz (Curtsinger and Berger, SOSP 2015), and PERT networks. Pure. Several threads may ask
 * whatif_saved() and whatif_on_path() of one struct whatif.
 */
#ifndef CTRACE_ANALYSIS_WHATIF_WHATIF_H
#define CTRACE_ANALYSIS_WHATIF_WHATIF_H

#include "analysis/account/account.h"
#include "analysis/whatif/without.h"
#include "graph/causal/causal.h"

struct whatif;

/* For questions about [from_ns, to_ns) of the task. Call whatif_link() once before the first question.
 * g must outlive *ret. The caller frees *ret with whatif_free(). Returns 0, -ENOMEM, or -EINVAL if
 * the range is empty or there is no such task. */
int whatif_new(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct whatif **ret);
/* For path_walk_blamed(): keeps what ended each wait of the path. Then whatif_prepare() and whatif_link()
 * have less work. x: the struct whatif. */
void whatif_blamed(void *x, uint32_t interval, uint64_t limit_ns, const struct blame *b);
/* links: those of the graph, or NULL. both: may be NULL. To save memory, frees each list in `links` after its
 * use. The caller still calls causal_links_done(). Returns 0, -ENOMEM, or -E2BIG: more than 2^32-1 intervals,
 * links and tasks. After an error, x may only be given to whatif_free(). */
int whatif_link(struct whatif *x, struct causal_links *links, graph_both_fn both);
/* Optional: finds what ended each wait of the tasks on the path. Then whatif_link() has less work. both: may
 * be NULL. stop: NULL, or another thread may set *stop, to end the work early; a later call for the
 * same path does the rest. Does nothing if out of memory. */
void whatif_prepare(struct whatif *x, const struct path *p, graph_both_fn both, const bool *stop);
void whatif_free(struct whatif *x);
/* Sets *ret_ns to the time that is saved without all of v[0 .. n). Returns 0 or -ENOMEM. */
int whatif_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns);
/* Returns how often a row of waiting tasks was longer than WHATIF_MAX_DEPTH. */
uint64_t whatif_refused(const struct whatif *x);

/* Sets *ret_ns to the time on the path that v[0 .. n) takes away. This time includes waits for
 * a CPU that a task in v had. Returns 0 or -ENOMEM. */
int whatif_on_path(struct whatif *x, const struct path *p, const struct whatif_without *v, size_t n,
		   uint64_t *ret_ns);

struct whatif_row {
	struct whatif_without without;
	uint64_t saved_ns;
	uint64_t path_ns;
};
/* The row must be about waits, not about runs. */
struct whatif_without whatif_waits_of(const struct account_row *row);
#define WHATIF_PER_GROUP 3
bool whatif_same(const struct whatif_without *a, const struct whatif_without *b);
/* Asks about:
 *
 * - all waits of each of these kinds that the account has: for CPUs, disks, the network, timers, page
 *   faults;
 * - the largest rows of the other groups of the account, at most WHATIF_PER_GROUP of each;
 * - up to WHATIF_PER_GROUP processes that had a CPU for which a task of the path waited.
 *
 * `both` calls the two parts of the work, perhaps in two threads (graph.h). NULL: use one thread. The
 * look-ups in one graph have a limited number of steps (graph/timeline/scan.h). If no steps are left at the
 * end, and there were two threads, the results depend on their order.
 *
 * The row that saves most comes first. The caller frees *ret_rows. Returns 0 or -ENOMEM. */
int whatif_table(struct whatif *x, const struct path *p, const struct account *a, graph_both_fn both,
		 struct whatif_row **ret_rows, size_t *ret_n);
/* Writes what *v takes away, such as "all that db[7] did". The text is cut to size. */
void whatif_words(struct whatif *x, const struct whatif_without *v, char *buf, size_t size);

#endif
