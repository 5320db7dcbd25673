/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The owner of the mutex is itself waiting: for another process to write into a pipe. */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate held;
static int data[2];

static void owner(void)
{
	role("owner");
	pthread_mutex_lock(&lock);
	gate_open(held);
	get(data[0]);
	pthread_mutex_unlock(&lock);
}

static void writer(void)
{
	role("writer");
	compute_ms(2600);
	put(data[1]);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy|slow-peer", "futex", "writer", "victim,owner,writer");
	held = gate_new();
	CHECK(pipe(data));
	process(writer);
	pthread_t t = thread(owner);
	victim();
	gate_wait(held);
	hang_begins();
	pthread_mutex_lock(&lock);
	hang_ends();
	join(t);
	return finish();
}
