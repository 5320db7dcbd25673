/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener;
static struct gate up;

static void server(void)
{
	role("server");
	gate_open(up);
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	put(c);
}

static void client(void)
{
	victim();
	int s = unix_connect("sp");
	nap_ms(100);
	hang_begins();
	put(s);
	get(s);
	hang_ends();
}

int main(void)
{
	expect("long-wait", "stopped", "unix", "server,stopper", "victim,server");
	role("stopper");
	listener = unix_listen("sp");
	up = gate_new();
	pid_t p = process(server);
	gate_wait(up);
	process(client);
	nap_ms(50);
	kill(p, SIGSTOP);
	nap_ms(2600);
	kill(p, SIGCONT);
	return finish();
}
