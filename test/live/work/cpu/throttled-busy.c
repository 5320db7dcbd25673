/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program shares a CPU with two other programs of the same priority. The first program gets much
 * less than a third of the CPU, because the CPU quota of its control group is used up. So the two
 * other programs are not to blame.
 */
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
