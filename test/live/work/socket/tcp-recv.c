/* SPDX-License-Identifier: GPL-2.0-or-later */
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
