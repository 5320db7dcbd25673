/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h - makes frameworks report their jobs. A thread looks for the files of frameworks, and puts
 * probes on functions in these files, for all processes. Job records go into the side ring
 * (bpf/emit.h).
 *
 * Some frameworks report only the addresses of the functions that jobs run. Such a function is
 * probed only in the process that reported it, because the process may lie.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_H
#define CTRACE_DAEMON_JOBS_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/jobs/jobs_load.h"
#include "daemon/kernel/probe.h"

#define JOBS_FILES_MAX 128

struct jobs;

struct jobs_stats {
	/* files: known files of frameworks; callees: probed functions that jobs run */
	uint64_t files, callees;
	uint64_t stuck_ns;
	/* how often a limit or an error refused a file, a mark, or a function that jobs run */
	uint64_t refused;
};

/* One file of a framework, or a framework of which no file was found. how: where the probes are.
 * why: the reason, if there are no probes. without: the effect of missing probes. */
struct jobs_row {
	char name[16 + JOB_NAME_MAX];
	char how[320], why[320], without[96];
	bool live;
};

/* Starts the thread. Waits until it has looked everywhere once, at most JOBS_FIRST_MS. Borrows
 * specs until jobs_free(). Returns 0 or -errno. *ret is NULL if there is nothing to do, or this
 * kernel cannot probe jobs. */
int jobs_new(struct probe *probe, const struct jobs_specs *specs, struct jobs **ret);
/* Removes all probes. Waits at most JOBS_FIRST_MS for the thread. Returns false if the thread is
 * stuck; then free neither j nor the struct probe of jobs_new(). Accepts NULL. */
bool jobs_free(struct jobs *j);

/* Any thread may call these two functions; both accept NULL. fn must not call them, because
 * jobs_rows() holds a lock. A row is valid only during the call of fn. */
struct jobs_stats jobs_stats(struct jobs *j);
void jobs_rows(struct jobs *j, void (*fn)(void *arg, const struct jobs_row *row), void *arg);

#endif
