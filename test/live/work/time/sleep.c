/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

int main(void)
{
	expect("normal", "none|timer", "timer", "victim", "victim");
	victim();
	hang_begins();
	nap_ms(2500);
	hang_ends();
	return 0;
}
