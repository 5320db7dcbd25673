/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A TCP server on loopback answers some requests quickly, and computes for long before its last
 * answer. The client waits in read().
 */
#include "rounds.h"

int main(void)
{
	uint16_t port;

	expect("long-wait", "busy|slow-peer", "tcp", "server", "victim,server");
	listener = tcp_listen(&port);
	process(server);
	victim();
	ask_rounds(tcp_connect(port), -1);
	return finish();
}
