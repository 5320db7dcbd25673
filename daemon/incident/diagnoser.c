// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/incident/diagnoser.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/incident/diagnoser_private.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "report/view/page.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* Linux 6.3 */
#endif

struct diagnoser {
	int sock; /* -1: the process has ended */
	pid_t pid;
	sd_event_source *io, *late;
	uint64_t id;
	diagnoser_answer_fn fn; /* NULL: no question is open */
	void *arg;
	/* Memory for a page, or -1: of the open question; of the answer during the call of fn. */
	int page_fd, answered_fd;
	uint64_t page_bytes;
};

int diagnoser_new(struct diagnoser **ret)
{
	struct diagnoser *d = calloc(1, sizeof(*d));
	int ends[2];

	if (!d)
		return -ENOMEM;
	d->page_fd = d->answered_fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		free(d);
		return -errno;
	}
	d->pid = fork();
	if (!d->pid) {
		prctl(PR_SET_NAME, "ctraced-why", 0, 0, 0);
		signal(SIGINT, SIG_IGN); /* Ctrl-C must not end this process before the daemon */
		diagnoser_serve(ends[1]);
	}
	close(ends[1]);
	if (d->pid < 0) {
		int r = -errno;

		close(ends[0]);
		free(d);
		return r;
	}
	d->sock = ends[0];
	*ret = d;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* The page is in memory, so that a disk that does not answer cannot stop the main thread. */
static int page_memory(void)
{
	int fd = memfd_create("ctrace-page", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("ctrace-page", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void diagnoser_conclude(struct diagnoser *d, json_t *answer, const char *why)
{
	diagnoser_answer_fn fn = TAKE_PTR(d->fn);

	sd_event_source_set_enabled(d->late, SD_EVENT_OFF);
	d->answered_fd = TAKE_FD(d->page_fd);
	if (fn)
		fn(d->arg, answer, why);
	close_fd(TAKE_FD(d->answered_fd));
}

int diagnoser_take_page(struct diagnoser *d, char **ret, size_t *ret_n)
{
	_cleanup_free_ char *page = NULL;
	struct stat st;
	size_t n;

	if (d->answered_fd < 0 || fstat(d->answered_fd, &st) || (uint64_t)st.st_size > d->page_bytes)
		return -EBADMSG;
	n = (size_t)st.st_size;
	page = malloc(n + 1);
	if (!page)
		return -ENOMEM;
	if (pread(d->answered_fd, page, n, 0) != (ssize_t)n || !view_is_page(page, n))
		return -EBADMSG;
	*ret = TAKE_PTR(page);
	*ret_n = n;
	return 0;
}

static void diagnoser_gone(struct diagnoser *d)
{
	d->io = sd_event_source_disable_unref(d->io);
	close(TAKE_FD(d->sock));
	waitpid(d->pid, NULL, WNOHANG);
	diagnoser_conclude(d, NULL, "the process that diagnoses hangs has ended; restart ctraced");
}

static void diagnoser_understand(struct diagnoser *d, const char *text, size_t n)
{
	json_t *answer = json_loadb(text, n, 0, NULL);
	const char *why = json_string_value(json_object_get(answer, "error"));

	if (!json_is_object(answer))
		diagnoser_conclude(d, NULL, "the process that diagnoses hangs gave no valid answer");
	else if (why)
		diagnoser_conclude(d, NULL, why);
	else
		diagnoser_conclude(d, answer, NULL);
	json_decref(answer);
}

static int diagnoser_event(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	_cleanup_free_ struct diagnoser_packet *p = malloc(sizeof(*p));
	struct diagnoser *d = arg;
	ssize_t n = p ? recv(fd, p, sizeof(*p), MSG_DONTWAIT) : -1;
	size_t head = offsetof(struct diagnoser_packet, json);

	if (n < 0 && (!p || errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < (ssize_t)head)
		diagnoser_gone(d);
	else if (d->fn && p->id == d->id)
		diagnoser_understand(d, p->json, (size_t)n - head);
	return 0;
}

/* The process limits the time of each answer (DIAGNOSER_WALL_S). So an answer is late only if the
 * process is stopped or gets no CPU. */
static int diagnoser_late(sd_event_source *s, uint64_t usec, void *arg)
{
	diagnoser_conclude(arg, NULL, "the process that diagnoses hangs did not answer in time");
	return 0;
}

int diagnoser_attach(struct diagnoser *d, sd_event *event)
{
	int r = sd_event_add_io(event, &d->io, d->sock, EPOLLIN, diagnoser_event, d);

	if (r >= 0)
		r = sd_event_add_time_relative(event, &d->late, CLOCK_MONOTONIC, 0, 0, diagnoser_late, d);
	return r < 0 ? r : sd_event_source_set_enabled(d->late, SD_EVENT_OFF);
}

void diagnoser_free(struct diagnoser *d)
{
	if (!d)
		return;
	sd_event_source_disable_unref(d->io);
	sd_event_source_disable_unref(d->late);
	close_fd(d->page_fd);
	close_fd(d->sock);
	free(d);
}

static int send_question(int sock, struct diagnoser_question *q, const int *fds, size_t n)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(DIAGNOSER_FDS * sizeof(int))];
	} u = { 0 };
	struct iovec iov = { .iov_base = q, .iov_len = sizeof(*q) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = u.room,
			      .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	return sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int diagnoser_ask(struct diagnoser *d, int fd, const struct diagnoser_question *q, diagnoser_answer_fn fn,
		  void *arg)
{
	_cleanup_close_ int page_fd = -1;
	struct diagnoser_question numbered = *q;
	int r;

	if (d->sock < 0)
		return -ESRCH;
	if (d->fn)
		return -EBUSY;
	if (q->page_bytes)
		page_fd = page_memory();
	if (q->page_bytes && page_fd < 0)
		return page_fd;
	numbered.id = ++d->id;
	r = send_question(d->sock, &numbered, (int[]){ fd, page_fd }, q->page_bytes ? 2 : 1);
	if (r)
		return r;
	d->fn = fn;
	d->arg = arg;
	d->page_fd = TAKE_FD(page_fd);
	d->page_bytes = q->page_bytes;
	sd_event_source_set_time_relative(d->late, (DIAGNOSER_WALL_S + DIAGNOSER_LATE_S) * 1000000ULL);
	sd_event_source_set_enabled(d->late, SD_EVENT_ONESHOT);
	return 0;
}
