/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <semaphore.h>

enum { ROUNDS = 8 };
static sem_t *sem;
static struct stamp *posted;

static void poster(void)
{
	role("poster");
	for (int i = 0; i <= ROUNDS; i++) {
		compute_ms(i < ROUNDS ? 5 : 2600);
		posted[i] = stamp();
		sem_post(sem);
	}
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "poster", "victim,poster");
	sem = shared(sizeof(*sem));
	posted = shared((ROUNDS + 1) * sizeof(*posted));
	sem_init(sem, 1, 0);
	process(poster);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		long before = sleeps();
		sem_wait(sem);
		caused("post", posted[i], before);
	}
	hang_ends();
	return finish();
}
