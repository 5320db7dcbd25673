/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A read-write lock does not name its readers. */
#include "work.h"

enum { ROUNDS = 10 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct gate ready, held;

static void reader(void)
{
	role("reader");
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&lock);
		compute_ms(3);
		pthread_rwlock_unlock(&lock);
		nap_ms(1);
	}
	gate_wait(ready);
	pthread_rwlock_rdlock(&lock);
	gate_open(held);
	compute_ms(2500);
	pthread_rwlock_unlock(&lock);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy|slow-peer", "futex|lock", "reader", "victim,reader");
	ready = gate_new();
	held = gate_new();
	pthread_t t = thread(reader);
	victim();
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_wrlock(&lock);
		compute_ms(1);
		pthread_rwlock_unlock(&lock);
		nap_ms(1);
	}
	gate_open(ready);
	gate_wait(held);
	hang_begins();
	pthread_rwlock_wrlock(&lock);
	hang_ends();
	return join(t);
}
