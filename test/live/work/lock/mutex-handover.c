/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate held;

static void first(void)
{
	role("first");
	pthread_mutex_lock(&lock);
	gate_open(held);
	compute_ms(600);
	pthread_mutex_unlock(&lock);
}

static void second(void)
{
	role("second");
	gate_wait(held);
	gate_open(held);
	pthread_mutex_lock(&lock);
	compute_ms(2200);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy", "futex", "second", "victim,second");
	held = gate_new();
	pthread_t a = thread(first), b = thread(second);
	nap_ms(150);
	victim();
	gate_wait(held);
	hang_begins();
	pthread_mutex_lock(&lock);
	hang_ends();
	pthread_mutex_unlock(&lock);
	join(a);
	return join(b);
}
