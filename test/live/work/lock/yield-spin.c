/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static volatile int flag;
static struct stamp set;

static void setter(void)
{
	role("setter");
	nap_ms(2600);
	set = stamp();
	flag = 1;
}

int main(void)
{
	expect("repeated-yield|long-running", "polling|busy", "data-flag|cpu", "victim,setter", "victim");
	pthread_t t = thread(setter);
	victim();
	nap_ms(50);
	hang_begins();
	while (!flag)
		sched_yield();
	caused("flag", set, sleeps());
	hang_ends();
	return join(t);
}
