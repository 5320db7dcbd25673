/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostns.h - whether we see the machine as its kernel does, or as a container
 * does.  The kernel names tasks by their ids in the initial pid namespace; in
 * another one those ids are other tasks', and all that is looked up by them would
 * be somebody else's.
 */
#ifndef CTRACE_PROCFS_HOSTNS_H
#define CTRACE_PROCFS_HOSTNS_H

enum hostns {
	HOSTNS_PROC = 1,     /* no /proc is mounted */
	HOSTNS_PID = 2,      /* we are in a pid namespace of our own */
	HOSTNS_PROC_PID = 4, /* /proc is that of another pid namespace than ours */
	HOSTNS_USER = 8,     /* our privileges are those of a user namespace only */
	HOSTNS_CGROUP = 16,  /* names of control groups are relative to a container's; all else is right */
};

/* What is not the machine's own: enum hostns, or'ed. */
unsigned hostns_look(void);
/* Why nothing can be recorded, and what to do; NULL when it can. */
const char *hostns_advice(unsigned found);

#endif
