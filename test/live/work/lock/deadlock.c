/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static struct gate ready_a, ready_b;

static void other(void)
{
	role("other");
	pthread_mutex_lock(&lock_b);
	gate_open(ready_b);
	gate_wait(ready_a);
	pthread_mutex_lock(&lock_a);
}

static void program(void)
{
	thread(other);
	victim();
	pthread_mutex_lock(&lock_a);
	gate_open(ready_a);
	gate_wait(ready_b);
	hang_begins();
	pthread_mutex_lock(&lock_b);
}

int main(void)
{
	expect("long-wait", "circular-wait", "futex", "other,victim", "victim,other");
	ready_a = gate_new();
	ready_b = gate_new();
	pid_t p = process(program);
	nap_ms(2500);
	hang_ends();
	slay(p);
	return finish();
}
