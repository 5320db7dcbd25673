/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procwait.h - finds what a thread waits for now, and the targets: tasks that can end the wait. At
 * a pipe or socket, the targets are processes with the other end. Does not search for cycles, and
 * stops no task. Several threads may share the tables, but not a struct procwait.
 */
#ifndef CTRACE_PROCFS_PROCWAIT_H
#define CTRACE_PROCFS_PROCWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "procfs/proclocks.h"
#include "procfs/procnet.h"
#include "procfs/proctask.h"

enum procwait_class {
	PROCWAIT_RUN,
	PROCWAIT_WAIT,
	PROCWAIT_IDLE, /* the thread seems to wait for new work: no known task has to act */
	PROCWAIT_TIMER,
	PROCWAIT_DISK, /* uninterruptible in the kernel, or in a read or write of a file */
	PROCWAIT_STOPPED,
	PROCWAIT_EXTERNAL,
	/* the object of the wait was not found, or no task was found that can end the wait */
	PROCWAIT_UNKNOWN,
	PROCWAIT_GONE,
};

struct procwait_target {
	uint32_t id;
	bool is_thread; /* false: id is a process, and any thread of it can end the wait */
	bool sure;      /* the wait is for one known thing, such as a lock that the target owns */
	bool owes;      /* the target has to act next; for example, it owns the lock */
};

#define PROCWAIT_TARGETS_MAX 64
struct procwait {
	enum procwait_class class;
	int nr;
	const char *kind; /* kind of the resource, as in doc/json.md */
	char name[200];
	/* something else than the targets can end the wait too */
	bool open;
	bool loop;                           /* any of several tasks can end the poll */
	VEC(struct procwait_target) targets; /* at most PROCWAIT_TARGETS_MAX, in no order */
};

struct procwait_tables {
	struct proctask tasks;
	struct procnet net;
	struct proclocks locks;
	uint64_t net_ns; /* when `net` was read, monotonic */
};

/* before: an earlier reading, or NULL; see proctask_read(). If its sockets were read less than keep_ns ago,
 * *ret takes them, because to read them costs more than all the rest. Then new ones may be missing, and what is
 * known of their unread bytes is old. If a thread waits for a new one alone, they are read again. Returns 0, -ENOMEM,
 * -ENOTRECOVERABLE as procnet_read(), or -errno if /proc cannot be read. */
int procwait_tables_read(struct procwait_tables *before, uint64_t keep_ns, struct procwait_tables *ret);
void procwait_tables_done(struct procwait_tables *t);

/* Returns 0 or -ENOMEM. The caller calls procwait_done() in both cases. */
int procwait_get(const struct procwait_tables *t, const struct proctask_thread *th, struct procwait *ret);
void procwait_done(struct procwait *w);

#endif
