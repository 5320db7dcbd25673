/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

#define ROUNDS 50

static int front[2], back[2];

static void helper(void)
{
	role("helper");
	for (int i = 0;; i++) {
		get(back[1]);
		if (i == ROUNDS)
			nap_ms(3000);
		put(back[1]);
	}
}

static void server(void)
{
	role("server");
	for (;;) {
		get(front[1]);
		put(back[0]);
		get(back[0]);
		put(front[1]);
	}
}

int main(void)
{
	expect("long-wait", "timer|slow-peer", "unix", "helper", "victim,server,helper");
	say("expect.missing=helper\n");
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, front));
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, back));
	pid_t h = process(helper), s = process(server);
	victim();
	for (int i = 0; i < ROUNDS; i++) {
		nap_ms(10);
		put(front[0]);
		get(front[0]);
	}
	hang_begins();
	put(front[0]);
	get(front[0]);
	hang_ends();
	slay(h);
	slay(s);
	return finish();
}
