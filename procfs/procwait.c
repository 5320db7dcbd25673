/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfs/procwait.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "procfs/procwait_private.h"

/* Returns true if a thread waits for a socket that `net` lacks. Does not look at polls of several sockets. */
static bool lacks_awaited(const struct procnet *net, const struct proctask *tasks)
{
	for (size_t i = 0; i < tasks->threads.n; i++) {
		const struct proctask_thread *th = &tasks->threads.v[i];
		const struct proctask_fd *f =
			th->nr >= 0 && th->args[0] <= INT_MAX
				? proctask_fd(tasks, &tasks->procs.v[th->proc], (int)th->args[0])
				: NULL;

		if (f && f->kind == PROCTASK_SOCKET && !procnet_by_ino(net, f->ino))
			return true;
	}
	return false;
}

static int read_net(struct procwait_tables *before, uint64_t keep_ns, struct procwait_tables *t)
{
	t->net_ns = clock_ns(CLOCK_MONOTONIC);
	if (!before || t->net_ns - before->net_ns >= keep_ns || lacks_awaited(&before->net, &t->tasks))
		return procnet_read(&t->tasks, &t->net);
	t->net_ns = before->net_ns;
	t->net = before->net;
	before->net = (struct procnet){ 0 };
	before->net_ns = 0;
	return 0;
}

int procwait_tables_read(struct procwait_tables *before, uint64_t keep_ns, struct procwait_tables *ret)
{
	struct procwait_tables t = { 0 };
	int r = proctask_read(before ? &before->tasks : NULL, &t.tasks);

	if (r >= 0)
		r = read_net(before, keep_ns, &t);
	/* A kernel without file locks has no /proc/locks. */
	if (r >= 0 && proclocks_read(&t.locks) == -ENOMEM)
		r = -ENOMEM;
	if (r < 0) {
		procwait_tables_done(&t);
		return r;
	}
	*ret = t;
	return 0;
}

void procwait_tables_done(struct procwait_tables *t)
{
	proctask_done(&t->tasks);
	procnet_done(&t->net);
	proclocks_done(&t->locks);
}

void procwait_done(struct procwait *w)
{
	VEC_FREE(&w->targets);
}

int procwait_add(struct procwait_ctx *c, struct procwait_target target)
{
	for (size_t i = 0; i < c->w->targets.n; i++)
		if (c->w->targets.v[i].id == target.id && c->w->targets.v[i].is_thread == target.is_thread)
			return 0;
	if (c->w->targets.n >= PROCWAIT_TARGETS_MAX) {
		c->w->open = true;
		return 0;
	}
	return VEC_PUSH(&c->w->targets, target);
}

static unsigned modes_of(const struct proctask *t, uint32_t proc, const uint32_t *fds, size_t n)
{
	unsigned modes = 0;

	for (size_t i = 0; i < n; i++)
		if (t->fds.v[fds[i]].proc == proc)
			modes |= proctask_fd_mode(t, &t->fds.v[fds[i]]);
	return modes;
}

static const char *program(const struct proctask *t, const struct proctask_proc *p)
{
	return p->n_threads ? t->threads.v[p->first_thread].comm : "";
}

/* Returns true if the process only inherited f: an ancestor with another program has the same
 * descriptor. Descriptors 0 to 2 do not count. An ancestor with both ends of a pipe does not count
 * either, because a program such as make means the pipe for its children. */
static bool is_left_open(const struct proctask *t, const struct proctask_fd *f, unsigned direction,
			 const uint32_t *fds, size_t n)
{
	const struct proctask_proc *p = &t->procs.v[f->proc], *up = p;

	for (int i = 0; f->fd > STDERR_FILENO && i < ANCESTORS_MAX && up->ppid > 1; i++) {
		const struct proctask_fd *above;

		up = proctask_by_pid(t, up->ppid);
		if (!up)
			return false;
		above = proctask_fd(t, up, f->fd);
		if (above && above->kind == f->kind && above->ino == f->ino &&
		    strcmp(program(t, up), program(t, p)) != 0 &&
		    modes_of(t, above->proc, fds, n) == direction)
			return true;
	}
	return false;
}

