/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <sys/timerfd.h>

int main(void)
{
	struct itimerspec t = { .it_value = { 2, 500000000 } };
	struct epoll_event e = { .events = EPOLLIN };
	uint64_t n;

	expect("normal|long-wait", "timer|none", "timer", "victim", "victim");
	int tfd = CHECK(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)),
	    ep = CHECK(epoll_create1(EPOLL_CLOEXEC));
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, tfd, &e));
	victim();
	hang_begins();
	CHECK(timerfd_settime(tfd, 0, &t, NULL));
	CHECK(epoll_wait(ep, &e, 1, -1));
	CHECK(read(tfd, &n, sizeof(n)));
	hang_ends();
	return 0;
}
