/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_probe.h - puts probes on functions, and learns from the kernel side which functions jobs
 * run. Only one thread at a time may call the functions.
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

/* Returns 0, or -EOPNOTSUPP if `probe` was opened without jobs or this kernel refused the BPF
 * programs, or another -errno. */
int jobs_probe_new(struct probe *probe, struct jobs_probe **ret);
/* The caller calls this function after it has deleted all links. Accepts NULL. */
void jobs_probe_free(struct jobs_probe *p);

/*
 * Puts a probe on the instruction at offset off of the file path. If pid > 0, the probe is only in
 * the process pid, and not in the processes that it starts. Otherwise the probe is in all
 * processes. With JOB_RETURNS in the rule, the return of the function is probed too. Then the
 * function must not change its stack pointer before off. rule is copied. Returns 0, or -ENOSPC if
 * there are already JOB_RULES_MAX probes, or another -errno.
 */
int jobs_probe_add(struct jobs_probe *p, pid_t pid, const char *path, uint64_t off,
		   const struct job_rule *rule, struct jobs_link **ret);
/* Removes the probe and frees link. Accepts NULL. */
void jobs_probe_del(struct jobs_probe *p, struct jobs_link *link);

/* Returns a descriptor for epoll, which is readable when there is work for jobs_probe_calls(). The
 * descriptor belongs to p. */
int jobs_probe_fd(const struct jobs_probe *p);
/* Calls fn for the functions of jobs that the kernel side has newly reported, but for at most
 * JOBS_PROBE_CALLS of them. */
void jobs_probe_calls(struct jobs_probe *p, void (*fn)(void *arg, const struct job_call *call), void *arg);

#endif
