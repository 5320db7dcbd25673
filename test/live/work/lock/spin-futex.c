/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The task spins before it waits on a futex. Of two events in a row, one comes while the task
 * spins. */
#include "work.h"
#include <linux/futex.h>
#include <sys/syscall.h>

enum { ROUNDS = 12 };
static uint32_t event;
static struct stamp set[ROUNDS + 1];

static void setter(void)
{
	role("setter");
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			compute_ms(2600);
		else if (i % 2)
			compute_ms(6);
		set[i] = stamp();
		__atomic_store_n(&event, i + 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &event, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

static void await(uint32_t n)
{
	for (int i = 0; i < 2000; i++)
		if (__atomic_load_n(&event, __ATOMIC_ACQUIRE) >= n)
			return;
	for (uint32_t now; (now = __atomic_load_n(&event, __ATOMIC_ACQUIRE)) < n;)
		syscall(SYS_futex, &event, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "setter", "victim,setter");
	pthread_t t = thread(setter);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		long before = sleeps();
		await(i + 1);
		caused("post", set[i], before);
	}
	hang_ends();
	return join(t);
}
