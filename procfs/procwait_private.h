/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procwait_private.h - functions that the files procwait*.c share. Several threads may call them, but each
 * with a procwait_ctx and a struct procwait of its own. */
#ifndef CTRACE_PROCFS_PROCWAIT_PRIVATE_H
#define CTRACE_PROCFS_PROCWAIT_PRIVATE_H

#include "procfs/procwait.h"

#define ANCESTORS_MAX 64

struct procwait_ctx {
	const struct procwait_tables *t;
	const struct proctask_thread *th;
	const struct proctask_proc *proc;
	struct procwait *w;
};

enum procwait_direction { PROCWAIT_READ = 1, PROCWAIT_WRITE = 2 };

/* Adds a target, unless it is there already. If the list is full, sets procwait.open instead.
 * Returns 0 or -ENOMEM. */
int procwait_add(struct procwait_ctx *c, struct procwait_target target);
/*
 * Adds each process that has the object open in the given direction (0: in any). Exceptions:
 * - A process only inherited the descriptor from another program, and direction is not 0: sets
 *   procwait.open instead.
 * - The waiter's own process has other threads, which may end the wait: sets procwait.open instead.
 * - The waiter's own process has one thread: adds the waiter, but only if there is no other target.
 *
 * Returns 0 or -ENOMEM.
 */
int procwait_add_holders(struct procwait_ctx *c, enum proctask_kind kind, uint64_t ino, unsigned direction,
			 bool sure, bool owes);

int procwait_futex(struct procwait_ctx *c);
/* `sure`: the thread waits for nothing else. Returns 0 or -ENOMEM. */
int procwait_on_fd(struct procwait_ctx *c, int fd, enum procwait_direction dir, bool sure);
int procwait_connect(struct procwait_ctx *c);
int procwait_poll(struct procwait_ctx *c);
int procwait_select(struct procwait_ctx *c);
int procwait_epoll(struct procwait_ctx *c, int fd);
int procwait_file_lock(struct procwait_ctx *c);
/*
 * If the title of the process says that a session of PostgreSQL waits for a lock of the database, replaces
 * the targets by the other sessions of the server that may own it. No title shows the owner. So idle sessions
 * do not count ("idle in transaction" is not idle), and sessions that wait for a lock count only if no other
 * one does. Returns 1, or 0 if the process is no such session, or -ENOMEM.
 */
int procwait_postgres(struct procwait_ctx *c);
/*
 * Describes a wait in the kernel. For a FUSE file system, adds the processes that have /dev/fuse
 * open: one of them is the server. Any other wait gets the class `otherwise`. If such a wait has no
 * name, it is named after the two innermost functions of the kernel stack. Returns 0 or -ENOMEM.
 */
int procwait_kernel(struct procwait_ctx *c, enum procwait_class otherwise);

#endif
