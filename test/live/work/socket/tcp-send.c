/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener;

static void receiver(void)
{
	static char buf[1 << 16];

	role("receiver");
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	compute_ms(2500);
	while (read(c, buf, sizeof(buf)) > 0)
		;
}

int main(void)
{
	static char buf[1 << 24];
	uint16_t port;

	expect("long-wait", "busy|slow-peer", "tcp", "receiver", "victim,receiver");
	listener = tcp_listen(&port);
	process(receiver);
	victim();
	int s = tcp_connect(port);
	hang_begins();
	CHECK(write(s, buf, sizeof(buf)));
	hang_ends();
	close(s);
	return finish();
}
