/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procwait.h - finds what a thread waits for now, and which tasks can end the wait. The sources are
 * the system call and the memory of the thread, and the tables of proctask, procnet and proclocks.
 *
 * These functions say only what can be known from outside the thread. The owner of a mutex comes
 * from glibc's own structure, if the structure is plausible. If a thread waits at a pipe or socket,
 * the targets are all processes that have the other end open.
 *
 * These functions do not search for cycles, and stop no task. They only read the tables, so several
 * threads may use the same tables at one time. Only one thread at a time may use a struct procwait.
 */
#ifndef CTRACE_PROCFS_PROCWAIT_H
#define CTRACE_PROCFS_PROCWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "procfs/proclocks.h"
#include "procfs/procnet.h"
#include "procfs/proctask.h"

enum procwait_class {
	PROCWAIT_RUN,      /* the thread is on a CPU, or runnable */
	PROCWAIT_WAIT,     /* waits for the tasks in procwait.targets */
	PROCWAIT_IDLE,     /* idle: no known task owes the thread anything */
	PROCWAIT_TIMER,    /* sleeps until a time */
	PROCWAIT_DISK,     /* uninterruptible in the kernel */
	PROCWAIT_STOPPED,  /* stopped by a signal */
	PROCWAIT_EXTERNAL, /* waits for another machine */
	/* the thread waits, but the object of the wait, or a task that can end the wait, could not
	 * be found */
	PROCWAIT_UNKNOWN,
	PROCWAIT_GONE, /* zombie or dead */
};

struct procwait_target {
	uint32_t id;
	bool is_thread; /* id is a tid; otherwise id is a process, any thread of which can end the wait */
	bool sure;      /* the thread waits for this target or for another sure target, and for
			 * nothing else */
	bool owes;      /* the target has to act next: for example, the target owns the lock, or has
			 * not read the bytes that the thread sent */
};

#define PROCWAIT_TARGETS_MAX 64
struct procwait {
	enum procwait_class class;
	int nr;           /* number of the system call, or PROCTASK_NR_* */
	const char *kind; /* kind of the resource, as in doc/json.md */
	char name[200];   /* name of the resource */
	/* True: something that is not among the targets can end the wait too. */
	bool open;
	bool loop;                           /* the thread polls several descriptors, so it may be idle */
	VEC(struct procwait_target) targets; /* in no order; at most PROCWAIT_TARGETS_MAX */
};

struct procwait_tables {
	struct proctask tasks;
	struct procnet net;
	struct proclocks locks;
};

/* Reads all tables. Returns 0, -ENOMEM, or -errno if /proc cannot be read. */
int procwait_tables_read(struct procwait_tables *ret);
void procwait_tables_done(struct procwait_tables *t);

/* Finds the wait of a thread. Returns 0 or -ENOMEM. The caller calls procwait_done() in both cases. */
int procwait_get(const struct procwait_tables *t, const struct proctask_thread *th, struct procwait *ret);
void procwait_done(struct procwait *w);

#endif
