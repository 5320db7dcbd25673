/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread sleeps while it owns a mutex. Another thread waits for the mutex. */
#include "mutex.h"

static void while_held(void)
{
	nap_ms(2500);
}

int main(void)
{
	expect("long-wait", "lock-holder|timer", "futex", "owner", "victim,owner");
	return want_mutex();
}
