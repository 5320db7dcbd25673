/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * title.h - private to graph/: what the processes of PostgreSQL say in their titles. Pure; any thread.
 *
 * A session of PostgreSQL is a process. Its command line ends with what the session does: "idle", "idle in
 * transaction", "idle in transaction (aborted)", or the name of a command, such as "UPDATE". While the
 * session waits for a lock of the database, " waiting" follows. (Documentation of PostgreSQL, "Monitoring
 * Database Activity", "Standard Unix Tools".) The locks are in memory that all sessions share, so while the
 * wait lasts no record shows the owner.
 */
#ifndef CTRACE_GRAPH_WAKE_TITLE_H
#define CTRACE_GRAPH_WAKE_TITLE_H

#include "graph/wake/blame.h"

/* Whether the task waited in s for a lock of the database, by its title. */
bool title_waits(const struct graph *g, const struct interval *s);
/*
 * The session that seems to own the lock for which the task waits in s: the only session of the same server
 * that is not idle, or is idle in a transaction. Sessions that have begun later to wait for a lock do not
 * count. GRAPH_NONE: there is no such session, there are several, or the title is old. *all: the sessions
 * that may own the lock.
 */
uint32_t title_owner(const struct graph *g, const struct interval *s, struct enders *all);

#endif
