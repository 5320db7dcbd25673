// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/say.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* SCM_MAX_FD of the kernel: the most descriptors of one message. If the buffer had less room, the
 * kernel would close the rest of the descriptors on this thread. A close may never return. */
#define CONTROL_FDS_MAX 253

struct client {
	struct control *control;
	uint64_t id;
	int fd;
	int passed_fd; /* the descriptor that came with the line that is being read, or -1 */
	uid_t uid;
	pid_t pid;
	enum control_right right;
	bool busy;
	sd_event_source *io, *timer;
	char in[CONTROL_LINE_MAX];
	size_t n_in;
	char *out;
	size_t n_out, out_at;
};

struct control {
	struct control_options opt;
	sd_event *event;
	sd_event_source *listen, *look, *rest;
	int fd;
	dev_t dev;
	ino_t ino;
	uint64_t last_id, denied, turned_away;
	bool resting;
	int64_t credit_ns; /* CPU time for users other than root until the next rest */
	uint64_t paced_ns;
	_Atomic uint64_t cpu_ns;
	unsigned n_clients;
	struct client clients[CONTROL_CLIENTS_MAX];
};

static bool uid_is_owner(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static void control_dispose(struct control *c, uid_t uid, int fd)
{
	if (c->opt.dispose)
		c->opt.dispose(c->opt.arg, uid, fd);
	else
		close(fd);
}

/* Unread bytes may carry descriptors, whose close may take for ever. */
static void control_hang_up(struct control *c, uid_t uid, int fd)
{
	char byte;

	shutdown(fd, SHUT_RDWR);
	if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		control_dispose(c, uid, fd);
	else
		close(fd);
}

static void client_drop(struct client *cl)
{
	struct control *c = cl->control;
	uint64_t id = cl->id;

	sd_event_source_disable_unref(cl->io);
	sd_event_source_disable_unref(cl->timer);
	control_hang_up(c, cl->uid, cl->fd);
	if (cl->passed_fd >= 0)
		control_dispose(c, cl->uid, cl->passed_fd);
	free(cl->out);
	c->n_clients--;
	*cl = (struct client){ .control = c };
	if (c->opt.gone)
		c->opt.gone(c->opt.arg, id);
}

/* Returns 0 if the client has to wait. If cl->in is full or has a whole request, returns EPOLLOUT:
 * the event loop comes back at once. */
static uint32_t client_events(const struct client *cl)
{
	if (cl->n_out)
		return EPOLLOUT;
	if (cl->busy || (cl->control->resting && !uid_is_owner(cl->uid)))
		return 0;
	return cl->n_in == sizeof(cl->in) || memchr(cl->in, '\n', cl->n_in) ? EPOLLOUT : EPOLLIN;
}

static void client_rearm(struct client *cl)
{
	if (sd_event_source_set_time_relative(cl->timer, CONTROL_TIMEOUT_S * 1000000ULL) < 0 ||
	    sd_event_source_set_enabled(cl->timer, cl->busy ? SD_EVENT_OFF : SD_EVENT_ONESHOT) < 0 ||
	    sd_event_source_set_io_events(cl->io, client_events(cl)) < 0)
		client_drop(cl);
}

static void control_rest(struct control *c, uint64_t usec)
{
	c->resting = true;
	sd_event_source_set_enabled(c->listen, SD_EVENT_OFF);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id)
			sd_event_source_set_io_events(c->clients[i].io, client_events(&c->clients[i]));
	sd_event_source_set_time_relative(c->rest, usec);
	sd_event_source_set_enabled(c->rest, SD_EVENT_ONESHOT);
}

static bool control_is_choked(struct control *c)
{
	return c->opt.choked && c->opt.choked(c->opt.arg);
}

static int control_rested(sd_event_source *s, uint64_t usec, void *arg)
{
	struct control *c = arg;

	if (control_is_choked(c)) {
		control_rest(c, CONTROL_REST_USEC);
		return 0;
	}
	c->resting = false;
	sd_event_source_set_enabled(c->listen, SD_EVENT_ON);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id)
			sd_event_source_set_io_events(c->clients[i].io, client_events(&c->clients[i]));
	return 0;
}

