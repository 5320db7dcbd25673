/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket's queue is full until the busy server accepts a connection. */
#include "work.h"

static int listener;
static struct gate go;

static void server(void)
{
	role("server");
	gate_wait(go);
	compute_ms(2600);
	for (int i = 0; i < 2; i++)
		close(CHECK(accept(listener, NULL, NULL)));
}

int main(void)
{
	expect("long-wait", "busy|slow-peer|queueing", "unix", "server", "victim,server");
	listener = unix_listen("bl");
	CHECK(listen(listener, 0));
	go = gate_new();
	process(server);
	close(listener);
	unix_connect("bl");
	victim();
	gate_open(go);
	hang_begins();
	unix_connect("bl");
	hang_ends();
	return finish();
}
