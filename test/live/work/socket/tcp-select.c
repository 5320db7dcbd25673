/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <sys/select.h>

static int fast_listener, slow_listener;

static void quiet(void)
{
	char c;

	role("quiet");
	int s = CHECK(accept(fast_listener, NULL, NULL));
	CHECK(read(s, &c, 1));
}

static void server(void)
{
	role("server");
	int c = CHECK(accept(slow_listener, NULL, NULL));
	get(c);
	compute_ms(2500);
	put(c);
}

int main(void)
{
	uint16_t fast, slow;
	fd_set set;

	expect("long-wait", "busy|slow-peer", "tcp", "server", "victim,server");
	fast_listener = tcp_listen(&fast);
	slow_listener = tcp_listen(&slow);
	process(quiet);
	process(server);
	victim();
	int f = tcp_connect(fast), s = tcp_connect(slow);
	nap_ms(50);
	FD_ZERO(&set);
	FD_SET(f, &set);
	FD_SET(s, &set);
	hang_begins();
	put(s);
	CHECK(select((f > s ? f : s) + 1, &set, NULL, NULL, NULL));
	get(s);
	hang_ends();
	close(f);
	return finish();
}