static void control_spent(struct control *c, uint64_t begin_ns)
{
	uint64_t now_ns = clock_boot_ns(), ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns, more_ns;

	atomic_fetch_add_explicit(&c->cpu_ns, ns, memory_order_relaxed);
	more_ns = (now_ns - c->paced_ns) / 100 * CONTROL_PACE_PERCENT;
	c->paced_ns = now_ns;
	c->credit_ns = MIN(c->credit_ns + (int64_t)more_ns, (int64_t)CONTROL_PACE_NS) - (int64_t)ns;
	if (c->credit_ns < 0 && !c->resting)
		control_rest(c, (uint64_t)-c->credit_ns * 100 / CONTROL_PACE_PERCENT / NSEC_PER_USEC + 1);
}

static int client_timeout(sd_event_source *s, uint64_t usec, void *arg)
{
	client_drop(arg);
	return 0;
}

static void client_request(struct client *cl, const char *line, size_t n)
{
	struct control *c = cl->control;
	int fd = TAKE_FD(cl->passed_fd);
	uint64_t id = cl->id;
	uid_t uid = cl->uid;
	json_error_t e;
	json_t *body = json_loadb(line, n, JSON_REJECT_DUPLICATES, &e);
	const char *cmd = json_string_value(json_object_get(body, "cmd"));

	cl->busy = true;
	if (cmd)
		c->opt.request(c->opt.arg, id, cmd, body, &fd);
	else
		control_refuse(
			c, id, "%s",
			body ? "The request has no \"cmd\"; send for example {\"cmd\":\"ping\"}."
			     : "The request is not a JSON object on one line; send for example {\"cmd\":\"ping\"}.");
	if (fd >= 0)
		control_dispose(c, uid, fd);
	json_decref(body);
	if (cl->id == id && cl->busy)
		client_rearm(cl);
}

static void client_line(struct client *cl)
{
	char line[CONTROL_LINE_MAX];
	char *nl;
	size_t n;

	if (cl->busy || cl->n_out)
		return;
	nl = memchr(cl->in, '\n', cl->n_in);
	if (!nl && cl->n_in == sizeof(cl->in)) {
		cl->busy = true;
		cl->n_in = 0;
		control_refuse(cl->control, cl->id,
			       "The request is longer than %d bytes; send one short JSON object a line.",
			       CONTROL_LINE_MAX);
		return;
	}
	if (!nl)
		return;
	n = (size_t)(nl - cl->in);
	memcpy(line, cl->in, n);
	cl->n_in -= n + 1;
	memmove(cl->in, nl + 1, cl->n_in);
	client_request(cl, line, n);
}

static void client_take_fds(struct client *cl, struct msghdr *m)
{
	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
		size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(h) + i * sizeof(int), sizeof(fd));
			if (cl->passed_fd < 0)
				cl->passed_fd = fd;
			else
				control_dispose(cl->control, cl->uid, fd);
		}
	}
}

static void client_read(struct client *cl)
{
	_Alignas(struct cmsghdr) char anc[CMSG_SPACE(CONTROL_FDS_MAX * sizeof(int))];
	struct iovec iov = { cl->in + cl->n_in, sizeof(cl->in) - cl->n_in };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = anc, .msg_controllen = sizeof(anc)
	};
	ssize_t n;

	if (!uid_is_owner(cl->uid) && control_is_choked(cl->control)) {
		control_rest(cl->control, CONTROL_REST_USEC);
		return;
	}
	n = recvmsg(cl->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_drop(cl);
		return;
	}
	client_take_fds(cl, &m);
	cl->n_in += (size_t)n;
	client_line(cl);
}

