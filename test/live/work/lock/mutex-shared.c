/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static pthread_mutex_t *lock;
static struct gate held;

static void owner(void)
{
	role("owner");
	pthread_mutex_lock(lock);
	gate_open(held);
	compute_ms(2500);
	pthread_mutex_unlock(lock);
}

int main(void)
{
	pthread_mutexattr_t a;

	expect("long-wait", "lock-holder|busy", "futex", "owner", "victim,owner");
	lock = shared(sizeof(*lock));
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(lock, &a);
	held = gate_new();
	process(owner);
	victim();
	gate_wait(held);
	hang_begins();
	pthread_mutex_lock(lock);
	hang_ends();
	return finish();
}
