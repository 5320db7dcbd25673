/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 8 };
static int sv[2];

static void peer(void)
{
	role("peer");
	close(sv[0]);
	for (int i = 0; i <= ROUNDS; i++) {
		hear(sv[1]);
		nap_ms(i < ROUNDS ? 2 : 2500);
		tell(sv[1]);
	}
}

int main(void)
{
	expect("long-wait", "slow-peer|timer", "unix", "peer", "victim,peer");
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv));
	process(peer);
	close(sv[1]);
	victim();
	nap_ms(50);
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		tell(sv[0]);
		hear(sv[0]);
	}
	hang_ends();
	return finish();
}
