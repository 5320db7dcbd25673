/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 6, PARTIES = 3 };
static pthread_barrier_t barrier;
static struct stamp came[ROUNDS + 1][PARTIES];

static void meet(int round, int me)
{
	long before = sleeps();
	struct stamp *v = came[round], *last = &v[0];

	v[me] = stamp();
	pthread_barrier_wait(&barrier);
	for (int i = 1; i < PARTIES; i++)
		if (v[i].ns > last->ns)
			last = &v[i];
	caused("post", *last, before);
}

static void early(void)
{
	role("early");
	for (int i = 0; i <= ROUNDS; i++)
		meet(i, 1);
}

static void straggler(void)
{
	role("straggler");
	for (int i = 0; i <= ROUNDS; i++) {
		compute_ms(i < ROUNDS ? 10 : 2600);
		meet(i, 2);
	}
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "straggler", "victim,straggler");
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_t a = thread(early), b = thread(straggler);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		meet(i, 0);
	}
	hang_ends();
	join(a);
	return join(b);
}
