/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CPU is free, but the CPU quota of the control group is used up. */
#include "throttled.h"

int main(void)
{
	expect("starved", "starved", "cpu", "victim", "victim");
	quota_begin();
	victim();
	hang_begins();
	compute_cpu_ms(100);
	hang_ends();
	quota_end();
	return 0;
}
