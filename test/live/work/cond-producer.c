/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A consumer waits on a condition variable for an item that takes its producer long to make. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items;

static void producer(void)
{
	role("producer");
	compute_ms(2600);
	pthread_mutex_lock(&lock);
	items++;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "producer", "victim,producer");
	pthread_t t = thread(producer);
	victim();
	nap_ms(50);
	hang_begins();
	pthread_mutex_lock(&lock);
	while (!items)
		pthread_cond_wait(&more, &lock);
	pthread_mutex_unlock(&lock);
	hang_ends();
	return pthread_join(t, NULL);
}
