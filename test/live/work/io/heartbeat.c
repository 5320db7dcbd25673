/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A task writes to the victim's pipe every 20 ms. Before the last write, a signal handler of this task sleeps
 * for 2.5 s. */
#include "work.h"
#include <sys/timerfd.h>

enum { ROUNDS = 10 };
static int p[2];

static void late(int sig)
{
	nap_ms(2500);
}

static void heart(void)
{
	struct itimerspec every = { { 0, 20000000 }, { 0, 20000000 } }, once = { .it_value = { 0, 1000000 } };
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	int tfd = CHECK(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	uint64_t n;
	timer_t t;

	role("heart");
	CHECK(sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = late, .sa_flags = SA_RESTART }, NULL));
	CHECK(timer_create(CLOCK_MONOTONIC, &e, &t));
	CHECK(timerfd_settime(tfd, 0, &every, NULL));
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			CHECK(timer_settime(t, 0, &once, NULL));
		CHECK(read(tfd, &n, sizeof(n)));
		tell(p[1]);
	}
}

int main(void)
{
	expect("long-wait", "slow-peer|timer", "pipe", "heart", "victim,heart");
	CHECK(pipe(p));
	process(heart);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		hear(p[0]);
	}
	hang_ends();
	return finish();
}
