/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rounds.h"

int main(void)
{
	expect("long-wait", "busy|slow-peer", "unix", "server", "victim,server");
	listener = unix_listen("s");
	process(server);
	victim();
	ask_rounds(unix_connect("s"), -1);
	return finish();
}
