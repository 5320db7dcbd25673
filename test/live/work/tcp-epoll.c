/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As tcp-recv, but the client is an event loop: its epoll set also has a quiet pipe and a wake-up eventfd. */
#include "work.h"

enum { ROUNDS = 8 };
static int listener;

static void server(void)
{
	role("server");
	int c = accept_one(listener);
	for (int i = 0; i <= ROUNDS; i++) {
		hear(c);
		compute_ms(i < ROUNDS ? 2 : 2500);
		tell(c);
	}
}

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
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		tell(s);
		CHECK(epoll_wait(ep, &e, 1, -1));
		hear(s);
	}
	hang_ends();
	return finish();
}
