/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

int main(void)
{
	expect("long-running", "busy", "cpu", "victim", "victim");
	victim();
	hang_begins();
	compute_ms(2500);
	hang_ends();
	return 0;
}
