/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfs/procwait_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "lib/cleanup.h"

#define POLL_MAX 1024 /* at most this many descriptors of one poll or select are looked at */
#define FEW      4    /* a task that polls more than this many descriptors is an event loop */

static const char *sock_kind(const struct procnet_sock *s)
{
	return s->family == AF_UNIX ? "unix" : s->protocol == IPPROTO_TCP ? "tcp" : "udp";
}

static int on_sock(struct procwait_ctx *c, const struct procnet_sock *s, enum procwait_direction dir,
		   bool sure)
{
	bool pending = false;
	const struct procnet_sock *peer = procnet_peer(&c->t->net, s, &pending);
	bool owes = pending || dir == PROCWAIT_WRITE || (peer && peer->unread_bytes);
	int r;

	c->w->kind = sock_kind(s);
	procnet_describe(s, peer, c->w->name, sizeof(c->w->name));
	c->w->class = PROCWAIT_IDLE;
	if (procnet_is_remote(&c->t->net, s))
		c->w->class = PROCWAIT_EXTERNAL;
	if (!peer || s->state == TCP_LISTEN)
		return 0;
	r = procwait_add_holders(c, PROCTASK_SOCKET, peer->ino, 0, sure, owes);
	c->w->class = c->w->targets.n ? PROCWAIT_WAIT : PROCWAIT_UNKNOWN;
	return r;
}

static int on_path(struct procwait_ctx *c, const struct proctask_fd *f, enum procwait_direction dir,
		   bool sure)
{
	char path[64];
	struct statx st;
	int r;

	c->w->class = PROCWAIT_IDLE;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", c->proc->pid, f->fd);
	/* Without AT_STATX_DONT_SYNC, statx() could wait for a server that hangs. */
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0)
		return 0;
	if (S_ISFIFO(st.stx_mode)) {
		c->w->kind = "pipe";
		r = procwait_add_holders(c, PROCTASK_PATH, f->ino,
					 dir == PROCWAIT_READ ? PROCWAIT_WRITE : PROCWAIT_READ, sure,
					 dir == PROCWAIT_WRITE);
		if (c->w->targets.n)
			c->w->class = PROCWAIT_WAIT;
		return r;
	}
	if (S_ISCHR(st.stx_mode)) {
		bool tty = !strncmp(f->name, "/dev/pts/", 9) || !strncmp(f->name, "/dev/tty", 8) ||
			   !strcmp(f->name, "/dev/console") || !strncmp(f->name, "/dev/input/", 11);

		c->w->kind = tty ? "input" : !strcmp(f->name, "/dev/fuse") ? "fuse" : "unknown";
		return 0;
	}
	return procwait_kernel(c, PROCWAIT_DISK);
}

static int on_pidfd(struct procwait_ctx *c, int fd, bool sure)
{
	char info[512], *p;
	int pid;

	c->w->kind = "child";
	c->w->class = PROCWAIT_IDLE;
	if (!proctask_fdinfo(c->proc, fd, info, sizeof(info)))
		return 0;
	p = strstr(info, "\nPid:");
	pid = p ? atoi(p + 5) : 0;
	if (pid <= 0)
		return 0;
	snprintf(c->w->name, sizeof(c->w->name), "end of process %d", pid);
	c->w->class = PROCWAIT_WAIT;
	return procwait_add(c, (struct procwait_target){ .id = pid, .sure = sure });
}

int procwait_on_fd(struct procwait_ctx *c, int fd, enum procwait_direction dir, bool sure)
{
	const struct proctask_fd *f = proctask_fd(&c->t->tasks, c->proc, fd);
	const struct procnet_sock *s;
	int r;

	c->w->kind = "unknown";
	c->w->class = PROCWAIT_UNKNOWN;
	if (!f) {
		snprintf(c->w->name, sizeof(c->w->name), "descriptor %d", fd);
		return 0;
	}
	snprintf(c->w->name, sizeof(c->w->name), "%s", f->name);
	c->w->class = PROCWAIT_IDLE;
	switch (f->kind) {
	case PROCTASK_SOCKET:
		s = procnet_by_ino(&c->t->net, f->ino);
		return s ? on_sock(c, s, dir, sure) : 0;
	case PROCTASK_PIPE:
		c->w->kind = "pipe";
		r = procwait_add_holders(c, PROCTASK_PIPE, f->ino,
					 dir == PROCWAIT_READ ? PROCWAIT_WRITE : PROCWAIT_READ, sure,
					 dir == PROCWAIT_WRITE);
		c->w->class = c->w->targets.n ? PROCWAIT_WAIT : PROCWAIT_IDLE;
		return r;
	case PROCTASK_PATH:
		return on_path(c, f, dir, sure);
	case PROCTASK_EPOLL:
		return procwait_epoll(c, fd);
	case PROCTASK_PIDFD:
		return on_pidfd(c, fd, sure);
	case PROCTASK_EVENTFD:
		c->w->kind = "eventfd";
		return 0;
	case PROCTASK_TIMERFD:
		c->w->kind = "timer";
		c->w->class = PROCWAIT_TIMER;
		return 0;
	case PROCTASK_SIGNALFD:
		c->w->kind = "signal";
		return 0;
	case PROCTASK_INOTIFY:
	case PROCTASK_ANON:
		return 0;
	}
	return 0;
}

