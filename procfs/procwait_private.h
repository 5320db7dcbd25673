/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procwait_private.h - between the files of procwait; nobody else includes it. */
#ifndef CTRACE_PROCFS_PROCWAIT_PRIVATE_H
#define CTRACE_PROCFS_PROCWAIT_PRIVATE_H

#include "procfs/procwait.h"

struct procwait_ctx {
	const struct procwait_tables *t;
	const struct proctask_thread *th;
	const struct proctask_proc *proc;
	struct procwait *w;
};

enum procwait_direction { PROCWAIT_READ = 1, PROCWAIT_WRITE = 2 };

/* Adds a target, each once; beyond the limit the wait becomes open.  0 or -ENOMEM. */
int procwait_add(struct procwait_ctx *c, struct procwait_target target);
/*
 * Everybody who has the object open in the given direction (0: any).  The waiter's own process counts only
 * when nobody else has it: then nobody but its other threads can help.  0 or -ENOMEM.
 */
int procwait_add_holders(struct procwait_ctx *c, enum proctask_kind kind, uint64_t ino, unsigned direction,
			 bool sure, bool owes);

int procwait_futex(struct procwait_ctx *c);
/* One descriptor that the thread reads, writes, or polls (sure: it is the only thing it waits for). */
int procwait_on_fd(struct procwait_ctx *c, int fd, enum procwait_direction dir, bool sure);
int procwait_connect(struct procwait_ctx *c);
int procwait_poll(struct procwait_ctx *c);
int procwait_select(struct procwait_ctx *c);
int procwait_epoll(struct procwait_ctx *c, int fd);
int procwait_file_lock(struct procwait_ctx *c);
/* Waits in the kernel: a file system in user space, or what the stack says. */
int procwait_kernel(struct procwait_ctx *c, enum procwait_class otherwise);

#endif
