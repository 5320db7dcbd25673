/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the end, victim and peer wait for each other, until a time limit ends the peer's wait after 2.5 s. */
#include "work.h"

enum { ROUNDS = 5 };
static int forth[2], back[2];

static void peer(void)
{
	struct timeval limit = { scaled(2500) / 1000, scaled(2500) % 1000 * 1000 };
	struct stamp s;

	role("peer");
	CHECK(setsockopt(back[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
	for (int i = 0; i < ROUNDS; i++) {
		hear(forth[1]);
		compute_ms(2);
		tell(forth[1]);
	}
	hear(forth[1]);
	tell(back[1]);
	if (read(back[1], &s, sizeof(s)) != -1 || errno != EAGAIN)
		_exit(1);
	tell(forth[1]);
}

int main(void)
{
	expect("long-wait", "circular-wait|slow-peer|timer", "unix", "peer,victim", "victim,peer");
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, forth));
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, back));
	process(peer);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		tell(forth[0]);
		hear(forth[0]);
	}
	hang_ends();
	hear(back[0]);
	return finish();
}