int procwait_connect(struct procwait_ctx *c)
{
	const struct proctask_fd *f = proctask_fd(&c->t->tasks, c->proc, (int)c->th->args[0]);
	const struct procnet_sock *s = f ? procnet_by_ino(&c->t->net, f->ino) : NULL;
	struct sockaddr_un sa = { 0 };
	size_t n = MIN(c->th->args[2], (uint64_t)sizeof(sa));
	int r;

	if (!s || s->family != AF_UNIX)
		return procwait_on_fd(c, (int)c->th->args[0], PROCWAIT_WRITE, true);
	/* The listener's queue is full, so the socket has no other end yet. */
	c->w->kind = "unix";
	c->w->class = PROCWAIT_UNKNOWN;
	if (n <= offsetof(struct sockaddr_un, sun_path) || !proctask_memory(c->proc, c->th->args[1], &sa, n))
		return 0;
	if (!sa.sun_path[0])
		sa.sun_path[0] = '@';
	snprintf(c->w->name, sizeof(c->w->name), "unix %.*s", (int)sizeof(sa.sun_path), sa.sun_path);
	s = procnet_unix_listener(&c->t->net, c->proc->netns, c->w->name + 5);
	if (!s)
		return 0;
	r = procwait_add_holders(c, PROCTASK_SOCKET, s->ino, 0, true, true);
	if (c->w->targets.n)
		c->w->class = PROCWAIT_WAIT;
	return r;
}

static bool any_owes(const struct procwait *w)
{
	for (size_t i = 0; i < w->targets.n; i++)
		if (w->targets.v[i].owes)
			return true;
	return false;
}

/* Returns true if all targets are ancestors of the process. */
static bool are_ancestors(const struct procwait_ctx *c, const struct procwait *w)
{
	for (size_t i = 0; i < w->targets.n; i++) {
		const struct proctask_proc *up = c->proc;
		int left = ANCESTORS_MAX;

		while (up && up->pid != w->targets.v[i].id && left--)
			up = up->ppid ? proctask_by_pid(&c->t->tasks, up->ppid) : NULL;
		if (!up || left < 0 || w->targets.v[i].is_thread)
			return false;
	}
	return w->targets.n > 0;
}

/* Adds the targets of fd, which is one of n_fds descriptors that the thread polls. */
static int fold(struct procwait_ctx *c, int fd, enum procwait_direction dir, size_t n_fds)
{
	struct procwait one = { .nr = c->w->nr };
	struct procwait_ctx sub = *c;
	int r;

	sub.w = &one;
	r = procwait_on_fd(&sub, fd, dir, false);
	if (n_fds == 1) {
		one.open |= c->w->open;
		procwait_done(c->w);
		*c->w = one;
		return r;
	}
	/* Only ancestors can write to the pipe: mostly, the process polls it to notice their end. */
	if (!strcmp(one.kind, "pipe") && dir == PROCWAIT_READ && are_ancestors(c, &one))
		one.targets.n = 0;
	c->w->open |= one.open || one.targets.n == 0;
	for (size_t i = 0; r >= 0 && i < one.targets.n; i++) {
		/* An event loop waits for none of its peers in particular, except for a peer that
		 * has to act next (`owes`). */
		if ((!one.targets.v[i].owes && n_fds > FEW) || one.targets.v[i].id == c->proc->pid) {
			c->w->open = true;
			c->w->loop |= one.targets.v[i].id != c->proc->pid;
			continue;
		}
		if (one.targets.v[i].owes && !any_owes(c->w)) {
			c->w->kind = one.kind;
			memcpy(c->w->name, one.name, sizeof(one.name));
		}
		r = procwait_add(c, one.targets.v[i]);
	}
	procwait_done(&one);
	return r;
}

