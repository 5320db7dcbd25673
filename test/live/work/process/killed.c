/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener;
static pid_t victim_pid;

static void server(void)
{
	role("server");
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	nap_ms(60000);
}

static void client(void)
{
	victim();
	int s = unix_connect("ki");
	nap_ms(50);
	hang_begins();
	put(s);
	get(s);
}

static void killer(void)
{
	role("killer");
	nap_ms(2600);
	hang_ends();
	slay(victim_pid);
}

int main(void)
{
	expect("long-wait", "slow-peer|timer", "unix", "server", "victim,server");
	listener = unix_listen("ki");
	pid_t s = process(server);
	victim_pid = process(client);
	process(killer);
	nap_ms(2900);
	slay(s);
	return finish();
}
