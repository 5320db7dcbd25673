/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread waits for an eventfd that another thread writes late. */
#include "work.h"

static int efd;

static void worker(void)
{
	role("worker");
	compute_ms(2600);
	CHECK(eventfd_write(efd, 1));
}

int main(void)
{
	eventfd_t v;

	expect("long-wait", "busy|slow-peer", "eventfd", "worker", "victim,worker");
	efd = CHECK(eventfd(0, EFD_CLOEXEC));
	pthread_t t = thread(worker);
	victim();
	nap_ms(50);
	hang_begins();
	CHECK(eventfd_read(efd, &v));
	hang_ends();
	return pthread_join(t, NULL);
}
