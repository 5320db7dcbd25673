/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <sys/sem.h>

static int id;
static struct gate held;

static void down(void)
{
	CHECK(semop(id, &(struct sembuf){ 0, -1, SEM_UNDO }, 1));
}

static void owner(void)
{
	role("owner");
	down();
	gate_open(held);
	compute_ms(2500);
	CHECK(semop(id, &(struct sembuf){ 0, 1, SEM_UNDO }, 1));
}

int main(void)
{
	expect("long-wait", "busy|slow-peer|lock-holder", "-", "owner", "victim,owner");
	id = CHECK(semget(IPC_PRIVATE, 1, 0600));
	CHECK(semctl(id, 0, SETVAL, 1));
	held = gate_new();
	process(owner);
	victim();
	gate_wait(held);
	hang_begins();
	down();
	hang_ends();
	semctl(id, 0, IPC_RMID);
	return finish();
}
