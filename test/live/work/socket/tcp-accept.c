/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener;
static uint16_t port;

static void server(void)
{
	role("server");
	for (int i = 0; i < 2; i++) {
		int c = CHECK(accept(listener, NULL, NULL));
		get(c);
		compute_ms(i ? 1 : 2600);
		put(c);
		close(c);
	}
}

static void rival(void)
{
	role("rival");
	int s = tcp_connect(port);
	put(s);
	get(s);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer|queueing", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	process(server);
	process(rival);
	victim();
	nap_ms(100);
	int s = tcp_connect(port);
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
