/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener;

static void server(void)
{
	role("server");
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	compute_ms(2800);
	put(c);
}

int main(void)
{
	uint16_t port;

	expect("long-wait|repeated-yield", "busy|slow-peer", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	process(server);
	victim();
	struct pollfd p = { .fd = tcp_connect(port), .events = POLLIN };
	hang_begins();
	put(p.fd);
	while (CHECK(poll(&p, 1, 1000)) == 0)
		;
	get(p.fd);
	hang_ends();
	return finish();
}