static void begin_set(struct procwait_ctx *c, size_t n, bool limited)
{
	c->w->open = limited;
	c->w->kind = n || !limited ? "unknown" : "timer";
	c->w->class = n || !limited ? PROCWAIT_IDLE : PROCWAIT_TIMER;
	if (n)
		snprintf(c->w->name, sizeof(c->w->name), "%zu descriptors", n);
}

/* If a poll of several descriptors has no target, the task idles, even if one descriptor is a timer. */
static void end_set(struct procwait_ctx *c, size_t n)
{
	c->w->loop |= c->w->targets.n > 1;
	if (n > 1)
		c->w->class = c->w->targets.n ? PROCWAIT_WAIT : PROCWAIT_IDLE;
}

static bool has_limit(const struct procwait_ctx *c, size_t arg, bool milliseconds)
{
	return milliseconds ? (int)c->th->args[arg] >= 0 : c->th->args[arg] != 0;
}

int procwait_poll(struct procwait_ctx *c)
{
	size_t n = MIN(c->th->args[1], (uint64_t)POLL_MAX), used = 0;
	bool ms = c->th->nr != SYS_ppoll;
	_cleanup_free_ struct pollfd *p = calloc(n + 1, sizeof(*p));
	int r = 0;

	if (!p)
		return -ENOMEM;
	if (n && !proctask_memory(c->proc, c->th->args[0], p, n * sizeof(*p))) {
		c->w->class = PROCWAIT_UNKNOWN;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		used += p[i].fd >= 0;
	begin_set(c, used, has_limit(c, 2, ms));
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (p[i].fd >= 0)
			r = fold(c, p[i].fd, p[i].events & POLLIN ? PROCWAIT_READ : PROCWAIT_WRITE, used);
	end_set(c, used);
	return r;
}

int procwait_select(struct procwait_ctx *c)
{
	size_t n = MIN(c->th->args[0], (uint64_t)POLL_MAX), bytes = (n + 7) / 8, used = 0;
	uint8_t set[2][POLL_MAX / 8] = { 0 };
	int r = 0;

	for (size_t k = 0; k < 2; k++)
		if (bytes && c->th->args[1 + k] &&
		    !proctask_memory(c->proc, c->th->args[1 + k], set[k], bytes)) {
			c->w->class = PROCWAIT_UNKNOWN;
			return 0;
		}
	for (size_t i = 0; i < 2 * n; i++)
		used += set[i / n][i % n / 8] >> (i % n % 8) & 1;
	begin_set(c, used, has_limit(c, 4, false));
	for (size_t i = 0; r >= 0 && i < 2 * n; i++)
		if (set[i / n][i % n / 8] >> (i % n % 8) & 1)
			r = fold(c, i % n, i / n ? PROCWAIT_WRITE : PROCWAIT_READ, used);
	end_set(c, used);
	return r;
}

int procwait_epoll(struct procwait_ctx *c, int fd)
{
	_cleanup_free_ char *info = malloc(65536);
	size_t n = 0;
	bool limited = false;
	int r = 0, tfd;
	unsigned events;

	if (!info)
		return -ENOMEM;
#ifdef SYS_epoll_wait
	limited |= c->th->nr == SYS_epoll_wait && has_limit(c, 3, true);
#endif
	limited |= c->th->nr == SYS_epoll_pwait && has_limit(c, 3, true);
	limited |= c->th->nr == SYS_epoll_pwait2 && has_limit(c, 3, false);
	if (!proctask_fdinfo(c->proc, fd, info, 65536)) {
		c->w->class = PROCWAIT_UNKNOWN;
		return 0;
	}
	for (const char *p = info; (p = strstr(p, "tfd:")); p++)
		n++;
	begin_set(c, n, limited);
	for (const char *p = info; r >= 0 && (p = strstr(p, "tfd:")); p++) {
		const struct proctask_fd *f;

		if (sscanf(p, "tfd: %d events: %x", &tfd, &events) != 2)
			continue;
		/* An epoll in an epoll is not followed: a cycle of epolls would have no end. */
		f = proctask_fd(&c->t->tasks, c->proc, tfd);
		if (f && f->kind != PROCTASK_EPOLL)
			r = fold(c, tfd, events & POLLIN ? PROCWAIT_READ : PROCWAIT_WRITE, n);
	}
	end_set(c, n);
	if (r >= 0 && !any_owes(c->w))
		r = procwait_postgres(c);
	return r < 0 ? r : 0;
}
