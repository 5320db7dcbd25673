/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - the own time of a command: its time without what other programs took from it. Pure; any thread. */
#ifndef CTRACE_CLI_CHECK_OWN_H
#define CTRACE_CLI_CHECK_OWN_H

#include "cli/compare/baseline.h"

/*
 * After a wait, a task may have to queue for a CPU that another program has. The other programs
 * decide how long the task queues. But the command decides how often the task queues. So each wait
 * gets a price: the mean time for which a task queued after such a wait, over the runs of both
 * sides. Waits in the same part of the critical path have the same price. The queue time of a run
 * is the sum of the prices of its waits.
 */
struct own_queue {
	/* True if the queue times of the new side are significantly longer (U test). Then the new command
	 * waits more often, or its waits are in parts of the critical path with a higher price. In this
	 * case, the own time of each run, on both sides, includes the queue time of the run. */
	bool counted;
	double old_ns, new_ns; /* the mean queue time of a run */
	double p;              /* of the U test */
};

/*
 * Adds copies of the traced runs of each side to *ret_old and *ret_new, without the parts of the
 * class ENVIRONMENT. looks: as in struct decide_rule. in_turn: both sides ran in turn, under the
 * same load. If in_turn is false, ret_queue->counted stays false, because another load can change
 * how often a command waits. Call baseline_done() on *ret_old and *ret_new after failure too.
 * Returns 0, -ENOMEM or -E2BIG.
 */
int own_sides(const struct baseline *old_side, const struct baseline *new_side, bool in_turn, unsigned looks,
	      struct baseline *ret_old, struct baseline *ret_new, struct own_queue *ret_queue);

#endif
