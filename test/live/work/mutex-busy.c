/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread computes with a mutex held; another one wants it. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate held;

static void owner(void)
{
	role("owner");
	pthread_mutex_lock(&lock);
	gate_open(held);
	compute_ms(2500);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy", "futex", "owner", "victim,owner");
	held = gate_new();
	pthread_t t = thread(owner);
	victim();
	gate_wait(held);
	hang_begins();
	pthread_mutex_lock(&lock);
	hang_ends();
	pthread_mutex_unlock(&lock);
	return join(t);
}
