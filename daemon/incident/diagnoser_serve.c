// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/incident/diagnoser_jail.h"
#include "daemon/incident/diagnoser_private.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* Sets ret_fds[1] to -1 if the question asks for no page. */
static int serve_receive(int sock, struct diagnoser_question *ret, int ret_fds[DIAGNOSER_FDS])
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(DIAGNOSER_FDS * sizeof(int))];
	} u;
	struct iovec iov = { .iov_base = ret, .iov_len = sizeof(*ret) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.room, .msg_controllen = sizeof(u.room)
	};
	struct cmsghdr *c;
	size_t want;
	ssize_t n;

	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&msg);
	want = (ret->page_bytes ? 2 : 1) * sizeof(int);
	if (n != sizeof(*ret) || !c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(want))
		return -ECONNRESET;
	ret_fds[1] = -1;
	memcpy(ret_fds, CMSG_DATA(c), want);
	return 0;
}

static void serve_error(char *json, size_t *ret_n, const char *why)
{
	*ret_n = (size_t)snprintf(json, DIAGNOSER_ANSWER_MAX, "{\"error\":\"%s\"}", why);
}

static _Noreturn void serve_child(int out, const int *fds, struct diagnoser_question q)
{
	_cleanup_free_ char *text = NULL;
	json_t *answer = NULL;
	size_t n, done = 0;

	prctl(PR_SET_NAME, "ctraced-answer", 0, 0, 0);
	if (diagnoser_jail_child(&q.page_bytes))
		_exit(EXIT_FAILURE);
	answer = diagnoser_answer(fds[0], fds[1], &q);
	text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
	n = text ? strlen(text) : 0;
	while (done < n) {
		ssize_t k = write(out, text + done, n - done);

		if (k < 0)
			_exit(EXIT_FAILURE);
		done += (size_t)k;
	}
	_exit(n ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Returns false if the answer is late (DIAGNOSER_WALL_S) or too long, if the daemon has ended, or
 * after an error. */
static bool serve_collect(int in, int sock, char *json, size_t *ret_n)
{
	uint64_t end_ns = clock_boot_ns() + DIAGNOSER_WALL_S * NSEC_PER_SEC;

	for (*ret_n = 0;;) {
		uint64_t now_ns = clock_boot_ns();
		struct pollfd p[2] = { { .fd = in, .events = POLLIN }, { .fd = sock } };
		ssize_t k;

		if (now_ns >= end_ns || *ret_n == DIAGNOSER_ANSWER_MAX)
			return false;
		if (poll(p, 2, (int)((end_ns - now_ns) / NSEC_PER_MSEC) + 1) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (p[1].revents)
			return false;
		if (!p[0].revents)
			continue;
		k = read(in, json + *ret_n, DIAGNOSER_ANSWER_MAX - *ret_n);
		if (k <= 0)
			return k == 0;
		*ret_n += (size_t)k;
	}
}

static void serve_question(int sock, const int *fds, const struct diagnoser_question *q, char *json,
			   size_t *ret_n)
{
	bool whole = false;
	int status = -1, ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC)) {
		serve_error(json, ret_n, "no file descriptor was left");
		return;
	}
	child = fork();
	if (!child) {
		close(sock);
		serve_child(ends[1], fds, *q);
	}
	close(ends[1]);
	if (child > 0) {
		whole = serve_collect(ends[0], sock, json, ret_n);
		if (!whole)
			kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	close(ends[0]);
	if (child < 0)
		serve_error(json, ret_n, "no process could be started for the diagnosis");
	else if (!whole || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		serve_error(json, ret_n, "it took too long");
	else if (!WIFEXITED(status) || WEXITSTATUS(status) || !*ret_n)
		serve_error(json, ret_n, "the process that made the diagnosis died");
}

/* Reads the rules of the time zone, because the jail forbids to open their file later. The C library would
 * open the file again for a page, unless TZ has a value that does not change. */
static void serve_time_zone(void)
{
	setenv("TZ", ":/etc/localtime", false);
	tzset();
}

void diagnoser_serve(int sock)
{
	static struct diagnoser_packet packet;
	struct diagnoser_question q;
	int fds[DIAGNOSER_FDS];

	json_object_seed(0); /* reads a device, which the jail forbids */
	serve_time_zone();
	if (diagnoser_jail(sock))
		_exit(EXIT_FAILURE);
	while (!serve_receive(sock, &q, fds)) {
		size_t n;
		struct iovec iov = { .iov_base = &packet };
		const struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

		packet.id = q.id;
		serve_question(sock, fds, &q, packet.json, &n);
		close(fds[0]);
		if (fds[1] >= 0)
			close(fds[1]);
		iov.iov_len = offsetof(struct diagnoser_packet, json) + n;
		if (sendmsg(sock, &msg, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(EXIT_SUCCESS);
}
