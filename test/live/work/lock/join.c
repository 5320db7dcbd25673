/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static void worker(void)
{
	role("worker");
	compute_ms(2500);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "futex|child", "worker", "victim,worker");
	victim();
	pthread_t t = thread(worker);
	nap_ms(50);
	hang_begins();
	join(t);
	hang_ends();
	return 0;
}
