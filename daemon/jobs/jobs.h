/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs.h - makes frameworks report their jobs. A thread looks for the files of frameworks, and puts
 * probes on functions in these files. The thread notices when a file is replaced. Some frameworks
 * report only the addresses of the functions that jobs run; the thread probes these functions too.
 * The BPF programs of the probes put records into the side ring (bpf/emit.h).
 *
 * A function in a file of a framework is probed in all processes. A function that a job runs is
 * probed only in the process of the job, because the address comes from this process, which may
 * lie.
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
	/* files: number of known files of frameworks. callees: number of probed functions that jobs
	 * run. */
	uint64_t files, callees;
	uint64_t stuck_ns; /* how long the present round has taken so far; 0: the thread rests */
	/* how often a file, or a function that a job runs, was refused because of a limit or an
	 * error; a file counts again each time the thread tries to add it */
	uint64_t refused;
};

/* The state of one file of a framework. The members are as in struct probe_hook
 * (daemon/kernel/probe.h). If no file of a framework was found, the framework has one row that says
 * so. */
struct jobs_row {
	char name[16 + JOB_NAME_MAX]; /* for example "jobs/libuv" */
	char how[320], why[320], without[96];
	bool live;
};

/*
 * Starts the thread and waits until it has looked everywhere once, but at most JOBS_FIRST_MS.
 * Borrows specs until jobs_free(). Returns 0 or -errno. If specs is empty, or if this kernel cannot
 * probe jobs, the result is 0 and *ret is NULL.
 */
int jobs_new(struct probe *probe, const struct jobs_specs *specs, struct jobs **ret);
/* Removes all probes. Waits at most JOBS_FIRST_MS for the thread. Returns false if the thread is
 * still stuck on a file system after this time. Then neither j nor the struct probe that
 * jobs_new() got may be freed. Accepts NULL. */
bool jobs_free(struct jobs *j);

/* Any thread may call jobs_stats() and jobs_rows(). Both accept NULL. jobs_rows() calls fn for each
 * row with a lock held, so fn must not call these two functions. The row is valid only during the
 * call. */
struct jobs_stats jobs_stats(struct jobs *j);
void jobs_rows(struct jobs *j, void (*fn)(void *arg, const struct jobs_row *row), void *arg);

#endif
