/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proctask.h - the tasks of the machine as /proc shows them now: the system call of each thread, and the
 * open descriptors of each process.
 *
 * /proc is not read in one instant: a task may go on while others are read. proctask_moved() tells
 * afterwards whether a thread went on. If the system calls or descriptors of a process may not be
 * read (the caller is not root, and the process belongs to another user), they are missing, and
 * unseen_cnt counts the process. Ids are those of the caller's pid namespace.
 *
 * These functions do not say what a thread waits for: procwait.h does. One thread at a time for each
 * struct proctask.
 */
#ifndef CTRACE_PROCFS_PROCTASK_H
#define CTRACE_PROCFS_PROCTASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/map.h"
#include "lib/vec.h"

enum proctask_kind {
	PROCTASK_PATH, /* a file, device, named pipe, ...: see name */
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
	uint64_t ino;  /* SOCKET, PIPE: inode number; else a hash of the name */
	char *name;    /* the text of the link in /proc/PID/fd */
};

enum { PROCTASK_NR_RUNNING = -2, PROCTASK_NR_NONE = -1, PROCTASK_NR_UNKNOWN = -3 };

struct proctask_thread {
	uint32_t tid;
	uint32_t ns_tid; /* the thread's number in its own pid namespace */
	uint32_t proc;   /* index in procs */
	uint32_t tracer; /* tid of the task that traces the thread (ptrace); 0: none */
	char comm[16];
	char state;        /* as in /proc/PID/stat */
	int nr;            /* system call, or PROCTASK_NR_* */
	uint64_t args[6];  /* arguments of the system call */
	uint64_t switches; /* context switches so far */
};

struct proctask_proc {
	uint32_t pid, ppid;
	uint32_t ns_pid;
	uint64_t netns, pidns; /* inode numbers, 0: not known */
	uint64_t start_ticks;
	uint64_t handlers;                /* bit n: there is a handler for signal n + 1 */
	uint32_t first_thread, n_threads; /* the threads of the process: a range of `threads` */
	/* the descriptors of the process: a range of `fds`, sorted by descriptor */
	uint32_t first_fd, n_fds;
	bool kthread;
	bool fds_seen;      /* its descriptors could be read */
	bool syscalls_seen; /* the system call of at least one of its threads could be read */
};

struct proctask {
	VEC(struct proctask_proc) procs;
	VEC(struct proctask_thread) threads;
	VEC(struct proctask_fd) fds;
	uint32_t *by_object; /* indices in fds, by kind and ino */
	struct map tids;     /* tid -> index in threads */
	struct map pids;     /* pid -> index in procs */
	uint32_t unseen_cnt; /* processes whose descriptors or system calls could not be read */
};

/*
 * Reads all tasks and descriptors. Returns 0, or -ENOMEM, or another -errno if /proc cannot be
 * read. proctask_done() accepts a structure that is zeroed or half-built.
 */
int proctask_read(struct proctask *ret);
void proctask_done(struct proctask *t);

/* The next three functions look up a thread, a process or a descriptor in t. NULL: t does not have
 * it. */
const struct proctask_thread *proctask_by_tid(const struct proctask *t, uint32_t tid);
const struct proctask_proc *proctask_by_pid(const struct proctask *t, uint32_t pid);
const struct proctask_fd *proctask_fd(const struct proctask *t, const struct proctask_proc *p, int fd);
/* Finds all descriptors of the object with this kind and ino. Returns how many there are. Their
 * indices in fds are t->by_object[*ret_first] and the entries after it. */
size_t proctask_holders(const struct proctask *t, enum proctask_kind kind, uint64_t ino, size_t *ret_first);
/* Returns the proctask_fd.ino of an object that is no socket and no pipe, by its name. */
uint64_t proctask_name_hash(const char *name);

/*
 * Writes the path of the control group of a process in the hierarchy of version 2. If the process
 * is in the root of that hierarchy, and a hierarchy of version 1 has the process in a control
 * group, writes the path of that group instead. False: the process has gone, and path is "".
 */
bool proctask_cgroup(uint32_t pid, char *path, size_t size);

/* Returns for what a descriptor was opened: 1 for reading, 2 for writing, 3 for both. 0: the
 * descriptor is closed by now. */
unsigned proctask_fd_mode(const struct proctask *t, const struct proctask_fd *f);
/* True: the thread has run or has ended since it was read. */
bool proctask_moved(const struct proctask *t, const struct proctask_thread *th);
/* Copies size bytes at addr in the memory of a process to buf. True: all bytes could be read. */
bool proctask_memory(const struct proctask_proc *p, uint64_t addr, void *buf, size_t size);
/* Reads /proc/PID/fdinfo/FD as text, 0-terminated. False: the file cannot be read. */
bool proctask_fdinfo(const struct proctask_proc *p, int fd, char *buf, size_t size);
/*
 * Writes the kernel functions in which a thread waits, as "inner < outer < ..."; or, if the stack
 * may not be read, the wchan of the thread; or "", if neither may be read.
 */
void proctask_where(const struct proctask *t, const struct proctask_thread *th, char *buf, size_t size);

#endif
