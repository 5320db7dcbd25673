/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.h - finds the waits of goroutines for locks (CT_LOCK), the requests that waited meanwhile, and the
 * goroutines that held the locks.
 *
 * - End of a wait: the runtime of Go wakes the waiters of a lock in the order in which they came. A
 *   waiter that was woken, but did not get the lock, comes before all others. So each release of a lock
 *   ends the wait of the first one. But a goroutine that comes just then may overtake it: the records show
 *   this, because this goroutine then releases the lock.
 * - Owner: from one release to the next one, the goroutine of the next release held the lock. (In the
 *   time that a woken goroutine needs to take the lock, nobody may hold it.)
 * - Request of a wait or a release: the goroutine has received its bytes (ct_recv_strand()), and it has no
 *   answer yet. If another goroutine has received them, the request is not known.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_LOCKS_H
#define CTRACE_ANALYSIS_REQUESTS_LOCKS_H

#include "analysis/requests/parts.h"

/* Fills p->locks, which parts_done() frees. Returns 0 or -ENOMEM. */
int locks_find(struct parts *p);

/* Returns the request that the owner served when it released the lock, or GRAPH_NONE. */
uint32_t locks_owner(const struct parts *p, const struct lock_release *r);

#define LOCKS_FUNCTION_MAX 128
/* Writes the name of the function that called the release, such as "main.work"; "": not known. */
void locks_function(const struct graph *g, const struct lock_release *r, char ret[LOCKS_FUNCTION_MAX]);

#endif
