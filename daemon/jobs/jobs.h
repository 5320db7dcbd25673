/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h - has frameworks report their jobs: a thread that looks for their files, puts probes on their
 * functions, and follows files that are replaced and functions that jobs run.  The records come through
 * the rings like all others.
 *
 * Every function of the files is probed in all processes; a function that jobs run only in the process
 * that ran it, because the address comes from that process, which may lie.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_H
#define CTRACE_DAEMON_JOBS_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/jobs/jobs_load.h"
#include "daemon/kernel/probe.h"

#define JOBS_FILES_MAX  128
#define JOBS_LOOK_MS    250 /* files are checked for having been replaced */
#define JOBS_SCAN_MS    5000
#define JOBS_SCAN_REST  200 /* a scan of all processes is followed by so many times its own CPU time */
#define JOBS_CALLS_REST 10  /* the same, after the work for functions that jobs run */
#define JOBS_FIRST_MS   3000

struct jobs;

struct jobs_stats {
	uint64_t files, callees; /* probed now */
	uint64_t stuck_ns;       /* how long the look on hand has taken by now; 0: none is */
	uint64_t refused; /* files and functions beyond the limits, and functions that cannot be probed */
};

/* How a framework does: one row a file, or one that says that there is none.  As struct probe_hook. */
struct jobs_row {
	char name[16 + JOB_NAME_MAX]; /* "jobs/libuv" */
	char how[320], why[320], without[96];
	bool live;
};

/*
 * Starts the thread and waits until it has looked everywhere once, JOBS_FIRST_MS at most.  specs are the
 * caller's, who keeps them.  *ret NULL: there is nothing to do.  0 or -errno.
 */
int jobs_new(struct probe *probe, const struct jobs_specs *specs, struct jobs **ret);
/* Takes all probes away.  False: the thread is stuck behind somebody's file system, and neither it nor the
 * probe can be freed.  Accepts NULL. */
bool jobs_free(struct jobs *j);

/* Any thread; accept NULL. */
struct jobs_stats jobs_stats(struct jobs *j);
void jobs_rows(struct jobs *j, void (*fn)(void *arg, const struct jobs_row *row), void *arg);

#endif
