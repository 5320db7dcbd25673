/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener, hand[2];

static void pass(int over, int fd)
{
	union {
		struct cmsghdr h;
		char buf[CMSG_SPACE(sizeof(int))];
	} u = { .h = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec v = { "x", 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf)
	};

	memcpy(CMSG_DATA(&u.h), &fd, sizeof(fd));
	CHECK(sendmsg(over, &m, 0));
}

static int take(int from)
{
	union {
		struct cmsghdr h;
		char buf[CMSG_SPACE(sizeof(int))];
	} u;
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof(u.buf)
	};
	int fd;

	CHECK(recvmsg(from, &m, 0));
	memcpy(&fd, CMSG_DATA(&u.h), sizeof(fd));
	return fd;
}

static void dispatcher(void)
{
	role("dispatcher");
	int c = CHECK(accept(listener, NULL, NULL));
	pass(hand[0], c);
	close(c);
	accept(listener, NULL, NULL);
}

static void worker(void)
{
	role("worker");
	close(listener);
	int c = take(hand[1]);
	get(c);
	nap_ms(2500);
	put(c);
}

int main(void)
{
	expect("long-wait", "timer|slow-peer", "unix", "worker", "victim,worker");
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, hand));
	listener = unix_listen("fp");
	pid_t d = process(dispatcher);
	process(worker);
	close(hand[0]);
	close(hand[1]);
	close(listener);
	victim();
	nap_ms(50);
	int s = unix_connect("fp");
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	slay(d);
	return finish();
}
