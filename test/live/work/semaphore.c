/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A semaphore in shared memory that another process posts late. */
#include "work.h"
#include <semaphore.h>

static sem_t *sem;

static void poster(void)
{
	role("poster");
	compute_ms(2600);
	sem_post(sem);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex", "poster", "victim,poster");
	sem = shared(sizeof(*sem));
	sem_init(sem, 1, 0);
	process(poster);
	victim();
	nap_ms(50);
	hang_begins();
	sem_wait(sem);
	hang_ends();
	return finish();
}
