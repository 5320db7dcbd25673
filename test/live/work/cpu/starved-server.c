/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hogs.h"

static int listener;

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
	listener = unix_listen("st");
	hogs_new();
	process(server);
	victim();
	int s = unix_connect("st");
	nap_ms(50);
	hang_begins();
	hogs_go();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
