/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_probe.h - puts probes on functions, and reads which functions jobs run. Not thread-safe, except for
 * the functions that say so. */
#ifndef CTRACE_DAEMON_JOBS_JOBS_PROBE_H
#define CTRACE_DAEMON_JOBS_JOBS_PROBE_H

#include <stdint.h>
#include <sys/types.h>

#include "ctrace/job.h"
#include "daemon/jobs/jobs_auto.h"
#include "daemon/kernel/probe.h"

#define JOBS_PROBE_CALLS 16

struct jobs_probe;
struct jobs_link;

/* Offsets in a file: of an instruction, and of the counter of a note (jobs_note.semaphore), or 0. The kernel
 * adds 1 to the counter in each process as long as the probe exists. */
struct jobs_place {
	uint64_t off, counter_off;
};

/* Returns 0, -EOPNOTSUPP if `probe` was opened without jobs or the kernel refused the programs, or
 * another -errno. */
int jobs_probe_new(struct probe *probe, struct jobs_probe **ret);
/* Call this after the deletion of all links. Accepts NULL. */
void jobs_probe_free(struct jobs_probe *p);

/*
 * Puts a probe on the instruction at the offset at.off of the file. Copies rule. rule->spec is the number of
 * the description. price_ns: CPU time of
 * one hit, without the return. pid > 0: probes only this process, not its children; otherwise all
 * processes. Returns 0, -ENOSPC if there are JOB_RULES_MAX probes, -EOPNOTSUPP if the rule has JOB_TEXT and
 * the kernel has refused the program for it, or another -errno.
 *
 * If the rule has JOB_RETURNS, also probes the return of the function. A return is matched with its
 * call by the stack pointer. So before the instruction at at.off, the function must not change the
 * stack pointer.
 */
int jobs_probe_add(struct jobs_probe *p, pid_t pid, const char *path, struct jobs_place at,
		   const struct job_rule *rule, uint32_t price_ns, struct jobs_link **ret);
void jobs_probe_del(struct jobs_probe *p, struct jobs_link *link);
/* Returns how often the probe was hit since jobs_probe_add(). */
uint64_t jobs_probe_hits(const struct jobs_probe *p, const struct jobs_link *link);
/* Returns the CPU time of one hit, in ns, with the hit of the return. */
uint32_t jobs_probe_price(const struct jobs_link *link);

/* Any thread may call the following three functions, also while another thread waits in jobs_probe_add() or
 * jobs_probe_del(). */
/* Sets *ret[spec] to the hits and the cost of each description since jobs_probe_new(), with those of probes
 * that are gone and what was charged. */
void jobs_probe_spent(struct jobs_probe *p, struct jobs_auto_spent ret[JOB_SPECS_MAX]);
/* Adds CPU time to the cost of a description. */
void jobs_probe_charge(struct jobs_probe *p, uint32_t spec, uint64_t cpu_ns);
void jobs_probe_switch(struct jobs_probe *p, uint32_t spec, enum job_switch how);

/* Returns p's descriptor for epoll, readable when jobs_probe_calls() has work. */
int jobs_probe_fd(const struct jobs_probe *p);
void jobs_probe_calls(struct jobs_probe *p, void (*fn)(void *arg, const struct job_call *call), void *arg);

#endif
