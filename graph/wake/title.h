/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * title.h - private to graph/: reads the titles of the processes of PostgreSQL. Pure; any thread.
 *
 * A session of PostgreSQL is a process. Its title is its command line. The title ends with what the
 * session does: "idle", "idle in transaction", "idle in transaction (aborted)", or the name of a
 * command, such as "UPDATE". While the session waits for a lock of the database, " waiting"
 * follows. (Documentation of PostgreSQL, "Monitoring Database Activity", "Standard Unix Tools".)
 * The locks are in memory that all sessions share. So no record shows the owner of a lock while the
 * wait for the lock lasts.
 */
#ifndef CTRACE_GRAPH_WAKE_TITLE_H
#define CTRACE_GRAPH_WAKE_TITLE_H

#include "graph/wake/blame.h"

/* Returns true if, by its title, the task waited in s for a lock of the database. */
bool title_waits(const struct graph *g, const struct interval *s);
/*
 * Returns the session that seems to own the lock for which the task waits in s: the only other
 * session of the same server that is not idle. A session that is idle in a transaction counts as
 * not idle. A session that began to wait for a lock later than the task does not count. Returns
 * GRAPH_NONE if there is no such session, if there are several, or if the title of the only one is
 * old. Adds to *all the sessions that may own the lock.
 */
uint32_t title_owner(const struct graph *g, const struct interval *s, struct enders *all);

#endif
