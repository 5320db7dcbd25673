/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dispatcher queues jobs, but signals the worker only for the first 25. Then the thread `other`
 * queues three jobs, with a signal for each. After that, no thread signals the worker. */
#include "work.h"

#define ROUNDS 25
#define OTHERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs;

static void worker(void)
{
	int done = 0;

	victim();
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!jobs)
			pthread_cond_wait(&more, &lock);
		jobs--;
		if (++done == ROUNDS + OTHERS)
			hang_begins();
	}
}

static void queue(bool wake)
{
	pthread_mutex_lock(&lock);
	jobs++;
	if (wake)
		pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

static void other(void)
{
	role("other");
	nap_ms(ROUNDS * 40 + 30);
	for (int i = 0; i < OTHERS; i++) {
		queue(true);
		nap_ms(10);
	}
	pause();
}

static void dispatcher(void)
{
	role("dispatcher");
	thread(worker);
	thread(other);
	for (int i = 0;; i++) {
		nap_ms(40);
		queue(i < ROUNDS);
	}
}

int main(void)
{
	expect("long-wait", "missing-wakeup", "futex", "dispatcher", "victim,dispatcher");
	say("expect.missing=dispatcher\n");
	pid_t p = process(dispatcher);
	nap_ms(ROUNDS * 40 + 3200);
	hang_ends();
	slay(p);
	return finish();
}
