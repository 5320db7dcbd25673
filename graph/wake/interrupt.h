/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - private to graph/: waits that a signal has only interrupted. Example: a task reads from a
 * connection, and one of its children exits. The SIGCHLD wakes the task. It runs its handler, and goes on
 * with the same read. So the child did not end this wait. Runtimes also send signals to their own threads,
 * for example to stop them for a garbage collection. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_INTERRUPT_H
#define CTRACE_GRAPH_WAKE_INTERRUPT_H

#include "graph/wake/blame.h"

/*
 * Returns the wait with which the task goes on, or GRAPH_NONE. All of this has to hold:
 * - The wait is no poll: see interrupt_debt().
 * - The wake-up has no object, and a record shows that the waker sent a signal.
 * - The task does not wait for signals. If it waits for the end of one child, the signal is from another
 * task.
 * - The task then waits again in the same call on the same object. In between, it has hardly run, has not
 * waited for anything else for longer than OTHER_WAIT_NS, and has sent and received nothing on this object.
 */
uint32_t interrupt_next(const struct graph *g, uint32_t interval);

/* Goes on from `interval` with interrupt_next(), as often as this is possible. Returns the last wait, which
 * may be `interval`. Returns GRAPH_NONE if there are more than INTERRUPTS_MAX waits. */
uint32_t interrupt_last(const struct graph *g, uint32_t interval);

/*
 * An event loop polls again after each event. So a poll is interrupted only if all of this holds:
 * - A signal ended it. Or another thread of the same process did, after a sleep or a time limit of its own,
 * and it does so now and then: a heartbeat.
 * - The task then polls again as in interrupt_next(), and does nothing else that a record shows.
 * - Before and after the wake-up, a task of another process owes an answer on the same connection, and mostly
 * answers there. Neither the waker nor its process is this task.
 *
 * Then *ret weakly blames this task.
 */
bool interrupt_debt(const struct graph *g, uint32_t interval, struct blame *ret);

#endif
