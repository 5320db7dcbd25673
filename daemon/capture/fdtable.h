/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fdtable.h - reads the descriptor tables of processes on the worker's thread, for the trace. The
 * tables show which task has the other end of a pipe or socket. */
#ifndef CTRACE_DAEMON_CAPTURE_FDTABLE_H
#define CTRACE_DAEMON_CAPTURE_FDTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/inspect/inspect_result.h"
#include "daemon/worker.h"

struct probe;

struct fdtable_job {
	struct probe *probe;
	/* Takes over data (malloc'd), a stream of records and blobs. Called on the worker's
	 * thread. */
	void (*post)(void *arg, void *data, size_t size);
	void *arg;
	uint32_t tgid;
	/* also post the whole descriptor table, before the CT_WAITFD records */
	bool whole;
	uint32_t tid;          /* the task that polls */
	uint16_t n_fds, n_set; /* the task polls n_set descriptors; `fds` has n_fds of them */
	/* The job makes a CT_WAITFD record for each of these descriptors whose object (for example a pipe)
	 * is in the descriptor table of the process `tgid`. */
	struct inspect_fd fds[CT_WAITFD_MAX];
};

/* Queues a copy of the job. Returns 0, -ENOMEM, or -EAGAIN if the queue is full or the worker
 * ends. */
int fdtable_post(struct worker *w, const struct fdtable_job *job);

/* table: the descriptor table of the process, as probe_read_files() returns it. Makes a CT_WAITFD record for
 * each descriptor of job->fds whose object is in the table. Returns the number of records. */
size_t fdtable_waitfds(const struct fdtable_job *job, const void *table, size_t size, uint64_t ts_ns,
		       struct ct_rec ret[CT_WAITFD_MAX]);

#endif
