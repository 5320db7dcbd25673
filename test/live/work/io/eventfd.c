/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 8 };
static int efd;
static struct stamp written[ROUNDS + 1];

static void worker(void)
{
	role("worker");
	for (int i = 0; i <= ROUNDS; i++) {
		compute_ms(i < ROUNDS ? 5 : 2600);
		written[i] = stamp();
		CHECK(eventfd_write(efd, 1));
	}
}

int main(void)
{
	eventfd_t v;

	expect("long-wait", "busy|slow-peer", "eventfd", "worker", "victim,worker");
	efd = CHECK(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
	pthread_t t = thread(worker);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		long before = sleeps();
		CHECK(eventfd_read(efd, &v));
		caused("eventfd", written[i], before);
	}
	hang_ends();
	return join(t);
}
