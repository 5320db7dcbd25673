/* SPDX-License-Identifier: GPL-2.0-or-later */
/* With priority inheritance, the kernel knows the owner of the mutex. */
#include "mutex.h"

static void while_held(void)
{
	compute_ms(2500);
}

int main(void)
{
	pthread_mutexattr_t a;

	expect("long-wait", "lock-holder|busy", "futex", "owner", "victim,owner");
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &a);
	return want_mutex();
}
