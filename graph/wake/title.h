/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * title.h - private to graph/: the waits of the processes of PostgreSQL, as their titles show them
 * (include/ctrace/postgres_title.h). Pure; any thread. The locks are in shared memory. So if no
 * inspection has found the owner of a lock there, no record shows the owner.
 */
#ifndef CTRACE_GRAPH_WAKE_TITLE_H
#define CTRACE_GRAPH_WAKE_TITLE_H

#include "graph/wake/blame.h"

/* Returns true if the title of the task says that it waited in s for a lock of the database. */
bool title_waits(const struct graph *g, const struct interval *s);
/* Returns true if both tasks are sessions of the same server. If one session wakes another one with
 * SIGURG, the other one waited for it, mostly for a lock of a row or a table. (Since PostgreSQL 14:
 * ProcWakeup() in proc.c, SetLatch() in latch.c.) */
bool title_sessions(const struct graph *g, uint32_t task, uint32_t other, uint64_t ts_ns);
/*
 * Returns the session of the same server that may own the lock for which s waits. Adds all such
 * sessions to *all. A session does not count in two cases:
 * - By its title, it is idle ("idle in transaction" is not idle).
 * - By its title, it waits for a lock, and its wait began after s.
 * A worker that cleans up tables counts as a session. Returns GRAPH_NONE if no session counts, if
 * several count, or if the title of the only one may be out of date: the daemon read it before the
 * session's present wait.
 */
uint32_t title_owner(const struct graph *g, const struct interval *s, struct enders *all);

/* Returns true if an inspection of s, or of a wait that s repeats after a time limit, shows that a session
 * waits until a standby has the log, for the end of a checkpoint, or until the log is archived. Then sets
 * b->kind. b->task is the process of the server that sends or archives the log, or makes the checkpoint. No
 * record shows which standby has to confirm. So b->task is GRAPH_NONE if there is no such process, or if
 * there are several; then *all has them. A process that sends the log does not count if others are left, and
 * its standby has answered all that it sent for s. */
bool title_helper(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all);

#endif
