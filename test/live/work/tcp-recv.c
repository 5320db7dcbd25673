/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TCP server on loopback answers at once, and then computes before it answers; the client is in recv. */
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
	uint16_t port;

	expect("long-wait", "busy|slow-peer", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	process(server);
	victim();
	int s = tcp_connect(port);
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		tell(s);
		hear(s);
	}
	hang_ends();
	return finish();
}
