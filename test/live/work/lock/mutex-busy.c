/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mutex.h"

static void while_held(void)
{
	compute_ms(2500);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy", "futex", "owner", "victim,owner");
	return want_mutex();
}
