/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hogs.h - two processes that compute on CPU 0, with a high priority (negative nice). */
#ifndef CTRACE_TEST_LIVE_HOGS_H
#define CTRACE_TEST_LIVE_HOGS_H

#include "work.h"
#include <sys/resource.h>

static struct gate go;

static void hog(const char *name)
{
	role(name);
	pin(0);
	if (setpriority(PRIO_PROCESS, 0, -15))
		_exit(77);
	gate_wait(go);
	compute_ms(2700);
}

static void hog1(void)
{
	hog("hog1");
}

static void hog2(void)
{
	hog("hog2");
}

static void hogs_new(void)
{
	go = gate_new();
	process(hog1);
	process(hog2);
}

static void hogs_go(void)
{
	gate_open(go);
	gate_open(go);
}

#endif
