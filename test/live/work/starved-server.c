/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client of a server that does not get the CPU: the culprit's culprit is the hog. */
#include "work.h"
#include <sys/resource.h>

static int listener;
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

static void server(void)
{
	role("server");
	pin(0);
	CHECK(setpriority(PRIO_PROCESS, 0, 19));
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	compute_cpu_ms(120);
	put(c);
}

int main(void)
{
	expect("long-wait", "starved", "unix", "hog1,hog2", "victim,server");
	go = gate_new();
	listener = unix_listen("st");
	process(hog1);
	process(hog2);
	process(server);
	victim();
	int s = unix_connect("st");
	nap_ms(50);
	hang_begins();
	gate_open(go);
	gate_open(go);
	put(s);
	get(s);
	hang_ends();
	return finish();
}
