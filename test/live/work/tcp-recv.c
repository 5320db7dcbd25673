/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TCP server on loopback computes before it answers; the client is in recv. */
#include "work.h"

static int listener;

static void server(void)
{
	role("server");
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	compute_ms(2500);
	put(c);
}

int main(void)
{
	uint16_t port;

	expect("long-wait", "busy|slow-peer", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	process(server);
	victim();
	int s = tcp_connect(port);
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
