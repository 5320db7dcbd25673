/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener, conn;

static void handler(void)
{
	role("handler");
	close(listener);
	get(conn);
	compute_ms(2500);
	put(conn);
}

static void server(void)
{
	role("server");
	conn = CHECK(accept(listener, NULL, NULL));
	process(handler);
	close(conn);
	finish();
}

int main(void)
{
	uint16_t port;

	expect("long-wait", "busy|slow-peer", "tcp", "handler", "victim,handler");
	listener = tcp_listen(&port);
	process(server);
	victim();
	int s = tcp_connect(port);
	nap_ms(50);
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
