/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priority inversion: a thread with a middle priority takes the CPU from the mutex's owner. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate held, go;

static void prio(int n)
{
	struct sched_param p = { .sched_priority = n };

	pin(0);
	if (n && pthread_setschedparam(pthread_self(), SCHED_FIFO, &p))
		skip("no real-time priority here");
}

static void low(void)
{
	role("low");
	prio(0);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		compute_cpu_ms(3);
		pthread_mutex_unlock(&lock);
		nap_ms(3);
	}
	pthread_mutex_lock(&lock);
	gate_open(held);
	compute_cpu_ms(150);
	pthread_mutex_unlock(&lock);
}

static void middle(void)
{
	role("middle");
	prio(10);
	gate_wait(go);
	compute_ms(2500);
}

int main(void)
{
	expect("long-wait", "lock-holder|starved|busy", "futex", "low,middle", "victim,low");
	held = gate_new();
	go = gate_new();
	pthread_t a = thread(low), b = thread(middle);
	victim();
	prio(20);
	gate_wait(held);
	hang_begins();
	gate_open(go);
	pthread_mutex_lock(&lock);
	hang_ends();
	pthread_mutex_unlock(&lock);
	join(a);
	return join(b);
}
