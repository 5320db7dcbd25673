/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A nice program shares one CPU with two that are anything but nice. */
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

int main(void)
{
	expect("starved", "starved", "cpu", "hog1,hog2", "victim");
	go = gate_new();
	process(hog1);
	process(hog2);
	victim();
	nap_ms(50);
	pin(0);
	CHECK(setpriority(PRIO_PROCESS, 0, 19));
	hang_begins();
	gate_open(go);
	gate_open(go);
	compute_cpu_ms(150);
	hang_ends();
	return finish();
}
