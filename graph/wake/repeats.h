/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeats.h - private to graph/: finds the repeats of a wait: later waits of the same task for
 * which blame_same_wait() holds.
 *
 * The table of a task is made for the first question about the task, and stays with the graph. The
 * table takes about 7 bytes for each interval of the task. If there is no memory for the table, a
 * search finds no repeat, and graph_scans_refused() counts the search.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_REPEATS_H
#define CTRACE_GRAPH_WAKE_REPEATS_H

#include "graph/wake/blame.h"

/* All functions take a BLOCKED interval. They return the index of a wait, or GRAPH_NONE if there
 * is no such wait. */

/* Returns the first repeat after `interval`. */
uint32_t repeats_next(const struct graph *g, uint32_t interval);
/* Returns the last repeat that has ended by end_ns and whose wake-up is recorded. A repeat
 * counts only if the task ran for at most ran_ns between `interval` and this repeat. */
uint32_t repeats_last(const struct graph *g, uint32_t interval, uint64_t end_ns, uint64_t ran_ns);
/* Returns the last interval of the task, if it is a repeat that lasts to the end of the trace,
 * and the task ran for at most ran_ns between `interval` and this repeat. */
uint32_t repeats_open(const struct graph *g, uint32_t interval, uint64_t ran_ns);
/* Returns the first repeat that something other than a timer ended. Between `interval` and this
 * repeat, the task made no progress (has_made_progress()), and waited for nothing else for
 * longer than OTHER_WAIT_NS. */
uint32_t repeats_ended(const struct graph *g, uint32_t interval);

#endif
