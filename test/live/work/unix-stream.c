/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unix stream server answers at once, and then computes before it answers. */
#include "work.h"

enum { ROUNDS = 8 };
static int listener;

static void server(void)
{
	role("server");
	int c = accept_one(listener);
	for (int i = 0; i <= ROUNDS; i++) {
		hear(c);
		compute_ms(i < ROUNDS ? 2 : 2500);
		tell(c);
	}
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "unix", "server", "victim,server");
	listener = unix_listen("s");
	process(server);
	victim();
	int s = unix_connect("s");
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		tell(s);
		hear(s);
	}
	hang_ends();
	return finish();
}
