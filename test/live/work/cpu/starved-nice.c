/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hogs.h"

int main(void)
{
	expect("starved", "starved", "cpu", "hog1,hog2", "victim");
	hogs_new();
	victim();
	nap_ms(50);
	pin(0);
	CHECK(setpriority(PRIO_PROCESS, 0, 19));
	hang_begins();
	hogs_go();
	compute_cpu_ms(150);
	hang_ends();
	return finish();
}
