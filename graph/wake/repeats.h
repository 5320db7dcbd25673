/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeats.h - private to graph/: finds the repeats of a wait: later waits of the same task for
 * which blame_same_wait() holds. Pure; any thread. Without memory, a search finds no repeat, and
 * graph_scans_refused() counts the search.
 */
#ifndef CTRACE_GRAPH_WAKE_REPEATS_H
#define CTRACE_GRAPH_WAKE_REPEATS_H

#include "graph/wake/blame.h"

/* All functions take a BLOCKED interval, and return a wait or GRAPH_NONE. */

uint32_t repeats_next(const struct graph *g, uint32_t interval);
/* Returns the last repeat for which all of this holds: it ended by end_ns, its wake-up is recorded,
 * and from `interval` to this repeat the task ran for at most ran_ns. */
uint32_t repeats_last(const struct graph *g, uint32_t interval, uint64_t end_ns, uint64_t ran_ns);
/* Returns the last interval of the task, if it is a repeat that lasts to the end of the trace, and
 * the task ran for at most ran_ns since `interval`. */
uint32_t repeats_open(const struct graph *g, uint32_t interval, uint64_t ran_ns);
/* Returns the first repeat that ended with a recorded wake-up, but not by a timer. Returns
 * GRAPH_NONE if the task made progress before it (has_made_progress()), or waited longer than
 * OTHER_WAIT_NS for something else. */
uint32_t repeats_ended(const struct graph *g, uint32_t interval);
/* Returns the stack of the wait, or 0. Some programs wait for one thing many times in a row, each time with a
 * short time limit. So if the stack of s was not recorded, the stack of the wait before it counts. That wait
 * must be the same call on the same object, and must have ended by its time limit. */
uint64_t repeats_stack(const struct graph *g, const struct interval *s);

#endif
