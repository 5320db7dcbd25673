/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - computes how much shorter a range of time would have been without a wait, a task, a
 * process, an object or a resource.
 *
 * The longest piece of a critical path is not always worth fixing: without this piece, other work
 * that ran at the same time may take as long. So lengths are not just subtracted. The window is
 * replayed, and each task has a shift: how much earlier the task is in the replay than it was in
 * the trace. The shift is 0 at the start of the range. Each interval of the task may change the
 * shift:
 *
 * - running, runnable: the shift stays. If the interval is taken away, its length is added to the
 *   shift.
 * - a wait that another task ended: in the replay, it is over when the waiter has begun it and the
 *   other task has ended it. The new shift is the smaller of two: the shift of the waiter plus the
 *   length of the wait, and the shift of the other task. So the wait for a lock follows the owner of
 *   the lock.
 * - a wait that has not ended: as if the owner had ended it at the end of the range.
 * - a wait that timed out: it keeps its length, or ends earlier if the awaited task is earlier.
 * - a sleep, a disk, the network, and time of which nothing is known: the length stays.
 * - the birth of a task: the task gets the shift of its creator.
 * - a message that a task received without a wait: it is not received before it is sent. Such
 *   messages are known only with a causal graph.
 *
 * The answer is the shift of the task at the end of the range. The answer is never less than 0 and
 * never more than the range. A task is replayed only as far as another task needs it, and each
 * interval once for each question, so a question takes time linear in the records.
 *
 * A task or process that is taken away is still there, but takes no time: its running, its sleeps
 * and its disk reads have length 0. Such a task still waits for other tasks. No task waits for the
 * CPU while a task that is taken away has it. An object or resource that is taken away is there at
 * once for every task that wants it.
 *
 * Known errors:
 *
 * - A task does things in the same order as before. If first A and then B wakes an event loop in
 *   the trace, B wakes the event loop after A in the replay too, even if B is much earlier in the
 *   replay. The answer is then too small.
 * - A wait for a CPU keeps its length, except for the time of tasks that are taken away. In
 *   reality, the length of the wait depends on how many other tasks want that CPU. The same is true
 *   for disks and the network.
 * - A task still does the things that it did on behalf of a task that is taken away.
 * - A task that needed the result of another task and found it ready did not wait. No record says
 *   that the first task would have waited for a later result. The answer is then too large, unless
 *   the causal graph has an edge for this. If children or threads end while their creator waits for
 *   the end of another one, the replay assumes that the creator needs them all.
 * - In the replay, a task polls as often as it did, and a wait that timed out does not become one
 *   that got its answer.
 *
 * Coz (Curtsinger and Berger, SOSP 2015) asks the same question about a running program. The replay
 * computes times as a PERT network does.
 *
 * Pure. Several threads may ask whatif_saved(), whatif_on_path() and whatif_answer() of one struct whatif.
 */
#ifndef CTRACE_ANALYSIS_WHATIF_WHATIF_H
#define CTRACE_ANALYSIS_WHATIF_WHATIF_H

#include "analysis/account/account.h"
#include "analysis/whatif/without.h"
#include "graph/causal/causal.h"

struct whatif;

/* Prepares questions about [from_ns, to_ns) of the task. The caller frees *ret with whatif_free().
 * g must live longer than *ret. links may be NULL; the caller may free them afterwards. Returns 0;
 * -EINVAL if the range is empty or there is no such task; or -ENOMEM. */
int whatif_new(const struct graph *g, const struct causal_links *links, uint32_t task, uint64_t from_ns,
	       uint64_t to_ns, struct whatif **ret);
void whatif_free(struct whatif *x);
/* Sets *ret_ns to the time by which the range would have been shorter without all of v[0 .. n).
 * Returns 0 or -ENOMEM. */
int whatif_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns);
/* Returns how often so far a row of waiting tasks was longer than WHATIF_MAX_DEPTH. */
uint64_t whatif_refused(const struct whatif *x);

/* Sets *ret_ns to the part of the path that is about the tasks and waits that v[0 .. n) takes away.
 * Returns 0 or -ENOMEM. This part consists of:
 * - the time of these tasks and waits;
 * - the time of the frames (path.h) that these waits opened, directly or through other frames;
 * - the time in which a task on the path waited for a CPU that one of these tasks had. */
int whatif_on_path(struct whatif *x, const struct path *p, const struct whatif_without *v, size_t n,
		   uint64_t *ret_ns);

struct whatif_row {
	struct whatif_without without;
	uint64_t saved_ns;
	uint64_t path_ns; /* the result of whatif_on_path() */
};
/* Returns the question for a row of ACCOUNT_WAIT: what if the waits of this row were not there? The
 * row must be about waits, not about runs. */
struct whatif_without whatif_waits_of(const struct account_row *row);
#define WHATIF_PER_GROUP 3
/* Asks about at most WHATIF_PER_GROUP rows of each group of the accounts, the largest ones. In
 * the group `resource`, asks only about the CPU, disks, the network, timers and page faults.
 * Also asks about at most WHATIF_PER_GROUP processes that had the CPU while a task on the path
 * was runnable. The rows are sorted by the time that they save, the most first. The caller frees
 * *ret_rows. Returns 0 or -ENOMEM. */
int whatif_table(struct whatif *x, const struct path *p, const struct account *a,
		 struct whatif_row **ret_rows, size_t *ret_n);
/*
 * The parts of whatif_table(), for a caller that asks in several threads:
 *
 *	whatif_questions();
 *	whatif_answer();	// each row once; in any order, and in several threads at once
 *	whatif_sort();
 *
 * The rows are those of whatif_table(), unless the budget of the graph (graph/timeline/scan.h) ends
 * in between: then the rows depend on the order of the calls.
 */
int whatif_questions(struct whatif *x, const struct account *a, struct whatif_row **ret_rows, size_t *ret_n);
int whatif_answer(struct whatif *x, const struct path *p, struct whatif_row *row);
void whatif_sort(struct whatif_row *rows, size_t n);
/* Writes a question in words. Examples: "waiting for a file lock that db[7] held", "all that db[7]
 * did", "all waiting for /var/x.db". The text is cut to size. */
void whatif_words(struct whatif *x, const struct whatif_without *v, char *buf, size_t size);

#endif
