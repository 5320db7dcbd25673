/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static struct gate go;

static void hog(void)
{
	struct sched_param p = { .sched_priority = 40 };

	role("hog");
	pin(0);
	gate_wait(go);
	if (sched_setscheduler(0, SCHED_FIFO, &p))
		_exit(77);
	compute_ms(2600);
}

int main(void)
{
	expect("starved", "starved", "cpu", "hog", "victim,hog");
	go = gate_new();
	process(hog);
	victim();
	nap_ms(50);
	pin(0);
	hang_begins();
	gate_open(go);
	compute_cpu_ms(200);
	hang_ends();
	return finish();
}
