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
/* The limits of a control group that may hold up a task. */
struct procmachine_limit {
	/* The path of the group in its hierarchy ("/a/b"): that of the task, or one above it. "": there is no
	 * such limit, or it cannot be read, or it is not known which of several limits holds the task up. */
	char group[PATH_MAX];
	uint64_t amount;    /* CPU time in us for each period; or memory in bytes */
	uint32_t period_us; /* of a CPU quota */
};
struct procmachine_task {
	/* the only quota above the task; or else the only quota that was ever used up */
	struct procmachine_limit quota;
	struct procmachine_limit memory; /* the smallest limit */
};
void procmachine_task(const char *root, pid_t tid, struct procmachine_task *ret);
/* Returns the number of CPUs that the main thread of a process may use; 0: not known. pid 0: the
 * calling thread. A zombie has this number too. */
unsigned procmachine_cpus(pid_t pid);

#endif
