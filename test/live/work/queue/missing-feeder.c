/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After twenty items the feeder stops. Then the thread `other` wakes the consumer three times
 * without an item. */
#include "work.h"

#define ROUNDS 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items, feed[2];

static void consumer(void)
{
	int done = 0;

	victim();
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!items)
			pthread_cond_wait(&more, &lock);
		items--;
		if (++done == ROUNDS)
			hang_begins();
	}
}

static void other(void)
{
	role("other");
	nap_ms(ROUNDS * 30 + 200);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
		nap_ms(10);
	}
	pause();
}

static void producer(void)
{
	role("producer");
	thread(consumer);
	thread(other);
	for (;;) {
		get(feed[0]);
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
}

static void feeder(void)
{
	role("feeder");
	for (int i = 0; i < ROUNDS; i++) {
		nap_ms(30);
		put(feed[1]);
	}
	nap_ms(10000);
}

int main(void)
{
	expect("long-wait", "missing-wakeup|timer|slow-peer", "futex", "feeder", "victim,producer,feeder");
	say("expect.missing=feeder\n");
	CHECK(pipe(feed));
	pid_t p = process(producer), f = process(feeder);
	nap_ms(ROUNDS * 30 + 3200);
	hang_ends();
	slay(p);
	slay(f);
	return finish();
}
