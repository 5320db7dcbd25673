/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proctask.h - the tasks of the machine as /proc shows them at this moment:
 * what each is doing, and which descriptors its process has open.
 *
 * /proc is not read in one instant: a task may move while others are read.
 * proctask_moved() tells afterwards.  What may not be read (other users'
 * processes, for one who is not root) is counted and left out.  Ids are those
 * of the caller's pid namespace.  One thread.
 */
#ifndef CTRACE_PROCFS_PROCTASK_H
#define CTRACE_PROCFS_PROCTASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/map.h"
#include "lib/vec.h"

enum proctask_kind {
	PROCTASK_PATH, /* file, device, named pipe, ...: see name */
	PROCTASK_SOCKET,
	PROCTASK_PIPE,
	PROCTASK_EVENTFD,
	PROCTASK_EPOLL,
	PROCTASK_TIMERFD,
	PROCTASK_SIGNALFD,
	PROCTASK_INOTIFY,
	PROCTASK_PIDFD,
	PROCTASK_ANON, /* another anonymous inode */
};

struct proctask_fd {
	int fd;
	enum proctask_kind kind;
	uint32_t proc; /* index in procs */
	uint64_t ino;  /* SOCKET, PIPE; else a hash of the name */
	char *name;    /* as the link says */
};

enum { PROCTASK_NR_RUNNING = -2, PROCTASK_NR_NONE = -1, PROCTASK_NR_UNKNOWN = -3 };

struct proctask_thread {
	uint32_t tid;
	uint32_t ns_tid; /* in its own pid namespace */
	uint32_t proc;   /* index in procs */
	uint32_t tracer; /* tid, 0: none */
	char comm[16];
	char state;        /* as in /proc/PID/stat */
	int nr;            /* system call, or PROCTASK_NR_* */
	uint64_t args[6];  /* of the system call */
	uint64_t switches; /* context switches so far */
};

struct proctask_proc {
	uint32_t pid, ppid;
	uint32_t ns_pid;
	uint64_t netns, pidns; /* inode numbers, 0: not known */
	uint64_t start_ticks;
	uint64_t handlers;                /* bit n: it has a handler for signal n + 1 */
	uint32_t first_thread, n_threads; /* in threads */
	uint32_t first_fd, n_fds;         /* in fds, by descriptor */
	bool kthread;
	bool fds_seen; /* its descriptors could be read */
	bool syscalls_seen;
};

struct proctask {
	VEC(struct proctask_proc) procs;
	VEC(struct proctask_thread) threads;
	VEC(struct proctask_fd) fds;
	uint32_t *by_object; /* indices in fds, by kind and ino */
	struct map tids;     /* tid -> index in threads */
	struct map pids;     /* pid -> index in procs */
	uint32_t unseen_cnt; /* processes that could not be looked into */
};

/* Reads everything.  0, -ENOMEM, or -errno when /proc itself cannot be read.  proctask_done() accepts a
 * zeroed and a half-built one. */
int proctask_read(struct proctask *ret);
void proctask_done(struct proctask *t);

/* NULL: there is none. */
const struct proctask_thread *proctask_by_tid(const struct proctask *t, uint32_t tid);
const struct proctask_proc *proctask_by_pid(const struct proctask *t, uint32_t pid);
const struct proctask_fd *proctask_fd(const struct proctask *t, const struct proctask_proc *p, int fd);
/* All descriptors of one object: by_object[*ret_first ..], returns how many. */
size_t proctask_holders(const struct proctask *t, enum proctask_kind kind, uint64_t ino, size_t *ret_first);
uint64_t proctask_name_hash(const char *name);

/*
 * The path of the control group that a process is in: in the hierarchy of version 2, or, where it is at the
 * root of that, in one of version 1.  False (and ""): it has gone.
 */
bool proctask_cgroup(uint32_t pid, char *path, size_t size);

/* Whether a descriptor was opened for reading (1), for writing (2): a mask, 0 when it is gone. */
unsigned proctask_fd_mode(const struct proctask *t, const struct proctask_fd *f);
/* Whether the thread has run or gone since it was read. */
bool proctask_moved(const struct proctask *t, const struct proctask_thread *th);
/* Copies memory of a process: true when all of it could be read. */
bool proctask_memory(const struct proctask_proc *p, uint64_t addr, void *buf, size_t size);
/* Text of /proc/PID/fdinfo/FD, 0-terminated; false when it cannot be read. */
bool proctask_fdinfo(const struct proctask_proc *p, int fd, char *buf, size_t size);
/* The kernel functions in which a thread waits, "inner < outer < ...", or its wchan, or "" when neither may
 * be read. */
void proctask_where(const struct proctask *t, const struct proctask_thread *th, char *buf, size_t size);

#endif
