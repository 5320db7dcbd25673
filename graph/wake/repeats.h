/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeats.h - private to graph/: finds the repeats of a wait: later waits of the same task for
 * which blame_same_wait() holds. Pure; any thread. Without memory, a search finds no repeat, and
 * graph_scans_refused() counts the search.
 */
#ifndef CTRACE_GRAPH_WAKE_REPEATS_H
#define CTRACE_GRAPH_WAKE_REPEATS_H

#include "graph/wake/blame.h"

/* All functions take a BLOCKED interval. All but the last two return a wait or GRAPH_NONE. */

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

/*
 * A signal may only interrupt a wait. Example: a task reads from a connection, and one of its children exits.
 * The SIGCHLD wakes the task. It runs its handler, and goes on with the same read. So the child did not end
 * this wait. Runtimes also send signals to their own threads, for example to stop them for a garbage
 * collection.
 *
 * Returns the wait with which the task goes on, or GRAPH_NONE. All of this has to hold:
 * - The wait is no poll: see repeats_debt().
 * - The wake-up has no object, and a record shows that the waker sent a signal.
 * - The task does not wait for signals. If it waits for the end of one child, the signal is from another
 *   task.
 * - The task then waits again in the same call on the same object. In between, it has hardly run, has not
 *   waited for anything else for longer than OTHER_WAIT_NS, and has sent and received nothing on this object.
 */
uint32_t repeats_interrupted(const struct graph *g, uint32_t interval);

/* Goes on from `interval` with repeats_interrupted(), as often as this is possible. Returns the last wait,
 * which may be `interval`. Returns GRAPH_NONE if there are more than INTERRUPTS_MAX waits. */
uint32_t repeats_rest(const struct graph *g, uint32_t interval);

/*
 * An event loop polls again after each event. So a poll is interrupted only if all of this holds:
 * - A signal ended it. Or another thread of the same process did, after a sleep or a time limit of its own,
 *   and it does so now and then: a heartbeat.
 * - The task then polls again as in repeats_interrupted(), and does nothing else that a record shows.
 * - Before and after the wake-up, a task of another process owes an answer on the same connection, and mostly
 *   answers there. Neither the waker nor its process is this task.
 *
 * Then *ret weakly blames this task.
 */
bool repeats_debt(const struct graph *g, uint32_t interval, struct blame *ret);

/*
 * The end of a child ended the poll `interval`, and the task polls again. It may wait for the answer of a
 * helper all the time. Returns true if all of this holds:
 * - The poll lasted for longer than OTHER_WAIT_NS.
 * - A task of another process ends a later poll with bytes on a pipe, up to end_ns.
 * - The waiter's process gave this task its last command before the end of `interval` (blame_command_ns()),
 * and the task has written nothing to this pipe since, as far as wake-ups show.
 * - Up to that answer, the waiter makes no progress (has_made_progress()).
 *
 * If no answer comes up to end_ns, and the waiter polls at that time, the task counts that has such a command
 * and has woken the waiter through a polled pipe before. It must be the only one, and must not wait in a read
 * of a pipe itself.
 *
 * Then *ret weakly blames this task. Otherwise *ret does not change.
 */
bool repeats_answered(const struct graph *g, uint32_t interval, uint64_t end_ns, struct blame *ret);

#endif