static bool client_write(struct client *cl)
{
	while (cl->out_at < cl->n_out) {
		ssize_t n = send(cl->fd, cl->out + cl->out_at, cl->n_out - cl->out_at,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			client_drop(cl);
			return false;
		}
		cl->out_at += (size_t)n;
	}
	if (cl->out_at == cl->n_out) {
		free(TAKE_PTR(cl->out));
		cl->n_out = cl->out_at = 0;
	}
	client_rearm(cl);
	return cl->id != 0;
}

static int client_event(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	struct client *cl = arg;
	struct control *c = cl->control;
	bool others = !uid_is_owner(cl->uid);
	uint64_t begin_ns = others ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;

	if (events & (EPOLLHUP | EPOLLERR)) {
		client_drop(cl);
	} else if (events & EPOLLOUT) {
		if (client_write(cl))
			client_line(cl);
	} else if (events & EPOLLIN) {
		client_read(cl);
	}
	if (others)
		control_spent(c, begin_ns);
	return 0;
}

/* Root and the daemon's user have all rights. The group may be a primary or a supplementary one. */
static bool control_allows(const struct control *c, int fd, const struct ucred *cred, enum control_right *ret)
{
	gid_t groups[1024];
	socklen_t len = sizeof(groups);

	*ret = CONTROL_WATCH;
	if (uid_is_owner(cred->uid))
		return true;
	*ret = c->opt.group_may;
	if (c->opt.group == CONTROL_NO_GROUP)
		return false;
	if (cred->gid == c->opt.group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		return false;
	for (size_t i = 0; i < len / sizeof(gid_t); i++)
		if (groups[i] == c->opt.group)
			return true;
	return false;
}

static void control_turn_away(int fd, const char *why)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "{\"ok\":false,\"error\":\"%s\"}\n", why);

	(void)!send(fd, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static struct client *control_place(struct control *c, uid_t uid, const char **why)
{
	unsigned n_others = 0, n_same = 0;
	struct client *place = NULL;

	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++) {
		struct client *cl = &c->clients[i];

		if (!cl->id)
			place = cl;
		n_same += cl->id && cl->uid == uid;
		n_others += cl->id && !uid_is_owner(cl->uid);
	}
	*why = "Too many clients are connected; try again in a moment.";
	if (uid_is_owner(uid))
		return place;
	if (n_same >= CONTROL_USER_CLIENTS) {
		*why = "You have too many connections to this daemon; end one, or try again in a moment.";
		return NULL;
	}
	return n_others < CONTROL_CLIENTS_MAX - CONTROL_ROOT_CLIENTS ? place : NULL;
}

static int client_start(struct control *c, struct client *cl, int fd, const struct ucred *cred,
			enum control_right right)
{
	int r;

	*cl = (struct client){ .control = c,
			       .id = ++c->last_id,
			       .fd = fd,
			       .passed_fd = -1,
			       .uid = cred->uid,
			       .pid = cred->pid,
			       .right = right };
	c->n_clients++;
	r = sd_event_add_io(c->event, &cl->io, fd, EPOLLIN, client_event, cl);
	if (r >= 0)
		r = sd_event_add_time_relative(c->event, &cl->timer, CLOCK_MONOTONIC,
					       CONTROL_TIMEOUT_S * 1000000ULL, 0, client_timeout, cl);
	if (r < 0)
		client_drop(cl);
	return r;
}

static bool control_is_gone(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

/* Looks for a free entry of c->clients first, because a check of the client's rights costs more. */
static bool control_take(struct control *c, int fd)
{
	struct ucred cred = { .uid = (uid_t)-1 };
	socklen_t len = sizeof(cred);
	enum control_right right;
	struct client *cl = NULL;
	const char *why;
	bool known = !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len);

	if (!known || control_is_gone(fd)) {
		control_hang_up(c, cred.uid, fd);
		return !uid_is_owner(cred.uid);
	}
	cl = control_place(c, cred.uid, &why);
	if (!cl) {
		c->turned_away++;
		control_turn_away(fd, why);
		control_hang_up(c, cred.uid, fd);
	} else if (!control_allows(c, fd, &cred, &right)) {
		c->denied++;
		control_turn_away(
			fd,
			"You may not use this daemon: only root may, and the members of the group that the setting 'group' names; see ctraced.conf(5).");
		control_hang_up(c, cred.uid, fd);
	} else {
		client_start(c, cl, fd, &cred, right);
	}
	return !uid_is_owner(cred.uid);
}

