/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_probe.h - puts the probes of frameworks where they are wanted, and takes in what the kernel side asks
 * about.  One thread.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_PROBE_H
#define CTRACE_DAEMON_JOBS_JOBS_PROBE_H

#include <stdint.h>
#include <sys/types.h>

#include "ctrace/job.h"
#include "daemon/kernel/probe.h"

#define JOBS_PROBE_CALLS 16

struct jobs_probe;
struct jobs_link;

/* 0; -EOPNOTSUPP: the probe was opened without jobs, or this kernel refused the programs; -errno. */
int jobs_probe_new(struct probe *probe, struct jobs_probe **ret);
/* After all links are gone.  Accepts NULL. */
void jobs_probe_free(struct jobs_probe *p);

/*
 * A probe on the instruction at an offset of a file, in all processes, or in one (pid > 0; not in those that
 * it starts).  With JOB_RETURNS in the rule the return is probed too, and the offset must be where the
 * function begins.  0; -ENOSPC: more than JOB_RULES_MAX; -errno.
 */
int jobs_probe_add(struct jobs_probe *p, pid_t pid, const char *path, uint64_t off,
		   const struct job_rule *rule, struct jobs_link **ret);
/* Accepts NULL. */
void jobs_probe_del(struct jobs_probe *p, struct jobs_link *link);

/* Readable when there is something for jobs_probe_calls(). */
int jobs_probe_fd(const struct jobs_probe *p);
/* Hands over functions that jobs run and that were not seen before, JOBS_PROBE_CALLS of them at most. */
void jobs_probe_calls(struct jobs_probe *p, void (*fn)(void *arg, const struct job_call *call), void *arg);

#endif