int procwait_add_holders(struct procwait_ctx *c, enum proctask_kind kind, uint64_t ino, unsigned direction,
			 bool sure, bool owes)
{
	const struct proctask *t = &c->t->tasks;
	size_t first, n = proctask_holders(t, kind, ino, &first);
	bool own = false;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		const struct proctask_fd *f = &t->fds.v[t->by_object[first + i]];

		if (direction && !(proctask_fd_mode(t, f) & direction))
			continue;
		if (direction && is_left_open(t, f, direction, &t->by_object[first], n)) {
			c->w->open = true;
			continue;
		}
		if (&t->procs.v[f->proc] == c->proc)
			own = true;
		else
			r = procwait_add(c, (struct procwait_target){ .id = t->procs.v[f->proc].pid,
								      .sure = sure,
								      .owes = owes });
	}
	if (!own || r < 0)
		return r;
	if (c->proc->n_threads > 1)
		c->w->open = true;
	else if (!c->w->targets.n)
		r = procwait_add(c,
				 (struct procwait_target){
					 .id = c->th->tid, .is_thread = true, .sure = sure, .owes = owes });
	return r;
}

int procwait_kernel(struct procwait_ctx *c, enum procwait_class otherwise)
{
	char where[1024];
	size_t first, n, cut;

	proctask_where(&c->t->tasks, c->th, where, sizeof(where));
	if (strstr(where, "request_wait_answer") || strstr(where, "fuse_simple_request") ||
	    strstr(where, "fuse_get_req")) {
		c->w->kind = "fuse";
		c->w->class = PROCWAIT_UNKNOWN;
		if (!c->w->name[0])
			snprintf(c->w->name, sizeof(c->w->name), "a file system in user space");
		n = proctask_holders(&c->t->tasks, PROCTASK_PATH, proctask_name_hash("/dev/fuse"), &first);
		if (n) {
			int r = procwait_add_holders(c, PROCTASK_PATH, proctask_name_hash("/dev/fuse"), 0,
						     n == 1, true);

			c->w->class = c->w->targets.n ? PROCWAIT_WAIT : PROCWAIT_UNKNOWN;
			return r;
		}
		return 0;
	}
	c->w->class = otherwise;
	if (strstr(where, "mutex_lock") || strstr(where, "rwsem") || strstr(where, "down_read") ||
	    strstr(where, "down_write"))
		c->w->kind = "kernel-lock";
	else if (otherwise == PROCWAIT_DISK)
		c->w->kind = "disk";
	cut = strcspn(where, "<");
	if (where[cut])
		cut += 1 + strcspn(where + cut + 1, "<");
	while (cut && where[cut - 1] == ' ')
		cut--;
	if (!c->w->name[0])
		snprintf(c->w->name, sizeof(c->w->name), "%.*s", (int)MIN(cut, sizeof(c->w->name) - 1),
			 where);
	return 0;
}

static int wait_for_children(struct procwait_ctx *c, uint32_t ns_pid)
{
	const struct proctask *t = &c->t->tasks;
	size_t n = 0;
	int r = 0;

	c->w->kind = "child";
	c->w->class = PROCWAIT_IDLE;
	for (size_t i = 0; r >= 0 && i < t->procs.n; i++) {
		const struct proctask_proc *p = &t->procs.v[i];

		if (p->ppid != c->proc->pid || (ns_pid && p->ns_pid != ns_pid) ||
		    t->threads.v[p->first_thread].state == 'Z')
			continue;
		n++;
		r = procwait_add(c, (struct procwait_target){ .id = p->pid });
	}
	if (r < 0)
		return r;
	if (n)
		c->w->class = PROCWAIT_WAIT;
	if (n == 1) {
		c->w->targets.v[0].sure = true;
		snprintf(c->w->name, sizeof(c->w->name), "end of process %u", c->w->targets.v[0].id);
	} else {
		snprintf(c->w->name, sizeof(c->w->name), "end of any child");
	}
	return r;
}

static int wait_for_vfork(struct procwait_ctx *c)
{
	const struct proctask *t = &c->t->tasks;
	const struct proctask_proc *newest = NULL;

	for (size_t i = 0; i < t->procs.n; i++)
		if (t->procs.v[i].ppid == c->proc->pid &&
		    (!newest || t->procs.v[i].start_ticks >= newest->start_ticks))
			newest = &t->procs.v[i];
	if (!newest)
		return procwait_kernel(c, PROCWAIT_UNKNOWN);
	c->w->kind = "child";
	c->w->class = PROCWAIT_WAIT;
	snprintf(c->w->name, sizeof(c->w->name), "exec or end of process %u", newest->pid);
	return procwait_add(c, (struct procwait_target){ .id = newest->pid, .sure = true, .owes = true });
}

