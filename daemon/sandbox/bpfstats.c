// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sandbox/bpfstats.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/sandbox/filter.h"
#include "daemon/sandbox/privilege.h"
#include "lib/cleanup.h"

/* The answer of the small process (bpfstats.h), which has the name ctraced-stats. result: 0, with a
 * descriptor that keeps the statistics on, or -errno. */
struct bpfstats_message {
	struct msghdr m;
	struct iovec iov;
	int result;
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
};

static int bpfstats_sock = -1;
static pthread_mutex_t bpfstats_lock = PTHREAD_MUTEX_INITIALIZER;

static void message_init(struct bpfstats_message *m)
{
	*m = (struct bpfstats_message){ .iov = { &m->result, sizeof(m->result) } };
	m->m = (struct msghdr){
		.msg_iov = &m->iov, .msg_iovlen = 1, .msg_control = m->room, .msg_controllen = sizeof(m->room)
	};
}

static int bpfstats_enable(void)
{
	union bpf_attr attr = { .enable_stats.type = BPF_STATS_RUN_TIME };
	int fd = (int)syscall(__NR_bpf, BPF_ENABLE_STATS, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

static bool bpfstats_answer(int sock)
{
	_cleanup_close_ int fd = bpfstats_enable();
	struct bpfstats_message m;
	struct cmsghdr *h;

	message_init(&m);
	m.result = MIN(fd, 0);
	if (fd < 0)
		m.m.msg_controllen = 0;
	h = CMSG_FIRSTHDR(&m.m);
	if (h) {
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	}
	return sendmsg(sock, &m.m, MSG_NOSIGNAL) >= 0;
}

static int bpfstats_confine(int sock)
{
	static const int calls[] = { __NR_close, __NR_exit_group, __NR_rt_sigreturn };
	const uint32_t enable = BPF_ENABLE_STATS, own = (uint32_t)sock;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct admin[2] = { { .effective = 1u << CAP_SYS_ADMIN,
							   .permitted = 1u << CAP_SYS_ADMIN } };
	struct filter f;
	/* first, because it needs a privilege that the next steps give up */
	int r = privilege_drop_bounding();

	if (r)
		return r;
	if ((sock > 0 && close_range(0, (unsigned)sock - 1, 0)) || close_range((unsigned)sock + 1, ~0U, 0) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || syscall(__NR_capset, &head, admin) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	filter_init(&f);
	filter_allow(&f, calls, ARRAY_SIZE(calls));
	filter_allow_values(&f, __NR_read, 0, UINT32_MAX, &own, 1);
	filter_allow_values(&f, __NR_sendmsg, 0, UINT32_MAX, &own, 1);
	filter_allow_values(&f, __NR_bpf, 0, UINT32_MAX, &enable, 1);
	return filter_enter(&f);
}

static _Noreturn void bpfstats_serve(int sock)
{
	char request;

	signal(SIGINT, SIG_IGN); /* Ctrl-C reaches this process too */
	prctl(PR_SET_NAME, "ctraced-stats", 0, 0, 0);
	if (!bpfstats_confine(sock))
		while (read(sock, &request, 1) == 1 && bpfstats_answer(sock))
			;
	_exit(0);
}

int bpfstats_start(void)
{
	const struct timeval second = { .tv_sec = 1 };
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (!pid)
		bpfstats_serve(ends[1]);
	close(ends[1]);
	if (pid < 0 || setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second))) {
		int r = -errno;

		close(ends[0]);
		return r;
	}
	bpfstats_sock = ends[0];
	return 0;
}

static int bpfstats_receive(void)
{
	struct bpfstats_message m;
	struct cmsghdr *h;
	ssize_t n;
	int fd;

	message_init(&m);
	n = recvmsg(bpfstats_sock, &m.m, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	h = CMSG_FIRSTHDR(&m.m);
	if (n != sizeof(m.result))
		return -EPIPE;
	if (m.result || !h || h->cmsg_type != SCM_RIGHTS)
		return m.result ?: -EPIPE;
	memcpy(&fd, CMSG_DATA(h), sizeof(fd));
	return fd;
}

/* An answer that comes too late would be taken for the answer to the next request, and its
 * descriptor would keep the statistics on. */
static void bpfstats_drop_late(void)
{
	struct iovec iov = { &(char){ 0 }, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	while (recvmsg(bpfstats_sock, &m, MSG_PEEK | MSG_DONTWAIT) > 0) {
		int fd = bpfstats_receive();

		cleanup_close_p(&fd);
	}
}

static int bpfstats_ask(void)
{
	bpfstats_drop_late();
	if (send(bpfstats_sock, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	return bpfstats_receive();
}

int bpfstats_open(void)
{
	int r;

	if (bpfstats_sock < 0)
		return -EPERM;
	pthread_mutex_lock(&bpfstats_lock);
	r = bpfstats_ask();
	pthread_mutex_unlock(&bpfstats_lock);
	return r;
}
