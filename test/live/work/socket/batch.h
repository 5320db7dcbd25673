/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.h - a server collects the requests of all clients for a moment, and then answers them
 * together. In the end, one request of the victim takes long.
 */
#ifndef CTRACE_TEST_LIVE_BATCH_H
#define CTRACE_TEST_LIVE_BATCH_H

#include "work.h"

enum { CLIENTS = 3, ROUNDS = 8, PIPELINED = 3, BATCH = 64 };

static int batch_listener;
static int (*batch_connect)(void);

struct asked {
	int fd;
	struct stamp what;
};

/* Returns the number of requests, at most max, or -1 if the client has closed its end. */
static inline int batch_read(int fd, struct asked *v, int max)
{
	struct stamp in[BATCH];
	ssize_t n = recv(fd, in, max * sizeof(*in), MSG_DONTWAIT);
	uint64_t now = mono_ns();

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return -1;
	n /= sizeof(*in);
	for (int i = 0; i < n; i++) {
		heard_at(fd, in[i], SEEN, now);
		v[i] = (struct asked){ fd, in[i] };
	}
	return n;
}

static inline void batch_server(void)
{
	struct epoll_event e = { .events = EPOLLIN }, ready[CLIENTS];
	int ep = CHECK(epoll_create1(EPOLL_CLOEXEC)), open = CLIENTS;
	struct asked v[BATCH];

	role("server");
	for (int i = 0; i < CLIENTS; i++) {
		e.data.fd = accept_one(batch_listener);
		CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e));
	}
	while (open) {
		int n = 0;

		long before = sleeps();
		CHECK(epoll_wait(ep, ready, 1, -1));
		int woken_by = sleeps() != before ? ready[0].data.fd : -1;
		nap_ms(4);
		int n_ready = CHECK(epoll_wait(ep, ready, CLIENTS, 0));
		for (int i = 0; i < n_ready; i++) {
			int fd = ready[i].data.fd, got = batch_read(fd, v + n, BATCH - n);
			if (got < 0) {
				heard_end(fd, fd == woken_by ? before : sleeps());
				open--;
			}
			n += got > 0 ? got : 0;
		}
		for (int i = 0; i < n; i++)
			compute_ms(v[i].what.note ? 2500 : 1);
		for (int i = 0; i < n; i++)
			tell(v[i].fd);
	}
}

static inline void batch_ask(int fd, bool is_long)
{
	for (int i = 0; i < PIPELINED; i++)
		tell_note(fd, is_long && i == 0);
	for (int i = 0; i < PIPELINED; i++)
		hear(fd);
}

static inline void batch_other(void)
{
	bystander("other");
	int fd = batch_connect();

	for (int i = 0; i < ROUNDS; i++) {
		batch_ask(fd, false);
		nap_ms(7);
	}
}

static inline int batch_main(const char *kind)
{
	expect("long-wait", "busy|slow-peer", kind, "server", "victim,server");
	process(batch_server);
	for (int i = 1; i < CLIENTS; i++)
		process(batch_other);
	victim();
	int fd = batch_connect();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		batch_ask(fd, i == ROUNDS);
		nap_ms(i < ROUNDS ? 5 : 0);
	}
	hang_ends();
	close(fd);
	return finish();
}

#endif
