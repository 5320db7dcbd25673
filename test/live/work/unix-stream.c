/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unix stream server computes before it answers. */
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
	expect("long-wait", "busy|slow-peer", "unix", "server", "victim,server");
	listener = unix_listen("s");
	process(server);
	victim();
	int s = unix_connect("s");
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
