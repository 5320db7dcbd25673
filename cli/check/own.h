/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - the time of a command without the time that other programs took from it. Pure; any thread. */
#ifndef CTRACE_CLI_CHECK_OWN_H
#define CTRACE_CLI_CHECK_OWN_H

#include "cli/compare/baseline.h"

/*
 * After a wait, a task may wait for a CPU that other programs have. How long depends on them, but how
 * often depends on the command. The price of a part is the mean of this time over all its waits on
 * both sides. The queue of a run is the sum of the prices of its waits.
 */
struct own_queue {
	bool counted;          /* the new queues are longer (U test), so the own times include the queues */
	double old_ns, new_ns; /* the mean queue */
	double p;
};

/*
 * Adds copies of the traced runs of each side to *ret_old and *ret_new, without the parts of the class
 * ENVIRONMENT. looks: as in struct decide_rule. in_turn: both sides ran in turn, under the same load;
 * only then ret_queue->counted may become true, because the load can change how often a command
 * waits. Call baseline_done() on both after failure too. Returns 0, -ENOMEM or -E2BIG.
 */
int own_sides(const struct baseline *old_side, const struct baseline *new_side, bool in_turn, unsigned looks,
	      struct baseline *ret_old, struct baseline *ret_new, struct own_queue *ret_queue);

#endif
