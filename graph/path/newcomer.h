/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * newcomer.h - private to graph/: finds out whether a task that did not exist for most of a wait made the
 * event that ended this wait. The waiter cannot have waited for such a newcomer. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_PATH_NEWCOMER_H
#define CTRACE_GRAPH_PATH_NEWCOMER_H

#include "graph/wake/blame.h"

/* b is the blame for `interval`. Returns true if a message ended the poll or accept, and the sender of the
 * message is a task that is in another process and was born after the wait began. The waiter idled. */
bool newcomer_sent(const struct graph *g, uint32_t interval, const struct blame *b);

/* b is the blame for s. Returns true if another thread of the waiter's process posted on the futex, which is
 * no known lock. */
bool newcomer_is_post(const struct graph *g, const struct interval *s, const struct blame *b);

/*
 * b is the blame for `interval`, and newcomer_sent() holds. Returns true if the waiter, a server, did not
 * need the newcomer for anything that it had to do since from_ns: the newcomer was born in the second half of
 * the time since then, is a client of the server, and no record shows that the server has caused its birth.
 */
bool newcomer_unasked(const struct graph *g, uint32_t interval, uint64_t from_ns, const struct blame *b);

/*
 * b is the blame for `interval`. Returns true if a thread of the waiter's process ended the wait, by a post
 * on a futex, at the order of a newcomer: the last wait of this thread before the post ended with a message
 * of a process that was born after the middle of the wait, as seen from from_ns. Or a thread with such an
 * order gave it on to a thread that idled, and so on. Example: an administrator connects, and tells a server
 * to end a query that hangs. Returns false if the thread that posted had other work in the middle of the
 * wait: the waiter may have waited for this work.
 */
bool newcomer_ordered(const struct graph *g, uint32_t interval, uint64_t from_ns, const struct blame *b);

/*
 * b is the blame for `interval`. Returns true if a thread of the waiter's process ended the wait, by a post
 * on a futex, at an order that the waiter did not wait for: up to the middle of the wait or longer, the
 * thread read from a pipe or a connection on which it was owed no answer. A process that the waiter's process
 * has not started ended this read. Through this futex, other tasks have woken the waiter before, but this
 * thread never did. Example: an administrator types a command that repairs the server.
 */
bool newcomer_read(const struct graph *g, uint32_t interval, uint64_t from_ns, const struct blame *b);

#endif
