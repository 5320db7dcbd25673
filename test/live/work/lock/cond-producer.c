/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
enum { ROUNDS = 8 };
static struct stamp made[ROUNDS + 1];
static int items;

static void producer(void)
{
	role("producer");
	for (int i = 0; i <= ROUNDS; i++) {
		compute_ms(i < ROUNDS ? 5 : 2600);
		pthread_mutex_lock(&lock);
		made[items++] = stamp();
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "producer", "victim,producer");
	pthread_t t = thread(producer);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		pthread_mutex_lock(&lock);
		long before = sleeps();
		while (items <= i)
			pthread_cond_wait(&more, &lock);
		caused("post", made[i], before);
		pthread_mutex_unlock(&lock);
	}
	hang_ends();
	return join(t);
}
