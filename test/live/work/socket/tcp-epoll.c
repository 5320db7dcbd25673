/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The victim waits in an epoll with a TCP connection, and with a pipe and an eventfd that never
 * become readable. */
#include "rounds.h"

int main(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	uint16_t port;
	int quiet[2];

	expect("long-wait", "busy|slow-peer", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	process(server);
	victim();
	CHECK(pipe(quiet));
	int s = tcp_connect(port), ep = CHECK(epoll_create1(EPOLL_CLOEXEC));
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, quiet[0], &e));
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, CHECK(eventfd(0, EFD_CLOEXEC)), &e));
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, s, &e));
	ask_rounds(s, ep);
	return finish();
}
