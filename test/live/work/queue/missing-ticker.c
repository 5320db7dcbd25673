/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

#define TICKS 30

static int tick;

static void ticker(void)
{
	role("ticker");
	for (int i = 0; i < TICKS; i++) {
		nap_ms(50);
		CHECK(eventfd_write(tick, 1));
	}
}

static void loop(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	int set = CHECK(epoll_create1(0));
	eventfd_t v;

	victim();
	tick = CHECK(eventfd(0, EFD_CLOEXEC));
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, tick, &e));
	thread(ticker);
	for (int i = 0;; i++) {
		if (i == TICKS)
			hang_begins();
		CHECK(epoll_wait(set, &e, 1, -1));
		CHECK(eventfd_read(tick, &v));
	}
}

int main(void)
{
	expect("long-wait", "missing-wakeup", "eventfd", "ticker", "victim,ticker");
	say("expect.missing=ticker\n");
	pid_t p = process(loop);
	nap_ms(TICKS * 50 + 3200);
	hang_ends();
	slay(p);
	return finish();
}
