// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vec.h"

const struct cli_option client_options[] = {
	{ CLI_FLAG(struct client_options, json), "json", NULL, "Print JSON" },
	{ CLI_TEXT(struct client_options, socket), "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

const char *client_socket(void)
{
	const char *path = getenv(CLIENT_SOCKET_VARIABLE);

	return path && *path ? path : CLIENT_SOCKET;
}

static int milliseconds_left(uint64_t deadline_ns)
{
	uint64_t now = clock_boot_ns();

	return now >= deadline_ns ? 0 : (int)((deadline_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static int refused(const char *path, int r, char *err)
{
	const char *variable = getenv(CLIENT_SOCKET_VARIABLE);
	const char *from = variable && !strcmp(variable, path) ? " (from " CLIENT_SOCKET_VARIABLE ")" : "";
	struct stat st;
	struct group *g;

	if (r == -ENOENT || r == -ECONNREFUSED) {
		snprintf(
			err, CLIENT_ERR_MAX,
			"%s%s: no ctraced is running there; start it ('systemctl start ctraced', or 'ctraced' as root), or name its socket with --socket; 'ctrace record' needs no service",
			path, from);
	} else if (r == -EACCES || r == -EPERM) {
		g = stat(path, &st) ? NULL : getgrgid(st.st_gid);
		if (g && st.st_gid && st.st_mode & S_IWGRP)
			snprintf(
				err, CLIENT_ERR_MAX,
				"%s: you may not use ctraced; run as root, or become a member of the group '%s'",
				path, g->gr_name);
		else
			snprintf(
				err, CLIENT_ERR_MAX,
				"%s: you may not use ctraced; run as root, or set 'group' in its configuration",
				path);
	} else if (r == -ETIMEDOUT) {
		snprintf(err, CLIENT_ERR_MAX,
			 "%s: ctraced accepted no connection within %d s; see its log, then try again", path,
			 WAIT_CONNECT_MS / 1000);
	} else {
		snprintf(err, CLIENT_ERR_MAX, "%s%s: cannot connect: %s", path, from, strerror(-r));
	}
	return r;
}

/* connect() waits while the daemon's queue of new connections is full: here at most timeout_ms. */
static int connect_within(int sock, const struct sockaddr_un *sa, int timeout_ms)
{
	uint64_t deadline = clock_boot_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;
	int r, left;

	while ((left = milliseconds_left(deadline)) > 0) {
		const struct timeval limit = { .tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 };

		if (setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)))
			return -errno;
		r = connect(sock, (const struct sockaddr *)sa, sizeof(*sa)) ? -errno : 0;
		if (!r)
			return fcntl(sock, F_SETFL, O_NONBLOCK) ? -errno : 0;
		if (r != -EAGAIN && r != -EINTR)
			return r;
	}
	return -ETIMEDOUT;
}

static int connect_to(const char *path, int *ret_fd, char *err)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = -1;
	int r;

	if (strlen(path) >= sizeof(sa.sun_path)) {
		snprintf(err, CLIENT_ERR_MAX,
			 "%s: the path of a socket has at most %zu bytes; use a shorter one", path,
			 sizeof(sa.sun_path) - 1);
		return -ENAMETOOLONG;
	}
	strcpy(sa.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	r = fd < 0 ? -errno : connect_within(fd, &sa, WAIT_CONNECT_MS);
	if (r)
		return refused(path, r, err);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static ssize_t send_with(int sock, const char *p, size_t n, int fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} u = { 0 };
	struct iovec iov = { .iov_base = (void *)p, .iov_len = n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *c;

		msg.msg_control = u.room;
		msg.msg_controllen = sizeof(u.room);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL);
}

static int wait_for(int sock, short events, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = sock, .events = events };
	int r;

	do
		r = poll(&p, 1, milliseconds_left(deadline_ns));
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return r ? 0 : -ETIMEDOUT;
}

static int send_request(int sock, const json_t *request, int fd, uint64_t deadline_ns)
{
	_cleanup_free_ char *line = json_dumps(request, JSON_COMPACT);
	size_t done = 0, n;
	int r;

	if (!line)
		return -ENOMEM;
	n = strlen(line);
	line[n++] = '\n';
	while (done < n) {
		ssize_t k = send_with(sock, line + done, n - done, done ? -1 : fd);

		if (k > 0) {
			done += (size_t)k;
		} else if (errno == EAGAIN) {
			r = wait_for(sock, POLLOUT, deadline_ns);
			if (r)
				return r;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int read_line(int sock, uint64_t deadline_ns, char **ret)
{
	VEC(char) buf = { 0 };
	int r = 0;

	while (!r) {
		ssize_t k;

		if (buf.n >= CLIENT_ANSWER_MAX)
			r = -EBADMSG;
		else
			r = VEC_RESERVE(&buf, buf.n + 4096);
		if (r)
			break;
		k = recv(sock, buf.v + buf.n, 4095, 0);
		if (k > 0) {
			buf.n += (size_t)k;
			if (buf.v[buf.n - 1] == '\n') {
				buf.v[buf.n] = 0;
				*ret = buf.v;
				return 0;
			}
		} else if (k == 0) {
			r = -ECONNRESET;
		} else if (errno == EAGAIN) {
			r = wait_for(sock, POLLIN, deadline_ns);
		} else if (errno != EINTR) {
			r = -errno;
		}
	}
	VEC_FREE(&buf);
	return r;
}

static int understand(const char *path, const char *line, json_t **ret, char *err)
{
	json_t *answer = json_loads(line, 0, NULL);
	json_t *ok = json_object_get(answer, "ok");
	const char *why = json_string_value(json_object_get(answer, "error"));

	if (json_is_true(ok)) {
		*ret = answer;
		return 0;
	}
	if (json_is_false(ok) && why)
		snprintf(err, CLIENT_ERR_MAX, "%s", why);
	else
		snprintf(
			err, CLIENT_ERR_MAX,
			"%s: the program at this socket does not answer like ctraced; check the path and the versions",
			path);
	json_decref(answer);
	return json_is_false(ok) && why ? -EREMOTEIO : -EBADMSG;
}

int client_open(const char *socket_path, char err[CLIENT_ERR_MAX])
{
	int sock = -1, r = connect_to(socket_path, &sock, err);

	return r ? r : sock;
}

int client_call(const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
		char err[CLIENT_ERR_MAX])
{
	_cleanup_close_ int sock = client_open(socket_path, err);

	return sock < 0 ? sock : client_ask(sock, socket_path, request, fd, timeout_ms, ret, err);
}

int client_command(const char *socket_path, const char *cmd, int timeout_ms, json_t **ret,
		   char err[CLIENT_ERR_MAX])
{
	json_t *request = json_pack("{s:s}", "cmd", cmd);
	int r = -ENOMEM;

	if (request)
		r = client_call(socket_path, request, -1, timeout_ms, ret, err);
	else
		snprintf(err, CLIENT_ERR_MAX, "out of memory");
	json_decref(request);
	return r;
}

int client_ask(int sock, const char *socket_path, const json_t *request, int fd, int timeout_ms, json_t **ret,
	       char err[CLIENT_ERR_MAX])
{
	uint64_t deadline = clock_boot_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;
	_cleanup_free_ char *line = NULL;
	int r;

	r = send_request(sock, request, fd, deadline);
	/* There may still be an answer: the daemon may refuse a request that it has read only in part. */
	if (!r || r == -EPIPE || r == -ECONNRESET)
		r = read_line(sock, deadline, &line);
	if (!r)
		return understand(socket_path, line, ret, err);
	if (r == -ETIMEDOUT)
		snprintf(err, CLIENT_ERR_MAX,
			 "%s: ctraced did not answer within %d s; see its log, then try again", socket_path,
			 timeout_ms / 1000);
	else if (r == -ECONNRESET || r == -EPIPE)
		snprintf(err, CLIENT_ERR_MAX,
			 "%s: ctraced closed the connection without an answer; see its log", socket_path);
	else
		snprintf(err, CLIENT_ERR_MAX, "%s: cannot talk to ctraced: %s", socket_path, strerror(-r));
	return r;
}
