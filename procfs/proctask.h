/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proctask.h - the tasks of the machine as /proc shows them now: the system call of each thread,
 * and the open descriptors of each process. A task may go on while others are read: see
 * proctask_moved(). System calls and descriptors that the caller may not read are missing, and
 * unseen_cnt counts their processes. Ids are of the caller's pid namespace. One thread at a time for
 * each struct proctask.
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
	PROCTASK_ANON,
};

struct proctask_fd {
	int fd;
	enum proctask_kind kind;
	uint32_t proc;
	uint64_t ino; /* SOCKET, PIPE: inode number; else a hash of the name */
	char *name;
};

enum { PROCTASK_NR_RUNNING = -2, PROCTASK_NR_NONE = -1, PROCTASK_NR_UNKNOWN = -3 };

struct proctask_thread {
	uint32_t tid;
	uint32_t ns_tid; /* tid in the thread's own pid namespace */
	uint32_t proc;
	uint32_t tracer; /* tid of the ptrace tracer; 0: none */
	char comm[16];
	char state;
	int nr; /* system call, or PROCTASK_NR_* */
	uint64_t args[6];
	uint64_t switches;
	/* How long the thread has had a CPU, and has waited for one, since its start. The present run or wait
	 * for a CPU may be missing. 0 for kernel threads. */
	uint64_t cpu_ns, queued_ns;
	/* As in /proc/PID/schedstat: its times on a CPU and in a run queue, in ns, and how often it got a
	 * CPU. All 0: not known. */
	uint64_t sched[3];
	/* Open files of /proc, for the next reading; 0: not open. */
	int sched_fd, call_fd;
};

struct proctask_proc {
	uint32_t pid, ppid;
	uint32_t ns_pid;
	uint64_t netns, pidns; /* 0: not known */
	uint64_t start_ticks;
	uint64_t handlers;                /* bit n: there is a handler for signal n + 1 */
	uint32_t first_thread, n_threads; /* a range of `threads` */
	/* a range of `fds`, sorted by descriptor */
	uint32_t first_fd, n_fds;
	bool kthread;
	bool zombie; /* the main thread has ended */
	bool fds_seen;
	bool syscalls_seen;
	/* The directory of its threads, open for the next reading, and the number of its links; 0: not open.
	 */
	int task_fd;
	uint64_t task_links;
};

struct proctask {
	VEC(struct proctask_proc) procs;
	VEC(struct proctask_thread) threads;
	VEC(struct proctask_fd) fds;
	uint32_t *by_object; /* indices in fds, sorted by kind and ino */
	struct map tids;
	struct map pids;
	uint32_t unseen_cnt;
	uint32_t n_open; /* files that stay open for the next reading */
};

/*
 * before: an earlier reading, or NULL. Its files move to *ret. With `before`, even if it is all zeroes, files
 * of /proc stay open for the next reading: at most a half of what RLIMIT_NOFILE allows. Of a thread that has
 * not run since then, only the system call is read again, and of a process none of whose threads has run, no
 * descriptor. This is much faster. But what other tasks can change about a task that has not run may then be
 * old: its parent, its tracer, its name, the names of its files. If its system call may not be read, a wait
 * for a CPU may be missing. Returns 0, -ENOMEM, or another -errno if /proc cannot be read. proctask_done()
 * accepts a zeroed structure.
 */
int proctask_read(struct proctask *before, struct proctask *ret);
void proctask_done(struct proctask *t);

/* NULL: t has no such thread, process or descriptor. */
const struct proctask_thread *proctask_by_tid(const struct proctask *t, uint32_t tid);
const struct proctask_proc *proctask_by_pid(const struct proctask *t, uint32_t pid);
const struct proctask_fd *proctask_fd(const struct proctask *t, const struct proctask_proc *p, int fd);
/* Returns how many descriptors of the object are open. Their indices in fds stand in t->by_object,
 * from position *ret_first on. */
size_t proctask_holders(const struct proctask *t, enum proctask_kind kind, uint64_t ino, size_t *ret_first);
/* Returns the hash of a descriptor's name. Descriptors other than sockets and pipes have this hash in
 * proctask_fd.ino. */
uint64_t proctask_name_hash(const char *name);

/*
 * Writes the path of the control group in the hierarchy of version 2. If this path is missing or
 * "/", looks for a path of version 1. If there is no path at all, writes "", and returns false.
 */
bool proctask_cgroup(uint32_t pid, char *path, size_t size);

/* Writes the arguments of the process with a space between them. " ..." ends a text that does not
 * fit. size: at least 5. Returns false if the process has no arguments, or has gone. */
bool proctask_cmdline(uint32_t pid, char *text, size_t size);

/* Returns what the descriptor is open for: 1 reading, 2 writing, 3 both, 0 neither (O_PATH, or
 * closed by now). */
unsigned proctask_fd_mode(const struct proctask *t, const struct proctask_fd *f);
/* Returns true if the thread has made a context switch, or has ended, since proctask_read(). */
bool proctask_moved(const struct proctask *t, const struct proctask_thread *th);
bool proctask_memory(const struct proctask_proc *p, uint64_t addr, void *buf, size_t size);
bool proctask_fdinfo(const struct proctask_proc *p, int fd, char *buf, size_t size);
/*
 * Writes the kernel functions in which a thread waits, as "inner < outer < ...". If the stack may
 * not be read, writes the wchan, or "".
 */
void proctask_where(const struct proctask *t, const struct proctask_thread *th, char *buf, size_t size);

/* Returns true if the process executes the program with this path, as /proc/PID/exe shows it. Does not touch
 * the file of the program: it may be on a server that does not answer. */
bool proctask_executes(uint32_t pid, const char *path);

#endif
