/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutex.h - the victim waits for a mutex whose owner calls while_held(). */
#ifndef CTRACE_TEST_LIVE_MUTEX_H
#define CTRACE_TEST_LIVE_MUTEX_H

#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate held;
static void while_held(void);

static void owner(void)
{
	role("owner");
	pthread_mutex_lock(&lock);
	gate_open(held);
	while_held();
	pthread_mutex_unlock(&lock);
}

static int want_mutex(void)
{
	held = gate_new();
	pthread_t t = thread(owner);
	victim();
	gate_wait(held);
	hang_begins();
	pthread_mutex_lock(&lock);
	hang_ends();
	pthread_mutex_unlock(&lock);
	return join(t);
}

#endif