/* A flock or OFD lock belongs to an open file, and only fdinfo shows which processes have it open. */
static int add_lock_holders(struct procwait_ctx *c, const struct proclocks_entry *lock)
{
	const struct proctask *t = &c->t->tasks;
	char info[4096];
	int r = 0;

	for (size_t i = 0; r >= 0 && i < t->fds.n; i++) {
		const struct proctask_fd *f = &t->fds.v[i];
		struct proclocks_entry e;

		if (f->kind != PROCTASK_PATH || f->name[0] != '/' || !strncmp(f->name, "/dev/", 5) ||
		    !proctask_fdinfo(&t->procs.v[f->proc], f->fd, info, sizeof(info)))
			continue;
		for (const char *p = info; r >= 0 && (p = strstr(p, "\nlock:")); p++)
			if (proclocks_parse(p + 6, &e) && e.kind == lock->kind && e.ino == lock->ino &&
			    e.major == lock->major && e.minor == lock->minor)
				r = procwait_add(c, (struct procwait_target){ .id = t->procs.v[f->proc].pid,
									      .sure = true,
									      .owes = true });
	}
	return r;
}

static int add_lock_owner(struct procwait_ctx *c, const struct proclocks_entry *lock)
{
	if (lock->kind == PROCLOCKS_POSIX && proctask_by_pid(&c->t->tasks, lock->pid))
		return procwait_add(c,
				    (struct procwait_target){ .id = lock->pid, .sure = true, .owes = true });
	return add_lock_holders(c, lock);
}

static bool is_own_request(const struct procwait_ctx *c, const struct proclocks_entry *e,
			   enum proclocks_kind kind, const struct statx *st)
{
	if (!e->waiting || e->kind != kind || (e->pid > 0 && (uint32_t)e->pid != c->proc->pid))
		return false;
	/* On some file systems (btrfs, overlay), stat has another device number than
	 * /proc/locks, so only inodes are compared. If the process has one thread, each of its
	 * requests is by this thread. */
	return st->stx_ino == e->ino || (e->pid > 0 && c->proc->n_threads == 1);
}

int procwait_file_lock(struct procwait_ctx *c)
{
	const struct proclocks *l = &c->t->locks;
	const struct proctask_fd *f = proctask_fd(&c->t->tasks, c->proc, (int)c->th->args[0]);
	enum proclocks_kind kind = PROCLOCKS_POSIX;
	struct statx st = { 0 };
	char path[64];
	int r = 0;

	if (c->th->nr == SYS_flock)
		kind = PROCLOCKS_FLOCK;
	else if (c->th->args[1] == F_OFD_SETLKW)
		kind = PROCLOCKS_OFD;
	c->w->kind = "file-lock";
	c->w->class = PROCWAIT_UNKNOWN;
	snprintf(c->w->name, sizeof(c->w->name), "%s", f ? f->name : "");
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", c->proc->pid, (int)c->th->args[0]);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &st) < 0)
		return 0;
	for (size_t i = 0; r >= 0 && i < l->v.n; i++) {
		if (!is_own_request(c, &l->v.v[i], kind, &st))
			continue;
		for (size_t k = 0; r >= 0 && k < l->v.n; k++)
			if (l->v.v[k].id == l->v.v[i].id && !l->v.v[k].waiting)
				r = add_lock_owner(c, &l->v.v[k]);
	}
	if (c->w->targets.n)
		c->w->class = PROCWAIT_WAIT;
	return r;
}

static int idle(struct procwait_ctx *c, const char *kind, const char *name)
{
	c->w->class = PROCWAIT_IDLE;
	c->w->kind = kind;
	snprintf(c->w->name, sizeof(c->w->name), "%s", name);
	return 0;
}

/* A semaphore or message queue of System V has no descriptor and no owner: any task that knows its id can end
 * the wait. */
static int sysv(struct procwait_ctx *c, const char *kind, const char *words, enum procwait_class class)
{
	c->w->class = class;
	c->w->kind = kind;
	snprintf(c->w->name, sizeof(c->w->name), "%s %d", words, (int)c->th->args[0]);
	return 0;
}

static int sleeping(struct procwait_ctx *c)
{
	c->w->class = PROCWAIT_TIMER;
	c->w->kind = "timer";
	return 0;
}

static int waitid_target(struct procwait_ctx *c)
{
	switch ((idtype_t)c->th->args[0]) {
	case P_PID:
		return wait_for_children(c, c->th->args[1]);
	case P_PIDFD:
		return procwait_on_fd(c, (int)c->th->args[1], PROCWAIT_READ, true);
	case P_ALL:
	case P_PGID:
		break;
	}
	return wait_for_children(c, 0);
}

