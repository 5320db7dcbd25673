/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { CLIENTS = 4, ROUNDS = 10 };
static int listener;
static uint16_t port;
static struct gate sent;

static void server(void)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = listener };
	int ep = CHECK(epoll_create1(EPOLL_CLOEXEC)), open = CLIENTS;

	role("server");
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e));
	while (open) {
		long before = sleeps();
		CHECK(epoll_wait(ep, &e, 1, -1));
		if (e.data.fd == listener) {
			e = (struct epoll_event){ .events = EPOLLIN,
						  .data.fd = accept_after(listener, before) };
			CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e));
			continue;
		}
		struct stamp s;
		if (read(e.data.fd, &s, sizeof(s)) != sizeof(s)) {
			heard_end(e.data.fd, before);
			open--;
			continue;
		}
		heard(e.data.fd, s, before);
		compute_ms(s.note ? 2500 : 1);
		tell(e.data.fd);
	}
}

static void ask(int fd, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		tell(fd);
		hear(fd);
		nap_ms(3);
	}
}

static void other(void)
{
	bystander("other");
	ask(tcp_connect(port), ROUNDS);
}

static void heavy(void)
{
	role("heavy");
	int fd = tcp_connect(port);

	ask(fd, ROUNDS);
	nap_ms(100);
	tell_note(fd, 1);
	gate_open(sent);
	hear(fd);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer|queueing", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	sent = gate_new();
	process(server);
	process(other);
	process(other);
	process(heavy);
	victim();
	int fd = tcp_connect(port);
	ask(fd, ROUNDS);
	gate_wait(sent);
	nap_ms(20);
	hang_begins();
	tell(fd);
	hear(fd);
	hang_ends();
	close(fd);
	return finish();
}
