/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostns.h - tells whether this process sees the machine as its kernel does, or as a container
 * does. The kernel names tasks by ids in the initial pid namespace. In another namespace, these ids
 * belong to other tasks. Any thread.
 */
#ifndef CTRACE_PROCFS_HOSTNS_H
#define CTRACE_PROCFS_HOSTNS_H

enum hostns {
	HOSTNS_PROC = 1,
	HOSTNS_PID = 2,
	HOSTNS_PROC_PID = 4, /* /proc belongs to another pid namespace than this process */
	HOSTNS_USER = 8,     /* this process has privileges only in its own user namespace */
	/* Names of control groups are relative to the container. Recording is possible. */
	HOSTNS_CGROUP = 16,
};

/* Returns bits of enum hostns. */
unsigned hostns_look(void);
/* found is from hostns_look(). Returns why recording is not possible, and what to do. NULL: the
 * namespaces allow recording. */
const char *hostns_advice(unsigned found);

#endif
