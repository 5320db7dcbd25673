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

#include "daemon/jobs/jobs_auto.h"
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
 * why: the reason, if there are no probes. without: the effect of missing probes. The texts are safe to
 * print (lib/clean.h). */
struct jobs_row {
	char name[16 + JOB_NAME_MAX];
	char how[320], why[320], without[96];
	bool live;
	char file[200]; /* "": no file was found */
	uint32_t spec;  /* number of the description */
	uint64_t id;    /* of the file, unique in a daemon; new if the file is probed anew */
	/* why a function or mark has no probe; "": all have one, or no file was found */
	char lack[128];
	/* n_wanted: functions that the description names for this file. n_found: those with a
	 * probe. hits: how often the probes in this file were hit. callee_hits: number of calls of
	 * functions that jobs run, since the start of the daemon, in all processes that use the
	 * framework. */
	unsigned n_found, n_wanted, n_marks;
	uint64_t hits, callee_hits;
	/* CPU time of all hits since the start of the daemon, without the functions that jobs run
	 * (cost_ns), and of these functions (callee_ns). hits * the price of each probe. */
	uint64_t cost_ns, callee_ns;
	uint64_t retry_ns; /* boot time at which the file is probed anew, because of `lack`; 0: it is not */
	/* With specs->is_auto. off: the probes of the framework are detached; the row has no file. */
	struct jobs_auto automatic;
};

struct jobs_options {
	struct probe *probe;
	const struct jobs_specs *specs; /* borrowed until jobs_free() */
	uint32_t budget_ppm;
	/* Takes a stream of records for the trace, and the ownership of data: drain_post(). */
	void (*post)(void *arg, void *data, size_t size);
	void *arg;
};

/* Starts the thread. Waits until it has looked everywhere once, at most JOBS_FIRST_MS; with specs->is_auto
 * and a budget, does not wait, so that the start of the daemon takes no longer. Returns 0 or -errno. *ret is
 * NULL if there is nothing to do, or this kernel cannot probe jobs. */
int jobs_new(const struct jobs_options *opt, struct jobs **ret);
/* Removes all probes. Waits at most JOBS_FIRST_MS for the thread. Returns false if the thread is
 * stuck; then free neither j nor the struct probe of jobs_new(). Accepts NULL. */
bool jobs_free(struct jobs *j);

/* Any thread may call these functions. They accept NULL. */
/* Sets the budget of which the probes may take a part (JOBS_AUTO_SHARE); 0: no limit. */
void jobs_budget(struct jobs *j, uint32_t budget_ppm);
/* Returns the share of the machine's CPU time that the hits of all probes may cost, in ppm; 0: no limit. */
double jobs_limit_ppm(struct jobs *j);
struct jobs_stats jobs_stats(struct jobs *j);
/* Returns the descriptions that are in use, and which are left out. NULL: j is NULL. */
const struct jobs_specs *jobs_specs(const struct jobs *j);
/* Calls fn for each row. A row is valid only during the call of fn. fn must not call jobs_stats()
 * or jobs_rows(), because jobs_rows() holds a lock. Returns the boot time in ns at which the hits
 * of the rows were counted; 0: j is NULL. */
uint64_t jobs_rows(struct jobs *j, void (*fn)(void *arg, const struct jobs_row *row), void *arg);

#endif
