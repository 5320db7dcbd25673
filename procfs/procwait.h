/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procwait.h - what a thread waits for at this moment, and who can end it, from
 * its system call, its memory and the tables of proctask, procnet and proclocks.
 *
 * Only what can be known from outside is said: the owner of a mutex is taken
 * from glibc's own structure when that is plausible, the other end of a pipe or
 * socket is whoever has it open.  One thread.
 */
#ifndef CTRACE_PROCFS_PROCWAIT_H
#define CTRACE_PROCFS_PROCWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "procfs/proclocks.h"
#include "procfs/procnet.h"
#include "procfs/proctask.h"

enum procwait_class {
	PROCWAIT_RUN,      /* on a CPU, or waits for one */
	PROCWAIT_WAIT,     /* for the targets */
	PROCWAIT_IDLE,     /* for whatever may come: nobody owes it anything that can be named */
	PROCWAIT_TIMER,    /* sleeps for a time */
	PROCWAIT_DISK,     /* uninterruptible in the kernel */
	PROCWAIT_STOPPED,  /* by a signal */
	PROCWAIT_EXTERNAL, /* for another machine */
	PROCWAIT_UNKNOWN,  /* what it waits for could not be seen */
	PROCWAIT_GONE,     /* zombie or dead */
};

struct procwait_target {
	uint32_t id;
	bool is_thread; /* id is a tid; else a process, any thread of which will do */
	bool sure;      /* the wait is for this and nothing else */
	bool owes;      /* it holds something, or has been sent something that it has not read */
};

#define PROCWAIT_TARGETS_MAX 64
struct procwait {
	enum procwait_class class;
	int nr;           /* system call, or PROCTASK_NR_* */
	const char *kind; /* of the resource, as in the JSON contract */
	char name[200];   /* of the resource */
	/* What else can end it is not among the targets. */
	bool open;
	bool loop;                           /* polls several descriptors: it may well be idle */
	VEC(struct procwait_target) targets; /* the likeliest first; at most PROCWAIT_TARGETS_MAX */
};

struct procwait_tables {
	struct proctask tasks;
	struct procnet net;
	struct proclocks locks;
};

/* 0, -ENOMEM, or -errno when /proc cannot be read. */
int procwait_tables_read(struct procwait_tables *ret);
void procwait_tables_done(struct procwait_tables *t);

/* 0 or -ENOMEM.  Free with procwait_done(), also after a failure. */
int procwait_get(const struct procwait_tables *t, const struct proctask_thread *th, struct procwait *ret);
void procwait_done(struct procwait *w);

#endif
