/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - the time that a command took, without the time that other programs took from it. Pure;
 * any thread. */
#ifndef CTRACE_CLI_CHECK_OWN_H
#define CTRACE_CLI_CHECK_OWN_H

#include "cli/compare/baseline.h"

/*
 * After a wait, a task waits for a CPU if other programs have it. How long it waits depends on these
 * programs, but how often depends on the command. The price of a part is the mean of this time over
 * all its waits in both sides. The queue of a run is the sum of the prices of its waits: it differs
 * between two runs only by their numbers of waits.
 */
struct own_queue {
	/* The new runs have a longer queue than the old ones, with a small p (U test). Then the
	 * queues are a part of the own times. */
	bool counted;
	double old_ns, new_ns; /* the mean queue */
	double p;
};

/*
 * Adds copies of the traced runs of each side to *ret_old and *ret_new, without the parts of the class
 * ENVIRONMENT. `looks` is as in struct decide_rule. in_turn: the runs of the two sides were made in
 * turn, under the same load. Then ret_queue->counted may become true, and each part has its share of
 * the queue. With different loads, the load alone can change how often a command waits.
 *
 * The caller calls baseline_done() on *ret_old and *ret_new, also after a failure. Returns 0, -ENOMEM
 * or -E2BIG.
 */
int own_sides(const struct baseline *old_side, const struct baseline *new_side, bool in_turn, unsigned looks,
	      struct baseline *ret_old, struct baseline *ret_new, struct own_queue *ret_queue);

#endif
