/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads meet at a barrier; one of them is late because it computes. */
#include "work.h"

static pthread_barrier_t barrier;

static void early(void)
{
	role("early");
	pthread_barrier_wait(&barrier);
}

static void straggler(void)
{
	role("straggler");
	compute_ms(2600);
	pthread_barrier_wait(&barrier);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "straggler", "victim,straggler");
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_t a = thread(early), b = thread(straggler);
	victim();
	nap_ms(50);
	hang_begins();
	pthread_barrier_wait(&barrier);
	hang_ends();
	pthread_join(a, NULL);
	return pthread_join(b, NULL);
}
