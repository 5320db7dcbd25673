/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The victim sleeps hundreds of times for 10 ms. A timer ends each sleep, and no sleep has an object. */
#include "work.h"

static volatile int flag;

static void setter(void)
{
	role("setter");
	compute_ms(2600);
	flag = 1;
}

int main(void)
{
	expect("repeated-yield", "polling", "data-flag|timer", "victim,setter", "victim");
	pthread_t t = thread(setter);
	victim();
	nap_ms(50);
	hang_begins();
	while (!flag)
		nap_ms(10);
	hang_ends();
	return join(t);
}