static int control_accept(sd_event_source *s, int listen_fd, uint32_t events, void *arg)
{
	struct control *c = arg;
	uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool others = false;

	for (unsigned n = 0; n < CONTROL_ACCEPT_MAX; n++) {
		int fd;

		if (control_is_choked(c)) {
			control_rest(c, CONTROL_REST_USEC);
			break;
		}
		fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0)
			others |= control_take(c, fd);
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR && errno != ECONNABORTED) {
			/* no descriptor or no memory is left */
			control_rest(c, CONTROL_REST_USEC);
			break;
		}
	}
	if (others)
		control_spent(c, begin_ns);
	return 0;
}

void control_answer(struct control *c, uint64_t client, json_t *answer)
{
	char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	size_t n = text ? strlen(text) : 0;
	struct client *cl = NULL;

	json_decref(answer);
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id == client)
			cl = &c->clients[i];
	if (!cl || !client) {
		free(text);
		return;
	}
	if (!text || n >= CONTROL_OUT_MAX) {
		free(text);
		client_drop(cl);
		return;
	}
	text[n] = '\n';
	cl->out = text;
	cl->n_out = n + 1;
	cl->out_at = 0;
	cl->busy = false;
	client_write(cl);
}

void control_refuse(struct control *c, uint64_t client, const char *fmt, ...)
{
	char text[CONTROL_ERR_MAX];
	json_t *error;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	error = json_string(text);
	/* text may be no UTF-8: a path may have any byte, and vsnprintf() may cut a character. */
	if (!error) {
		for (char *p = text; *p; p++)
			*p = *p & 0x80 ? '?' : *p;
		error = json_string(text);
	}
	control_answer(c, client, json_pack("{s:b,s:o}", "ok", 0, "error", error));
}

enum control_right control_right(const struct control *c, uint64_t client)
{
	for (size_t i = 0; client && i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id == client)
			return c->clients[i].right;
	return CONTROL_STATUS;
}

uid_t control_uid(const struct control *c, uint64_t client)
{
	for (size_t i = 0; client && i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id == client)
			return c->clients[i].uid;
	return (uid_t)-1;
}

pid_t control_pid(const struct control *c, uint64_t client)
{
	for (size_t i = 0; client && i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id == client)
			return c->clients[i].pid;
	return 0;
}

bool control_is_owner(const struct control *c, uint64_t client)
{
	return uid_is_owner(control_uid(c, client));
}

bool control_connected(const struct control *c, uint64_t client)
{
	for (size_t i = 0; client && i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id == client)
			return true;
	return false;
}

unsigned control_clients(const struct control *c)
{
	return c->n_clients;
}

uint64_t control_denied(const struct control *c)
{
	return c->denied;
}

uint64_t control_turned_away(const struct control *c)
{
	return c->turned_away;
}

uint64_t control_cpu_ns(const struct control *c)
{
	return atomic_load_explicit(&c->cpu_ns, memory_order_relaxed);
}

/* Removes a socket on which no process listens. Returns 0 if the file is gone, -EADDRINUSE if a
 * process may listen, -EEXIST if it is no socket, or another -errno. */
static int control_clear_stale(const struct sockaddr_un *sa)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (lstat(sa->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)sa, sizeof(*sa)) || errno != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(sa->sun_path) && errno != ENOENT ? -errno : 0;
}

static void control_make_dir(const char *path)
{
	char dir[sizeof(((struct sockaddr_un *)0)->sun_path)];
	_cleanup_close_ int fd = -1;
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash && slash != dir) {
		*slash = 0;
		fd = mkdir(dir, 0755) ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			(void)fchmod(fd, 0755); /* mkdir() takes away the bits of the umask */
	}
}

