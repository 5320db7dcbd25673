/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_cond_signal() wakes one consumer, but another consumer may get the item. */
#include "work.h"

enum { EACH = 12, ITEMS = 2 * EACH + 1 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct stamp items[ITEMS], drained;
static int made, taken;

static void make(void)
{
	pthread_mutex_lock(&lock);
	items[made++] = stamp();
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

static void quick(void)
{
	role("quick");
	for (int i = 0; i < EACH; i++) {
		compute_ms(3);
		make();
	}
}

static void slow(void)
{
	role("slow");
	for (int i = 0; i < EACH; i++) {
		nap_ms(4);
		make();
	}
	nap_ms(60);
	compute_ms(2500);
	make();
}

static void take_until(int n)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		long before = sleeps();
		while (taken == made && taken < n)
			pthread_cond_wait(&more, &lock);
		if (taken >= n) {
			if (n == 2 * EACH)
				caused("post", drained, before);
			break;
		}
		struct stamp s = items[taken++];
		/* Perhaps the maker of the item did not wake this thread, but another task did.
		 * Then the trace has no record of the edge from the maker to this thread. So
		 * caused() must print this edge as "ran" (told.h), even if this thread slept.
		 * caused() does so if its last argument is the present number of sleeps. */
		caused("queue", s, sleeps());
		if (taken == 2 * EACH) {
			drained = stamp();
			pthread_cond_broadcast(&more);
		}
		pthread_mutex_unlock(&lock);
		compute_ms(2);
	}
	pthread_mutex_unlock(&lock);
}

static void other(void)
{
	role("other");
	take_until(2 * EACH);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "slow", "victim,slow");
	pthread_t t[] = { thread(other), thread(other), thread(quick), thread(slow) };
	victim();
	take_until(2 * EACH);
	hang_begins();
	take_until(ITEMS);
	hang_ends();
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		join(t[i]);
	return 0;
}
