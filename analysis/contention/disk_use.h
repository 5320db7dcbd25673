/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk_use.h - private to analysis/: finds the task that had the disk while another task waited for
 * it. Pure; any thread.
 *
 * The records of requests to the disk show who had it. If the disk worked for half of the waits or
 * more, the time of the requests counts. Otherwise the disk is held back, mostly by a limit of bytes
 * a second. Then the bytes of the requests count, but only those of tasks in the control group of
 * the waiter, because each control group may have a limit of its own. Bytes do not count if the disk
 * moved too few (DISK_USE_BYTE_NS).
 *
 * A request counts for the task that issued it. The kernel issues many requests later, in a thread
 * of its own. Such a request counts for the only process that waits for the file of the request, or
 * that has opened this file for writing. If the request writes, a wait counts only if it is in a
 * write or a sync of the file.
 *
 * A request whose end was not recorded lasts until records are missing, or until the end of the wait.
 *
 * Without such records, or if most requests count for no task, a task counts as one that has the
 * disk while it waits for the disk.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_DISK_USE_H
#define CTRACE_ANALYSIS_CONTENTION_DISK_USE_H

#include "graph/timeline/graph.h"
#include "trace/words/words.h"

struct disk_use {
	/* A task of the process that had more than half of the disk, if this is another process than that
	 * of the waiter. Without records: the task that waited longest. GRAPH_NONE: there is no such task */
	uint32_t task;
	uint64_t obj;      /* the file for which `task` waited longest, or 0 */
	uint64_t waits_ns; /* how long `task` waited for the disk meanwhile */
	/* How long requests of the process of `task` were at the disk meanwhile. 0: bytes count, or there are
	 * no records */
	uint64_t busy_ns;
	/* The bytes of its requests, and of all requests. 0: time counts, or there are no records */
	uint64_t bytes, all_bytes;
	bool several; /* no process had more than half of the disk, but other tasks had it too */
};

/* `task` waited in [from, to) for the device of obj. Returns 0 or -ENOMEM. */
int disk_use_find(const struct graph *g, uint32_t task, uint64_t obj, uint64_t from_ns, uint64_t to_ns,
		  struct disk_use *ret);
/* d->task is a task. Adds the words for its part, such as "waited for the same disk for 2.0 s of this time".
 */
void disk_use_words(const struct disk_use *d, struct words *t);

#endif
