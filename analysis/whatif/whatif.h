/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - how much shorter a range had been without a wait, a task, a
 * process, an object or a resource.
 *
 * The longest piece of a critical path is not always the one worth fixing: when
 * it goes, another one that ran beside it may take its place.  So nothing is
 * subtracted; the window is replayed.  Every task has a shift: how much earlier
 * it is now than it was.  It begins with 0 at the start of the range, and
 * from interval to interval
 *
 * - running, runnable: the shift stays; what is taken away adds its length;
 * - a wait that a task ended is over when the waiter, now, has come to it and the
 *   other, now, has done what ended it: of the two shifts (the waiter's with the
 *   length of the wait added) the smaller one.  So a lock follows its holder;
 * - a wait that has not ended: as if the one to blame for it had ended it where
 *   the range ends;
 * - a wait that timed out keeps its length, or ends sooner with the one it was for;
 * - a sleep, a disk, the network, and what is not known keep their length;
 * - the birth of a task has the shift of its creator;
 * - what a task received without a wait is not received before it has been sent,
 *   if a causal graph is given, which knows of it.
 *
 * The shift of the task at the end of the range is the answer: never less than
 * 0, never more than the range.  A task is replayed only as far as another one
 * needs it, each interval once for each question: linear in the records.
 *
 * A task or process that is taken away is still there, but takes no time: what it
 * does itself (runs, sleeps, reads a disk) has no length, and what it waits for
 * from others it still waits for.  While it had the CPU, nobody waits for that.
 * An object or resource that is taken away is there at once for all who want it.
 *
 * Where it is wrong:
 * - The order in which a task does things stays as it was.  An event loop that
 *   was woken by A and then by B is woken by B only after A, even when B is now
 *   much earlier: what is saved is then an underestimate.
 * - Time to wait for a CPU keeps its length, but for what was taken away; with
 *   fewer or more who want it, it would not.  The same holds for disks and the network.
 * - What a task did on behalf of what is taken away it still does.
 * - A task that found everything done before it looked did not wait, and no record says that it would have:
 *   what is saved is then an overestimate, unless the causal graph has an edge for it.  Of children and
 *   threads that end while their creator waits for the end of another one, it is taken for granted that it
 *   needs them all.
 * - Polls are not repeated more or less often, and time-outs do not become answers.
 *
 * (What-if by replay: Coz, Curtsinger and Berger, SOSP 2015, asks the same of a
 * running program; the replay is that of PERT networks.)
 * Pure; not thread-safe.
 */
#ifndef CTRACE_ANALYSIS_WHATIF_WHATIF_H
#define CTRACE_ANALYSIS_WHATIF_WHATIF_H

#include "analysis/account/account.h"
#include "analysis/whatif/without.h"
#include "graph/causal/causal.h"

struct whatif;

/* For [from, to) of task.  causal (may be NULL) is not needed afterwards.  0, -EINVAL (empty range, no
 * such task) or -ENOMEM. */
int whatif_new(const struct graph *g, const struct causal *causal, uint32_t task, uint64_t from_ns,
	       uint64_t to_ns, struct whatif **ret);
void whatif_free(struct whatif *x);
/* How much shorter the range had been without all of v[0 .. n).  0 or -ENOMEM. */
int whatif_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns);
/* How often WHATIF_MAX_DEPTH was reached. */
uint64_t whatif_refused(const struct whatif *x);

/* How much of the path lies in what is taken away: in those waits, those tasks, below a wait for that object.
 * 0 or -ENOMEM. */
int whatif_on_path(struct whatif *x, const struct path *p, const struct whatif_without *v, size_t n,
		   uint64_t *ret_ns);

struct whatif_row {
	struct whatif_without without;
	uint64_t saved_ns;
	uint64_t path_ns; /* as whatif_on_path() */
};
/* The wait, or waits, of a row of ACCOUNT_WAIT that has a kind. */
struct whatif_without whatif_waits_of(const struct account_row *row);
#define WHATIF_PER_GROUP 3
/* The largest of each group of the accounts, and who had the CPU when it was wanted: by what each saves, the
 * most first.  *ret_rows is for free().  0 or -ENOMEM. */
int whatif_table(struct whatif *x, const struct path *p, const struct account *a,
		 struct whatif_row **ret_rows, size_t *ret_n);
/* "waiting for a file lock that db[7] held", "all of db[7]", "anybody's waits for /var/x.db".  Cut to size.
 */
void whatif_words(struct whatif *x, const struct whatif_without *v, char *buf, size_t size);

#endif
