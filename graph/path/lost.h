/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost.h - private to graph/: finds out whether a task may have waited for a thread that ended without waking
 * it, so that the thread that woke it much later is not certain to be the awaited one. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_PATH_LOST_H
#define CTRACE_GRAPH_PATH_LOST_H

#include "graph/wake/blame.h"

/*
 * b is the blame for `interval`: another thread P of the waiter's process ended this wait, by a post on a
 * futex (newcomer_is_post()). Returns true if the waiter may have waited for a thread T in vain. Example: T
 * died of an exception. All of this has to hold:
 * - The waiter started T at most OTHER_WAIT_NS before the wait, and started no other thread since.
 * - From then to the wait, the waiter woke no other thread than T, and sent no message.
 * - T ended in the wait, more than OTHER_WAIT_NS before its end.
 * - P was in a wait at that time, and stayed in it for more than OTHER_WAIT_NS. So P did not act because T
 *   ended.
 */
bool lost_thread(const struct graph *g, uint32_t interval, const struct blame *b);

#endif
