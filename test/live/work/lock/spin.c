/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static volatile int locked = 1;

static void owner(void)
{
	role("owner");
	nap_ms(2500);
	locked = 0;
}

int main(void)
{
	expect("repeated-yield|long-running", "busy|polling", "cpu|data-flag", "victim,owner", "victim");
	pthread_t t = thread(owner);
	victim();
	nap_ms(50);
	hang_begins();
	while (locked)
		;
	hang_ends();
	return join(t);
}
