/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procmachine.h - facts about the machine that change how long a program takes. Any thread. */
#ifndef CTRACE_PROCFS_PROCMACHINE_H
#define CTRACE_PROCFS_PROCMACHINE_H

#define PROCMACHINE_MAX 128

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

#endif
