/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fdtable.h - reads the descriptor tables of processes, on the worker's thread, and
 * has them written: who holds the other end of a pipe or socket.
 */
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
	/* Takes the records, and data (malloc'd) with them; worker's thread. */
	void (*post)(void *arg, void *data, size_t size);
	void *arg;
	uint32_t tgid;
	bool whole; /* write the table; else only the CT_WAITFD records below */
	/* a set of descriptors that tid polls, to be written as CT_WAITFD */
	uint32_t tid;
	uint16_t n_fds, n_set;
	struct inspect_fd fds[CT_WAITFD_MAX];
};

/* Has the job (copied) done by the worker.  0, -EAGAIN, -ENOMEM. */
int fdtable_post(struct worker *w, const struct fdtable_job *job);

/* The records for the set of the job, looked up in a table; returns how many (at most CT_WAITFD_MAX). */
size_t fdtable_waitfds(const struct fdtable_job *job, const void *table, size_t size, uint64_t ts_ns,
		       struct ct_rec ret[CT_WAITFD_MAX]);

#endif
