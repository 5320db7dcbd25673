/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procmachine.h - facts about the machine that change how long a program takes. Any thread. */
#ifndef CTRACE_PROCFS_PROCMACHINE_H
#define CTRACE_PROCFS_PROCMACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCMACHINE_MAX      128
#define PROCMACHINE_CPUS_MAX 8192

/* An empty text means that the fact is not known. */
struct procmachine {
	char model[PROCMACHINE_MAX];    /* the model of the CPU */
	char governor[PROCMACHINE_MAX]; /* the cpufreq governor of the first CPU */
	/* the smallest limits of the caller's control group and of the groups above it:
	 * "cpu 2.00, memory 512 MiB", or "none" */
	char limits[PROCMACHINE_MAX];
};

/* Reads the facts from /proc and /sys below root ("": the machine). */
void procmachine_read(const char *root, struct procmachine *ret);
/* Writes the limits of a process in the words of procmachine.limits. "": not known. Returns true if
 * the control groups are of version 2. In version 1, an exiting process has no limits ("none"). */
bool procmachine_limits(const char *root, pid_t pid, char ret[PROCMACHINE_MAX]);
/* A CPU quota: the tasks of a control group, and of the groups below it, may run for quota_us in each period.
 */
struct procmachine_quota {
	char group[PATH_MAX]; /* the path in its hierarchy: "/a/b" */
	uint64_t quota_us;
	uint32_t period_us;
};
/*
 * Finds the CPU quota that holds up the task tid: of its control group and the groups above it, the one with
 * the smallest share of a CPU. Groups that were never throttled count only if no other group has a quota.
 * Returns false if there is no quota, or it cannot be read.
 */
bool procmachine_quota(const char *root, pid_t tid, struct procmachine_quota *ret);
struct procmachine_memory {
	char group[PATH_MAX];
	uint64_t limit_bytes;
	uint32_t used_percent;
};
/* Finds the memory limit that the task tid has used up most: that of its control group, or of a group above
 * it. Returns false if there is no limit, or it cannot be read. */
bool procmachine_memory(const char *root, pid_t tid, struct procmachine_memory *ret);
/* Returns the number of CPUs that the main thread of a process may use; 0: not known. pid 0: the
 * calling thread. A zombie has this number too. */
unsigned procmachine_cpus(pid_t pid);

#endif
