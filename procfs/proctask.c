/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfs/proctask.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/hash.h"

#define PF_KTHREAD 0x00200000

/* has_rest() reads at most this many bytes. If all are 0, the command line counts as complete. */
#define CMDLINE_ZEROS_MAX 65536

/* Files that stay open for the next reading: the smallest number of a descriptor, and how many at most. */
#define PROCTASK_KEPT_FD  512
#define PROCTASK_OPEN_MAX 16384

static void closedir_p(DIR **d)
{
	if (*d)
		closedir(*d);
}
#define _cleanup_closedir_ _cleanup_(closedir_p)

/* Reads a file of /proc whose whole text one read(2) returns, if it fits (seq_file.c of the kernel,
 * single_open()). */
static ssize_t read_fd(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	buf[n > 0 ? n : 0] = 0;
	return n < 0 ? -errno : n;
}

static ssize_t read_at(int dir_fd, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);

	buf[0] = 0;
	return fd < 0 ? -errno : read_fd(fd, buf, size);
}

static DIR *opendir_at(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static const char *status_field(const char *text, const char *name)
{
	char key[40];
	const char *p;

	snprintf(key, sizeof(key), "\n%s:", name);
	p = strstr(text, key);
	return p ? p + strlen(key) + strspn(p + strlen(key), " \t") : NULL;
}

static uint64_t status_number(const char *text, const char *name)
{
	const char *p = status_field(text, name);

	return p ? strtoull(p, NULL, 10) : 0;
}

static uint64_t count_switches(const char *status)
{
	return status_number(status, "voluntary_ctxt_switches") +
	       status_number(status, "nonvoluntary_ctxt_switches");
}

static uint64_t status_mask(const char *text, const char *name)
{
	const char *p = status_field(text, name);

	return p ? strtoull(p, NULL, 16) : 0;
}

/* Returns the last number of a line such as "NSpid: 1234 56 7", or 0. */
static uint32_t status_innermost(const char *text, const char *name)
{
	const char *p = status_field(text, name);
	uint32_t v = 0;
	char *end;

	while (p && *p && *p != '\n') {
		v = strtoul(p, &end, 10);
		if (end == p)
			break;
		p = end + strspn(end, " \t");
	}
	return v;
}

struct stat_line {
	char comm[16];
	char state;
	uint32_t ppid;
	uint32_t flags;
	uint64_t cpu_ticks, start_ticks;
};

static bool parse_stat(const char *text, struct stat_line *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t user, system;
	size_t n;

	memset(ret, 0, sizeof(*ret));
	if (!open || !close || close < open)
		return false;
	n = MIN((size_t)(close - open - 1), sizeof(ret->comm) - 1);
	memcpy(ret->comm, open + 1, n);
	/* state ppid pgrp session tty tpgid flags ... utime stime ... starttime, the 22nd field */
	if (sscanf(close + 1,
		   " %c %" SCNu32 " %*d %*d %*d %*d %" SCNu32 " %*u %*u %*u %*u %" SCNu64 " %" SCNu64
		   " %*d %*d %*d %*d %*d %*d %" SCNu64,
		   &ret->state, &ret->ppid, &ret->flags, &user, &system, &ret->start_ticks) != 6)
		return false;
	ret->cpu_ticks = user + system;
	return true;
}

static void parse_syscall(const char *text, struct proctask_thread *th)
{
	char *end;
	long nr;

	if (!strncmp(text, "running", 7)) {
		th->nr = PROCTASK_NR_RUNNING;
		return;
	}
	nr = strtol(text, &end, 10);
	if (end == text)
		return;
	th->nr = nr < 0 ? PROCTASK_NR_NONE : (int)nr;
	for (size_t i = 0; nr >= 0 && i < ARRAY_SIZE(th->args); i++)
		th->args[i] = strtoull(end, &end, 16);
}

static bool read_status(int fd, struct proctask_proc *p, struct proctask_thread *th)
{
	char buf[4096];

	if (read_at(fd, "status", buf, sizeof(buf)) <= 0)
		return false;
	th->tracer = status_number(buf, "TracerPid");
	th->switches = count_switches(buf);
	th->ns_tid = status_innermost(buf, "NSpid");
	p->handlers = status_mask(buf, "SigCgt");
	return true;
}

struct reading {
	struct proctask *before, *t;
	int root;    /* /proc */
	int kept_fd; /* the files that stay open have at least this number */
	uint32_t max_open;
};

static void file_close(struct proctask *t, int *fd)
{
	if (!*fd)
		return;
	close(*fd);
	*fd = 0;
	t->n_open--;
}

/* Leaves the file open for the next reading under another number, or closes it. */
static void file_keep(const struct reading *r, int fd, int *kept)
{
	int to = -1;

	if (r->before && r->t->n_open < r->max_open)
		to = fcntl(fd, F_DUPFD_CLOEXEC, r->kept_fd);
	close(fd);
	if (to < 0)
		return;
	*kept = to;
	r->t->n_open++;
}

static void file_take(const struct reading *r, int *from, int *to)
{
	if (!*from)
		return;
	*to = *from;
	*from = 0;
	r->before->n_open--;
	r->t->n_open++;
}

/* Reads the file, which may be open already. Returns what read_fd() returns, or -errno of openat(2). */
static ssize_t file_read(const struct reading *r, int dir_fd, const char *path, int *kept, char *buf,
			 size_t size)
{
	ssize_t n;
	int fd;

	buf[0] = 0;
	if (*kept)
		return read_fd(*kept, buf, size);
	fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read_fd(fd, buf, size);
	file_keep(r, fd, kept);
	return n;
}

/* Returns false if the thread has ended. */
static bool read_sched(const struct reading *r, int fd, struct proctask_thread *th)
{
	char buf[128];
	ssize_t n = file_read(r, fd, "schedstat", &th->sched_fd, buf, sizeof(buf));

	if (n <= 0 ||
	    sscanf(buf, "%" SCNu64 " %" SCNu64 " %" SCNu64, &th->sched[0], &th->sched[1], &th->sched[2]) != 3)
		memset(th->sched, 0, sizeof(th->sched));
	return n != -ESRCH;
}

static void read_syscall(const struct reading *r, int fd, struct proctask_proc *p, struct proctask_thread *th)
{
	char buf[256];

	if (p->kthread || th->state == 'Z' ||
	    file_read(r, fd, "syscall", &th->call_fd, buf, sizeof(buf)) <= 0)
		return;
	parse_syscall(buf, th);
	p->syscalls_seen = true;
}

/* Returns false if the thread has ended. */
static bool read_all(const struct reading *r, int fd, struct proctask_proc *p, struct proctask_thread *th)
{
	char buf[4096];
	struct stat_line s;

	/* The count of switches is read first, so that proctask_moved() sees each later run. */
	if (!read_status(fd, p, th) || read_at(fd, "stat", buf, sizeof(buf)) <= 0 || !parse_stat(buf, &s))
		return false;
	memcpy(th->comm, s.comm, sizeof(th->comm));
	th->state = s.state;
	if (s.flags & PF_KTHREAD) {
		p->kthread = true;
	} else {
		th->queued_ns = th->sched[1];
		/* The kernel may be built without the accounting of schedstat. */
		th->cpu_ns = th->sched[0] ?: s.cpu_ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	}
	if (th->tid == p->pid) {
		p->ns_pid = th->ns_tid;
		p->ppid = s.ppid;
		p->start_ticks = s.start_ticks;
		p->zombie = s.state == 'Z';
	}
	read_syscall(r, fd, p, th);
	return true;
}

static struct proctask_thread *known_thread(const struct reading *r, const struct proctask_proc *p,
					    uint32_t tid)
{
	struct proctask_thread *old;
	uint64_t i;

	if (!r->before || !map_get(&r->before->tids, tid, &i))
		return NULL;
	old = &r->before->threads.v[i];
	return r->before->procs.v[old->proc].pid == p->pid ? old : NULL;
}

static bool has_run(const struct proctask_thread *old, const struct proctask_thread *th)
{
	return !th->sched[2] || memcmp(old->sched, th->sched, sizeof(th->sched)) || old->state == 'R';
}

static int open_thread(const struct reading *r, const struct proctask_proc *p, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "%u/task/%u", p->pid, tid);
	return openat(r->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Takes what `before` has of the thread, except its system call. Returns false if the thread has run since
 * then, or runs, or waits for a CPU. *fd: its directory, or -1: not open yet. */
static bool read_changes(const struct reading *r, int *fd, const struct proctask_thread *old,
			 struct proctask_proc *p, struct proctask_thread *th)
{
	const struct proctask_proc *was = old ? &r->before->procs.v[old->proc] : NULL;
	struct proctask_thread now;

	if (!was || has_run(old, th))
		return false;
	now = *old;
	now.proc = th->proc;
	now.sched_fd = th->sched_fd;
	now.call_fd = th->call_fd;
	now.nr = PROCTASK_NR_UNKNOWN;
	memset(now.args, 0, sizeof(now.args));
	p->kthread |= was->kthread;
	if (*fd < 0 && !p->kthread && !now.call_fd)
		*fd = open_thread(r, p, th->tid);
	read_syscall(r, *fd, p, &now);
	th->call_fd = now.call_fd;
	if (now.nr == PROCTASK_NR_RUNNING)
		return false;
	if (th->tid == p->pid) {
		p->ns_pid = was->ns_pid;
		p->ppid = was->ppid;
		p->start_ticks = was->start_ticks;
		p->zombie = was->zombie;
	}
	*th = now;
	return true;
}

static bool read_one(const struct reading *r, struct proctask_proc *p, struct proctask_thread *th,
		     bool *still)
{
	struct proctask_thread *old = known_thread(r, p, th->tid);
	_cleanup_close_ int fd = -1;

	if (old) {
		file_take(r, &old->sched_fd, &th->sched_fd);
		file_take(r, &old->call_fd, &th->call_fd);
	}
	if (!th->sched_fd)
		fd = open_thread(r, p, th->tid);
	if ((!th->sched_fd && fd < 0) || !read_sched(r, fd, th))
		return false;
	if (read_changes(r, &fd, old, p, th))
		return true;
	*still = false;
	if (fd < 0)
		fd = open_thread(r, p, th->tid);
	return fd >= 0 && read_all(r, fd, p, th);
}

/* Returns 1 if the thread was added, 0 if it has ended, or -ENOMEM. Clears *still if the thread is new, or
 * has run since `before`. */
static int read_thread(const struct reading *r, struct proctask_proc *p, uint32_t tid, bool *still)
{
	struct proctask_thread th = { .tid = tid, .proc = r->t->procs.n, .nr = PROCTASK_NR_UNKNOWN };
	int e;

	if (!read_one(r, p, &th, still)) {
		file_close(r->t, &th.sched_fd);
		file_close(r->t, &th.call_fd);
		return 0;
	}
	if (VEC_PUSH(&r->t->threads, th) < 0) {
		file_close(r->t, &th.sched_fd);
		file_close(r->t, &th.call_fd);
		return -ENOMEM;
	}
	e = map_set(&r->t->tids, th.tid, r->t->threads.n - 1);
	return e < 0 ? e : 1;
}

uint64_t proctask_name_hash(const char *name)
{
	return hash_text(HASH_START, name);
}

static void classify(struct proctask_fd *f)
{
	static const struct {
		const char *name;
		enum proctask_kind kind;
	} anon[] = {
		{ "[eventfd]", PROCTASK_EVENTFD }, { "[eventpoll]", PROCTASK_EPOLL },
		{ "[timerfd]", PROCTASK_TIMERFD }, { "[signalfd]", PROCTASK_SIGNALFD },
		{ "inotify", PROCTASK_INOTIFY },   { "[pidfd]", PROCTASK_PIDFD },
	};

	f->kind = PROCTASK_PATH;
	if (sscanf(f->name, "socket:[%" SCNu64 "]", &f->ino) == 1) {
		f->kind = PROCTASK_SOCKET;
		return;
	}
	if (sscanf(f->name, "pipe:[%" SCNu64 "]", &f->ino) == 1) {
		f->kind = PROCTASK_PIPE;
		return;
	}
	f->ino = proctask_name_hash(f->name);
	if (strncmp(f->name, "anon_inode:", 11))
		return;
	f->kind = PROCTASK_ANON;
	for (size_t i = 0; i < ARRAY_SIZE(anon); i++)
		if (!strcmp(f->name + 11, anon[i].name))
			f->kind = anon[i].kind;
}

static int fd_compare(const void *a, const void *b)
{
	const struct proctask_fd *x = a, *y = b;

	return x->fd < y->fd ? -1 : x->fd > y->fd;
}

/* Of ctrace itself, leaves out the files that stay open for the next reading. */
static int read_fds(const struct reading *r, struct proctask_proc *p, int proc_fd)
{
	int end = p->pid == (uint32_t)getpid() && r->before ? r->kept_fd : INT_MAX;
	struct proctask *t = r->t;
	_cleanup_closedir_ DIR *d = opendir_at(proc_fd, "fd");
	char link[PATH_MAX];
	struct dirent *e;

	p->first_fd = t->fds.n;
	if (!d)
		return 0;
	p->fds_seen = true;
	while ((e = readdir(d))) {
		struct proctask_fd f = { .proc = t->procs.n };
		ssize_t n;

		if (!isdigit((unsigned char)e->d_name[0]) || atoi(e->d_name) >= end)
			continue;
		n = readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);
		if (n < 0 && errno == EACCES)
			break; /* none of them may be read */
		if (n < 0)
			continue;
		link[n] = 0;
		f.fd = atoi(e->d_name);
		f.name = strdup(link);
		if (!f.name)
			return -ENOMEM;
		classify(&f);
		if (VEC_PUSH(&t->fds, f) < 0) {
			free(f.name);
			return -ENOMEM;
		}
		p->n_fds++;
	}
	if (p->n_fds)
		qsort(t->fds.v + p->first_fd, p->n_fds, sizeof(*t->fds.v), fd_compare);
	return 0;
}

static uint64_t read_ns(int proc_fd, const char *path)
{
	char link[64];
	ssize_t n = readlinkat(proc_fd, path, link, sizeof(link) - 1);
	const char *p;

	if (n < 0)
		return 0;
	link[n] = 0;
	p = strchr(link, '[');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

/* Takes the descriptors, namespaces and signal handlers that the process had in `before`. */
static int keep_proc(const struct proctask *before, const struct proctask_proc *was, struct proctask *t,
		     struct proctask_proc *p)
{
	p->netns = was->netns;
	p->pidns = was->pidns;
	p->handlers = was->handlers;
	p->fds_seen = was->fds_seen;
	p->first_fd = t->fds.n;
	for (uint32_t i = 0; i < was->n_fds; i++) {
		struct proctask_fd f = before->fds.v[was->first_fd + i];

		f.proc = t->procs.n;
		f.name = strdup(f.name);
		if (!f.name || VEC_PUSH(&t->fds, f) < 0) {
			free(f.name);
			return -ENOMEM;
		}
		p->n_fds++;
	}
	return 0;
}

static int read_user_proc(const struct reading *r, struct proctask_proc *p, int fd)
{
	p->netns = read_ns(fd, "ns/net");
	p->pidns = read_ns(fd, "ns/pid");
	return read_fds(r, p, fd);
}

/* A thread of the kernel is the only one of its process. The directory of other threads has a link for each
 * of them. */
static bool has_same_number(const struct reading *r, struct proctask_proc *was, struct proctask_proc *p)
{
	struct stat st;

	if (was->kthread)
		return true;
	file_take(r, &was->task_fd, &p->task_fd);
	p->task_links = was->task_links;
	return p->task_fd && !fstat(p->task_fd, &st) && st.st_nlink == p->task_links;
}

/* Reads the threads that the process had in `before`. Returns 1 if it has no others, 0 if it may have, or
 * -ENOMEM. */
static int read_known(const struct reading *r, struct proctask_proc *was, struct proctask_proc *p,
		      bool *still)
{
	int n = 0;

	if (!was || !has_same_number(r, was, p))
		return 0;
	for (uint32_t i = 0; i < was->n_threads; i++) {
		n = read_thread(r, p, r->before->threads.v[was->first_thread + i].tid, still);
		if (n < 0)
			return n;
		p->n_threads += n;
	}
	return p->n_threads == was->n_threads;
}

static int read_unknown(const struct reading *r, struct proctask_proc *p, bool *still)
{
	_cleanup_closedir_ DIR *d = NULL;
	struct dirent *e;
	char path[64];
	struct stat st;
	int n;

	snprintf(path, sizeof(path), "%u/task", p->pid);
	d = opendir_at(r->root, path);
	/* Links are counted first: a thread that is new then makes the next reading look again. */
	if (!d || fstat(dirfd(d), &st))
		return 0;
	while ((e = readdir(d))) {
		uint32_t tid = strtoul(e->d_name, NULL, 10);

		if (!tid || map_get(&r->t->tids, tid, NULL))
			continue;
		n = read_thread(r, p, tid, still);
		if (n < 0)
			return n;
		p->n_threads += n;
	}
	file_close(r->t, &p->task_fd);
	n = p->kthread || !r->before ? -1 : fcntl(dirfd(d), F_DUPFD_CLOEXEC, 0);
	if (n >= 0)
		file_keep(r, n, &p->task_fd);
	p->task_links = st.st_nlink;
	return 0;
}

/* Reads what is left, after the threads. still: no thread has run since `before`. */
static int read_rest(const struct reading *r, const struct proctask_proc *was, struct proctask_proc *p,
		     bool still)
{
	_cleanup_close_ int fd = -1;
	char name[16];

	if (p->kthread)
		return 0;
	if (was && was->n_threads == p->n_threads && still)
		return keep_proc(r->before, was, r->t, p);
	snprintf(name, sizeof(name), "%u", p->pid);
	fd = openat(r->root, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? 0 : read_user_proc(r, p, fd);
}

static int read_proc(const struct reading *r, uint32_t pid)
{
	struct proctask_proc p = { .pid = pid, .first_thread = r->t->threads.n }, *was = NULL;
	bool still = true;
	uint64_t at;
	int e;

	if (r->before && map_get(&r->before->pids, pid, &at))
		was = &r->before->procs.v[at];
	e = read_known(r, was, &p, &still);
	if (!e)
		e = read_unknown(r, &p, &still);
	if (e >= 0 && p.n_threads)
		e = read_rest(r, was, &p, still);
	if (e < 0 || !p.n_threads) {
		file_close(r->t, &p.task_fd);
		return MIN(e, 0);
	}
	if (!p.kthread && !p.zombie && (!p.fds_seen || !p.syscalls_seen))
		r->t->unseen_cnt++;
	if (VEC_PUSH(&r->t->procs, p)) {
		file_close(r->t, &p.task_fd);
		return -ENOMEM;
	}
	return map_set(&r->t->pids, p.pid, r->t->procs.n - 1);
}

static int object_order(const struct proctask_fd *x, const struct proctask_fd *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->ino > y->ino) - (x->ino < y->ino);
}

static int object_compare(const void *a, const void *b, void *arg)
{
	const struct proctask_fd *fds = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return object_order(&fds[x], &fds[y]) ?: (x > y) - (x < y);
}

static void reading_limits(struct reading *r)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return;
	r->kept_fd = (int)MIN(l.rlim_cur / 2, (rlim_t)PROCTASK_KEPT_FD);
	r->max_open = (uint32_t)MIN(l.rlim_cur - (rlim_t)r->kept_fd, (rlim_t)PROCTASK_OPEN_MAX);
}

int proctask_read(struct proctask *before, struct proctask *ret)
{
	_cleanup_closedir_ DIR *d = opendir("/proc");
	struct proctask t = { 0 };
	struct reading reading = { .before = before, .t = &t };
	struct dirent *e;
	int r = 0;

	if (!d)
		return -errno;
	reading.root = dirfd(d);
	reading_limits(&reading);
	while (!r && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			r = read_proc(&reading, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (!r && !(t.by_object = calloc(t.fds.n + 1, sizeof(*t.by_object))))
		r = -ENOMEM;
	if (r < 0) {
		proctask_done(&t);
		return r;
	}
	for (size_t i = 0; i < t.fds.n; i++)
		t.by_object[i] = i;
	if (t.fds.n)
		qsort_r(t.by_object, t.fds.n, sizeof(*t.by_object), object_compare, t.fds.v);
	*ret = t;
	return 0;
}

void proctask_done(struct proctask *t)
{
	for (size_t i = 0; i < t->threads.n; i++) {
		file_close(t, &t->threads.v[i].sched_fd);
		file_close(t, &t->threads.v[i].call_fd);
	}
	for (size_t i = 0; i < t->procs.n; i++)
		file_close(t, &t->procs.v[i].task_fd);
	for (size_t i = 0; i < t->fds.n; i++)
		free(t->fds.v[i].name);
	VEC_FREE(&t->fds);
	VEC_FREE(&t->procs);
	VEC_FREE(&t->threads);
	free(t->by_object);
	t->by_object = NULL;
	map_done(&t->tids);
	map_done(&t->pids);
}

const struct proctask_thread *proctask_by_tid(const struct proctask *t, uint32_t tid)
{
	uint64_t i;

	return map_get(&t->tids, tid, &i) ? &t->threads.v[i] : NULL;
}

const struct proctask_proc *proctask_by_pid(const struct proctask *t, uint32_t pid)
{
	uint64_t i;

	return map_get(&t->pids, pid, &i) ? &t->procs.v[i] : NULL;
}

const struct proctask_fd *proctask_fd(const struct proctask *t, const struct proctask_proc *p, int fd)
{
	struct proctask_fd key = { .fd = fd };

	return p->n_fds ? bsearch(&key, t->fds.v + p->first_fd, p->n_fds, sizeof(key), fd_compare) : NULL;
}

size_t proctask_holders(const struct proctask *t, enum proctask_kind kind, uint64_t ino, size_t *ret_first)
{
	const struct proctask_fd *fds = t->fds.v, key = { .kind = kind, .ino = ino };
	const uint32_t *at = t->by_object;
	size_t first = BISECT(i, 0, t->fds.n, object_order(&fds[at[i]], &key) >= 0), n = 0;

	while (first + n < t->fds.n && !object_order(&fds[at[first + n]], &key))
		n++;
	*ret_first = first;
	return n;
}

unsigned proctask_fd_mode(const struct proctask *t, const struct proctask_fd *f)
{
	char path[64];
	struct stat st;

	/* The permission bits of the link say how the file was opened. */
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", t->procs.v[f->proc].pid, f->fd);
	if (lstat(path, &st) < 0)
		return 0;
	return (st.st_mode & 0400 ? 1 : 0) | (st.st_mode & 0200 ? 2 : 0);
}

bool proctask_moved(const struct proctask *t, const struct proctask_thread *th)
{
	char path[64], buf[4096];
	uint64_t got;

	/* While a thread waits, the number in schedstat shows each later run, and is faster to read. */
	if (th->sched_fd && th->sched[2] && th->state != 'R')
		return read_fd(th->sched_fd, buf, sizeof(buf)) <= 0 ||
		       sscanf(buf, "%*u %*u %" SCNu64, &got) != 1 || got != th->sched[2];
	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", t->procs.v[th->proc].pid, th->tid);
	return read_at(AT_FDCWD, path, buf, sizeof(buf)) <= 0 || count_switches(buf) != th->switches;
}

bool proctask_memory(const struct proctask_proc *p, uint64_t addr, void *buf, size_t size)
{
	struct iovec local = { buf, size }, remote = { (void *)(uintptr_t)addr, size };

	return process_vm_readv(p->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool proctask_fdinfo(const struct proctask_proc *p, int fd, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%d", p->pid, fd);
	return read_at(AT_FDCWD, path, buf, size) > 0;
}

void proctask_where(const struct proctask *t, const struct proctask_thread *th, char *buf, size_t size)
{
	char path[64], text[4096];
	size_t used = 0;

	buf[0] = 0;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stack", t->procs.v[th->proc].pid, th->tid);
	if (read_at(AT_FDCWD, path, text, sizeof(text)) > 0) {
		/* a line is "[<0>] function+0x12/0x34" */
		for (char *save, *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			char *fn = strchr(line, ' ');

			if (!fn || used >= size)
				continue;
			fn[1 + strcspn(fn + 1, "+")] = 0;
			used += snprintf(buf + used, size - used, "%s%s", used ? " < " : "", fn + 1);
		}
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/task/%u/wchan", t->procs.v[th->proc].pid, th->tid);
	if (read_at(AT_FDCWD, path, text, sizeof(text)) > 0 && strcmp(text, "0"))
		snprintf(buf, size, "%s", text);
}

bool proctask_cgroup(uint32_t pid, char *path, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	char name[32];

	path[0] = 0;
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/cgroup", pid);
	f = fopen(name, "re");
	/* Lines are "12:memory:/path". The last one, "0::/path", is of cgroup version 2. */
	while (f && getline(&line, &cap, f) > 0) {
		const char *colon = strchr(line, ':'), *at = colon ? strchr(colon + 1, ':') : NULL;

		if (!at || at[1] != '/')
			continue;
		line[strcspn(line, "\n")] = 0;
		if (at[2] || !path[0])
			snprintf(path, size, "%s", at + 1);
	}
	return path[0];
}

/* Returns true if one of the next CMDLINE_ZEROS_MAX bytes of f is not 0. Zeros do not count, because a
 * program may have padded its command line with them. */
static bool has_rest(FILE *f)
{
	int c = 0;

	for (unsigned i = 0; i < CMDLINE_ZEROS_MAX && !c; i++)
		c = fgetc(f);
	return c > 0;
}

bool proctask_cmdline(uint32_t pid, char *text, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	char name[32];
	bool cut;
	size_t n;

	text[0] = 0;
	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/cmdline", pid);
	f = fopen(name, "re");
	if (!f)
		return false;
	n = fread(text, 1, size - 1, f);
	cut = n == size - 1 && has_rest(f);
	while (n && !text[n - 1])
		n--;
	if (cut)
		n = MIN(n, size - sizeof(" ..."));
	for (size_t i = 0; i < n; i++)
		if (!text[i] || text[i] == '\n' || text[i] == '\t')
			text[i] = ' ';
	snprintf(text + n, size - n, "%s", cut ? " ..." : "");
	return n || cut;
}

bool proctask_executes(uint32_t pid, const char *path)
{
	char link[64], program[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	n = readlink(link, program, sizeof(program) - 1);
	if (n < 0)
		return false;
	program[n] = 0;
	return !strcmp(program, path);
}
