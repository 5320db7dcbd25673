/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 15 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate ready, held;

static void turns(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		compute_ms(1);
		pthread_mutex_unlock(&lock);
		nap_ms(1);
	}
}

static void other(void)
{
	bystander("other");
	turns();
}

static void keeper(void)
{
	role("keeper");
	turns();
	gate_wait(ready);
	pthread_mutex_lock(&lock);
	gate_open(held);
	compute_ms(2500);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy", "futex", "keeper", "victim,keeper");
	ready = gate_new();
	held = gate_new();
	pthread_t t[] = { thread(other), thread(other), thread(keeper) };
	victim();
	turns();
	gate_open(ready);
	gate_wait(held);
	hang_begins();
	pthread_mutex_lock(&lock);
	hang_ends();
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		join(t[i]);
	return 0;
}
