/* SPDX-License-Identifier: GPL-2.0-or-later */
/* idle_client.h - private to analysis/: tells whether a client in a chain idles: it waits for news,
 * not for an answer. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_IDLE_CLIENT_H
#define CTRACE_ANALYSIS_DIAGNOSE_IDLE_CLIENT_H

#include "analysis/diagnose/chain.h"

/*
 * Whether the task of link `first` is a client that idles. True if all of this holds:
 * - The client waits in its event loop, also for other things than the server.
 * - The client is owed no answer, or its messages to the server mostly need none.
 * - A later link is a server that waits in its event loop for its clients, and is owed no answer.
 *   If the server waits on the connection of a client, this client has received the last message of
 *   the server. If only a timer or a time limit ends the server's wait, the server has received the
 *   last message of the task of the previous link.
 * Between the client and the server there may be more tasks that idle in this way, such as the
 * thread of a library that speaks with a message bus. Pure; any thread.
 */
bool idle_client(const struct graph *g, const struct chain *c, size_t first);

#endif