static int control_bind(struct control *c, bool group, int *ret_fd)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", c->opt.path);
	control_make_dir(sa.sun_path);
	r = control_clear_stale(&sa);
	if (r)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* bind() gives the file the mode of fchmod(). umask() would change the umask of all threads. */
	if (fd < 0 || fchmod(fd, 0600) || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) ||
	    lstat(sa.sun_path, &st))
		return -errno;
	c->dev = st.st_dev;
	c->ino = st.st_ino;
	/* these calls follow no symbolic link, which another process may have put there */
	if (group && (lchown(sa.sun_path, (uid_t)-1, c->opt.group) ||
		      fchmodat(AT_FDCWD, sa.sun_path, 0660, AT_SYMLINK_NOFOLLOW)))
		return -errno;
	if (listen(fd, CONTROL_BACKLOG))
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int control_listen(struct control *c, bool group)
{
	sd_event_source *source = NULL;
	int fd, r = control_bind(c, group, &fd);

	if (r < 0)
		return r;
	r = sd_event_add_io(c->event, &source, fd, EPOLLIN, control_accept, c);
	if (r < 0) {
		close(fd);
		return r;
	}
	if (c->resting)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	sd_event_source_disable_unref(c->listen);
	if (c->fd >= 0)
		close(c->fd);
	c->listen = source;
	c->fd = fd;
	return 0;
}

/* A clean-up may have removed the socket. The daemon can no longer give files to a group, so the
 * new socket is for root only. */
static int control_look(sd_event_source *source, uint64_t usec, void *arg)
{
	struct control *c = arg;
	struct stat st;

	if (lstat(c->opt.path, &st) && errno == ENOENT && !control_listen(c, false))
		say("The control socket %s was removed; ctraced has created it again%s.", c->opt.path,
		    c->opt.group == CONTROL_NO_GROUP
			    ? ""
			    : ", for root only; restart ctraced to give it to the group again");
	sd_event_source_set_time_relative(source, CONTROL_LOOK_USEC);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static const char *control_advice(int error)
{
	switch (error) {
	case EADDRINUSE:
		return "another ctraced listens there; stop it or choose another --socket";
	case EEXIST:
		return "something that is not a socket is in the way; remove it or choose another --socket";
	case ENOENT:
		return "the directory is missing; create it or choose another --socket";
	case EACCES:
	case EPERM:
	case EROFS:
		return "run as root or choose another --socket";
	default:
		return "choose another --socket";
	}
}

int control_new(sd_event *event, const struct control_options *opt, struct control **ret,
		char err[CONTROL_ERR_MAX])
{
	struct control *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		snprintf(err, CONTROL_ERR_MAX, "out of memory");
		return -ENOMEM;
	}
	c->opt = *opt;
	c->fd = -1;
	c->event = sd_event_ref(event);
	c->paced_ns = clock_boot_ns();
	r = control_listen(c, opt->group != CONTROL_NO_GROUP);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &c->rest, CLOCK_MONOTONIC, 0, 1, control_rested, c);
	if (r >= 0)
		r = sd_event_source_set_enabled(c->rest, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &c->look, CLOCK_MONOTONIC, CONTROL_LOOK_USEC, 0,
					       control_look, c);
	if (r < 0) {
		snprintf(err, CONTROL_ERR_MAX, "Cannot listen on the control socket %s: %s; %s.", opt->path,
			 strerror(-r), control_advice(-r));
		control_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void control_free(struct control *c)
{
	struct stat st;

	if (!c)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS_MAX; i++)
		if (c->clients[i].id)
			client_drop(&c->clients[i]);
	sd_event_source_disable_unref(c->rest);
	sd_event_source_disable_unref(c->look);
	sd_event_source_disable_unref(c->listen);
	if (c->ino && !lstat(c->opt.path, &st) && st.st_dev == c->dev && st.st_ino == c->ino)
		unlink(c->opt.path);
	if (c->fd >= 0)
		close(c->fd);
	sd_event_unref(c->event);
	free(c);
}
