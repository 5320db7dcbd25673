/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds.h - a server answers some requests quickly, and computes for long before its last answer. */
#ifndef CTRACE_TEST_LIVE_ROUNDS_H
#define CTRACE_TEST_LIVE_ROUNDS_H

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

/* epoll: the epoll in which the client waits for each answer; -1: it waits in a read. */
static void ask_rounds(int fd, int epoll)
{
	struct epoll_event e;

	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		tell(fd);
		if (epoll >= 0)
			CHECK(epoll_wait(epoll, &e, 1, -1));
		hear(fd);
	}
	hang_ends();
}

#endif
