/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The producer makes no sixth job, so both threads wait until they are killed. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs, done;

static void worker(void)
{
	victim();
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!jobs)
			pthread_cond_wait(&more, &lock);
		jobs--;
		pthread_mutex_unlock(&lock);
		compute_ms(20);
		pthread_mutex_lock(&lock);
		if (++done == 5)
			hang_begins();
	}
}

static void producer(void)
{
	role("producer");
	thread(worker);
	for (int i = 0; i < 6; i++) {
		nap_ms(100);
		pthread_mutex_lock(&lock);
		if (i < 5) {
			jobs++;
			pthread_cond_signal(&more);
		}
		pthread_mutex_unlock(&lock);
	}
	pause();
}

int main(void)
{
	expect("long-wait|normal", "missing-wakeup|none|timer|slow-peer", "futex", "producer,victim", "victim");
	pid_t p = process(producer);
	nap_ms(3200);
	hang_ends();
	slay(p);
	return finish();
}
