/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int listener;

static void server(void)
{
	role("server");
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	nap_ms(2500);
	put(c);
}

int main(void)
{
	expect("repeated-yield|long-running", "polling|busy|slow-peer", "unix|cpu|data-flag", "victim,server",
	       "victim");
	listener = unix_listen("ps");
	process(server);
	victim();
	struct pollfd p = { .fd = unix_connect("ps"), .events = POLLIN };
	hang_begins();
	put(p.fd);
	while (CHECK(poll(&p, 1, 0)) == 0)
		;
	get(p.fd);
	hang_ends();
	return finish();
}
