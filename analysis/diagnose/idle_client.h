/* SPDX-License-Identifier: GPL-2.0-or-later */
/* idle_client.h - private to analysis/: tells whether a client in a chain waits for news, not for
 * an answer that comes soon. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_IDLE_CLIENT_H
#define CTRACE_ANALYSIS_DIAGNOSE_IDLE_CLIENT_H

#include "analysis/diagnose/chain.h"

/*
 * Returns true if link `first` is a client that idles. This needs all of the following:
 *
 * - The client waits in its event loop, also for other things than the server.
 * - The client is owed no answer, or its messages mostly need none, or its last two messages to a
 *   unix socket had no answer between them, or a server without threads received the last message on a unix
 *   socket, and soon waited again, without a message or work for any task. This does not hold if earlier
 *   messages of this size had an answer.
 * - In its waits, the client has not got a long answer in large parts.
 * - A later link is a server that waits for its clients. On the connection to this server, the
 *   last message has been received.
 *
 * A session of PostgreSQL waits for a lock in an event loop, too, but does not idle.
 *
 * Between the client and the server, the chain may have more idle tasks, such as the thread of a
 * library for a message bus. Pure; any thread.
 */
bool idle_client(const struct graph *g, const struct chain *c, size_t first);
/*
 * Returns true if link `at` waits for news from the server of the next link, such as for the next job of a
 * queue. This needs all of the following:
 *
 * - The server has received the request. It waits in its event loop, also for this client, and no task owes
 * it an answer.
 * - Other requests of the same size on this connection got an answer. For at least half of these answers, the
 *   server waited in its event loop until a message of another client came, and then sent the answer.
 *
 * Pure; any thread.
 */
bool idle_client_awaits_news(const struct graph *g, const struct chain *c, size_t at);
/*
 * Returns true if link k is a client that gets news from its server, and has not asked for anything since. The
 * last messages that the server sent to it come from NEWS_MESSAGES messages or more of other clients, and none
 * comes from the client itself. This needs all of the following for each of these messages:
 *
 * - After its last idle wait, the server's task received a message of another client, and then sent the
 *   news. Or another process ended this wait, after it had received such a message. If the wait in which the
 *   message came is a poll, this message ended it.
 * - The client sent nothing after the message of the other client, and got no large parts since its last
 *   message.
 * - The server has not asked the other client for its message since the client's last message.
 *
 * Pure; any thread.
 */
bool idle_client_gets_news(const struct graph *g, const struct link *k);
/*
 * The link before `loop` waits for the process of `loop`, and the link after it is a thread of this process
 * that woke `loop` at the time of its own timer. Returns the object for which the task of `loop` waits if
 * this timer is not what the link before `loop` waits for. Otherwise returns 0. This needs all of the
 * following:
 *
 * - The thread woke the event loop of `loop` through an eventfd or a pipe.
 * - For longer than OTHER_WAIT_NS after that, the link before `loop` still waits.
 * - In the middle of this time, the event loop waits again, for several things. Another process can end this
 * wait, but owes no answer. The event loop has woken and started no thread of its process since then.
 *
 * Example: a dialog waits for its user, and a thread of its library looks at something every few seconds.
 * Pure; any thread.
 */
uint64_t idle_loop_input(const struct graph *g, const struct link *loop);
/*
 * Returns true if the victim of the diagnosis is a client that waited for news, such as the next job of a
 * queue, until another process killed it. This needs all of the following:
 *
 * - A signal ended the wait and the client. Another process sent it, or the kernel sent a SIGHUP, SIGINT,
 *   SIGQUIT, SIGTERM or SIGKILL.
 * - The server has received the last request, and waits only for its clients, or for a time limit.
 * - No record shows that such a request gets an answer soon. Requests are alike if they have the same size
 *   and go to the same server. An answer counts if it came within DIAGNOSE_STALL_NS, and no message of
 *   another client made it. Such answers must not be most of the answers.
 *
 * Pure; any thread.
 */
bool idle_client_killed(const struct graph *g, const struct diagnosis *d);
/* Returns true if link 0 waited in its event loop for link 1, and another process or a person killed the task
 * of link 1. The chain must have both links. Pure; any thread. */
bool idle_client_left(const struct graph *g, const struct diagnosis *d);

#endif
