/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h - private to analysis/: finds out whether all workers of a pool are busy, so that work for
 * the pool has to wait, and whether a connection waits to be accepted. Pure; any thread.
 *
 * A pool is one of these:
 *
 * - Threads of one process, without its main thread, that idle on the same futex. If the
 *   futex of a thread or of the examined task is not known, the thread counts if it is busy and has
 *   the name of the examined task.
 * - Sibling processes that have the same name, and listen for the same connection. Each may have a
 *   listening socket of its own.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_POOL_H
#define CTRACE_ANALYSIS_CONTENTION_POOL_H

#include "graph/timeline/graph.h"
#include "trace/words/words.h"

/* Returns the number of workers in the pool of `task`, if each was busy for POOL_BUSY_TENTHS tenths
 * of [from, to). Otherwise, or if `task` is the only worker, returns 0. sock: the object for which the client
 * of `task` waits. Processes are a pool only if it is the client's end of a stream connection, and no part of
 * its request was received before the middle of [from, to). Threads are no pool if `task` received it. */
uint32_t pool_workers(const struct graph *g, uint32_t task, uint64_t sock, uint64_t from_ns, uint64_t to_ns);
/* sock: the client's end of a stream connection. Returns true if the process of `task` has a socket that may
 * get this connection. */
bool pool_may_accept(const struct graph *g, uint32_t task, uint64_t sock);
/* a, b: sockets. Returns true if both are clients' ends of stream connections to one address. Exception:
 * records show that b waits to be accepted. */
bool pool_same_server(const struct graph *g, uint64_t a, uint64_t b);
/* Returns true if the process of `task` may have another connection that was accepted at the address to which
 * the client's end `sock` leads: see owner_serves(). */
bool pool_serves(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns);
/* `task` is a worker. Returns the id of the process whose threads the workers are, or which is the parent of
 * the workers. */
uint32_t pool_process(const struct graph *g, uint32_t task);
/* Adds the words "all 4 workers of shop[20] were busy". process: as pool_process() returns it. at_ns: the
 * time for which the name of the process is looked up. */
void pool_words(const struct graph *g, uint32_t workers, uint32_t process, uint64_t at_ns, struct words *t);
/* sock: the client's end of a stream connection, on which it waits in [from, to). Returns true if `server`
 * listens for this connection, and records show that no task accepted it. One of these must show it:
 *
 * - Records of the other end of a unix socket. No records are missing in [from, to), or the descriptors of
 * all processes that listen are known too.
 * - The descriptors of all processes that listen, as recorded in the second half of [from, to). No records
 *   are missing up to then, and no socket may be the other end behind NAT. */
bool pool_is_unaccepted(const struct graph *g, uint64_t sock, uint32_t server, uint64_t from_ns,
			uint64_t to_ns);

#endif