static int by_syscall(struct procwait_ctx *c)
{
	const uint64_t *a = c->th->args;

	switch (c->th->nr) {
	case SYS_futex:
		return procwait_futex(c);
	case SYS_read:
	case SYS_readv:
	case SYS_pread64:
	case SYS_preadv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
		return procwait_on_fd(c, (int)a[0], PROCWAIT_READ, true);
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
		return procwait_on_fd(c, (int)a[0], PROCWAIT_WRITE, true);
	case SYS_accept:
	case SYS_accept4:
		return procwait_on_fd(c, (int)a[0], PROCWAIT_READ, false);
	case SYS_connect:
		return procwait_connect(c);
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
		return procwait_poll(c);
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
		return procwait_select(c);
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return procwait_epoll(c, (int)a[0]);
	case SYS_flock:
		return procwait_file_lock(c);
	case SYS_fcntl:
		if (a[1] == F_SETLKW || a[1] == F_OFD_SETLKW)
			return procwait_file_lock(c);
		return procwait_kernel(c, PROCWAIT_UNKNOWN);
	case SYS_wait4:
		return wait_for_children(c, (int)a[0] > 0 ? a[0] : 0);
	case SYS_waitid:
		return waitid_target(c);
#ifdef SYS_vfork
	case SYS_vfork:
#endif
	case SYS_clone:
	case SYS_clone3:
		return wait_for_vfork(c);
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return sleeping(c);
#ifdef SYS_pause
	case SYS_pause:
#endif
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
		return idle(c, "signal", "a signal");
	case SYS_msgrcv:
		return sysv(c, "queue", "message queue", PROCWAIT_IDLE);
	case SYS_msgsnd:
		return sysv(c, "queue", "full message queue", PROCWAIT_UNKNOWN);
#ifdef SYS_semop
	case SYS_semop:
#endif
	case SYS_semtimedop:
		return sysv(c, "semaphore", "semaphore set", PROCWAIT_UNKNOWN);
	case SYS_mq_timedreceive:
		return idle(c, "queue", "a message queue");
	case SYS_mq_timedsend:
		c->w->kind = "queue";
		snprintf(c->w->name, sizeof(c->w->name), "a full message queue");
		return 0;
	case SYS_io_uring_enter:
	case SYS_restart_syscall:
		return idle(c, "unknown", "");
	default:
		return procwait_kernel(c, PROCWAIT_UNKNOWN);
	}
}

static bool is_vfork(const struct proctask_thread *th)
{
#ifdef SYS_vfork
	if (th->nr == SYS_vfork)
		return true;
#endif
	return th->nr == SYS_clone || th->nr == SYS_clone3;
}

static int by_state(struct procwait_ctx *c)
{
	struct procwait *w = c->w;

	switch (c->th->state) {
	case 'R':
		w->class = PROCWAIT_RUN;
		w->kind = "cpu";
		return 0;
	case 'Z':
	case 'X':
		w->class = PROCWAIT_GONE;
		return 0;
	case 'T':
		w->class = PROCWAIT_STOPPED;
		w->kind = "signal";
		snprintf(w->name, sizeof(w->name), "SIGCONT");
		return 0;
	case 't':
		w->class = PROCWAIT_STOPPED;
		w->kind = "signal";
		snprintf(w->name, sizeof(w->name), "its tracer");
		if (!c->th->tracer)
			return 0;
		w->class = PROCWAIT_WAIT;
		return procwait_add(
			c, (struct procwait_target){
				   .id = c->th->tracer, .is_thread = true, .sure = true, .owes = true });
	case 'D':
		return is_vfork(c->th) ? wait_for_vfork(c) : procwait_kernel(c, PROCWAIT_DISK);
	default:
		break;
	}
	if (c->proc->kthread)
		return idle(c, "unknown", "");
	if (c->th->nr == PROCTASK_NR_RUNNING) {
		w->class = PROCWAIT_RUN;
		w->kind = "cpu";
		return 0;
	}
	if (c->th->nr < 0)
		return procwait_kernel(c, PROCWAIT_UNKNOWN);
	return by_syscall(c);
}

int procwait_get(const struct procwait_tables *t, const struct proctask_thread *th, struct procwait *ret)
{
	struct procwait_ctx c = { .t = t, .th = th, .proc = &t->tasks.procs.v[th->proc], .w = ret };

	*ret = (struct procwait){ .class = PROCWAIT_UNKNOWN, .kind = "unknown", .nr = th->nr };
	return by_state(&c);
}
