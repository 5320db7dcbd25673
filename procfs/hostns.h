/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostns.h - tells whether this process sees the machine as its kernel does, or as a container
 * does.
 *
 * The kernel names tasks by their ids in the initial pid namespace. In another pid namespace these
 * ids belong to other tasks, so every look-up by them would find the wrong task.
 *
 * These functions do not change namespaces. Any thread may call them.
 */
#ifndef CTRACE_PROCFS_HOSTNS_H
#define CTRACE_PROCFS_HOSTNS_H

enum hostns {
	HOSTNS_PROC = 1,     /* /proc is not mounted */
	HOSTNS_PID = 2,      /* this process is not in the initial pid namespace */
	HOSTNS_PROC_PID = 4, /* /proc belongs to another pid namespace than this process */
	HOSTNS_USER = 8,     /* the privileges of this process hold in its user namespace only */
	/* This process sees the names of control groups relative to its container. Recording is
	 * possible all the same. */
	HOSTNS_CGROUP = 16,
};

/* Returns the differences between the view of this process and the view of the kernel, as bits of
 * enum hostns; 0: there are none. */
unsigned hostns_look(void);
/* found is the result of hostns_look(). Returns a sentence that says why recording is not possible,
 * and what to do. NULL: recording is possible. */
const char *hostns_advice(unsigned found);

#endif
