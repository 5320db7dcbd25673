/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Normal behaviour: for each request, a TCP service asks another service over a socket pair. */
#include "work.h"
#include <sys/timerfd.h>

enum { CLIENTS = 3 };
static int listener, sv[2];
static uint16_t port;

static void store(void)
{
	struct stamp s;

	role("store");
	close(sv[0]);
	for (;;) {
		long before = sleeps();
		if (read(sv[1], &s, sizeof(s)) != sizeof(s))
			return heard_end(sv[1], before);
		heard(sv[1], s, SEEN);
		tell(sv[1]);
	}
}

static void server(void)
{
	struct pollfd p[CLIENTS];
	struct stamp s;
	int open = CLIENTS;

	role("server");
	close(sv[1]);
	for (int i = 0; i < CLIENTS; i++)
		p[i] = (struct pollfd){ .events = POLLIN, .fd = accept_one(listener) };
	while (open) {
		long before = sleeps();
		/* If several descriptors are ready, it is not known which one woke the task. */
		bool one = CHECK(poll(p, CLIENTS, -1)) == 1;
		for (int i = 0; i < CLIENTS; i++) {
			if (!p[i].revents)
				continue;
			if (read(p[i].fd, &s, sizeof(s)) != sizeof(s)) {
				heard_end(p[i].fd, one ? before : sleeps());
				p[i].fd = -1;
				open--;
				continue;
			}
			heard(p[i].fd, s, SEEN);
			tell(sv[0]);
			hear(sv[0]);
			tell(p[i].fd);
		}
	}
	close(sv[0]);
}

static void ask(void)
{
	struct itimerspec every = { { 0, 10000000 }, { 0, 10000000 } };
	int fd = tcp_connect(port), tfd = CHECK(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	uint64_t end = mono_ns() + scaled(1500) * 1000000ULL, n;

	CHECK(timerfd_settime(tfd, 0, &every, NULL));
	while (mono_ns() < end) {
		CHECK(read(tfd, &n, sizeof(n)));
		tell(fd);
		hear(fd);
	}
	close(fd);
}

static void other(void)
{
	bystander("other");
	ask();
}

int main(void)
{
	expect("normal", "none|timer", "-", "-", "victim");
	listener = tcp_listen(&port);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	process(store);
	process(server);
	process(other);
	process(other);
	close(sv[0]);
	close(sv[1]);
	victim();
	hang_begins();
	ask();
	hang_ends();
	return finish();
}
