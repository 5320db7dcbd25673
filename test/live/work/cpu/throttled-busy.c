/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU quota of the victim is used up, so its two neighbours on the CPU are not to blame. */
#include "throttled.h"

static struct gate go;

static void neighbour(void)
{
	bystander("neighbour");
	pin(0);
	gate_wait(go);
	compute_ms(3200);
}

int main(void)
{
	expect("starved", "starved", "cpu", "victim", "victim");
	go = gate_new();
	process(neighbour);
	process(neighbour);
	quota_begin();
	victim();
	pin(0);
	gate_open(go);
	gate_open(go);
	hang_begins();
	compute_cpu_ms(100);
	hang_ends();
	quota_end();
	return finish();
}
