/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As in interpreters, the lock is a flag and a condition variable. The victim tries every 5 ms to get it. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static bool taken = true;

static void owner(void)
{
	role("owner");
	compute_ms(2600);
	pthread_mutex_lock(&lock);
	taken = false;
	pthread_cond_signal(&freed);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	struct timespec t;

	expect("repeated-yield|long-wait", "busy|slow-peer|lock-holder|polling", "futex", "owner",
	       "victim,owner");
	pthread_t o = thread(owner);
	victim();
	nap_ms(50);
	hang_begins();
	pthread_mutex_lock(&lock);
	while (taken) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 5000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		pthread_cond_timedwait(&freed, &lock, &t);
	}
	pthread_mutex_unlock(&lock);
	hang_ends();
	return join(o);
}
