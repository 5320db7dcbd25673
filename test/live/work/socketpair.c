/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child at the other end of a socket pair answers late because it sleeps. */
#include "work.h"

static int sv[2];

static void peer(void)
{
	role("peer");
	close(sv[0]);
	get(sv[1]);
	nap_ms(2500);
	put(sv[1]);
}

int main(void)
{
	expect("long-wait", "slow-peer|timer", "unix", "peer", "victim,peer");
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv));
	process(peer);
	close(sv[1]);
	victim();
	nap_ms(50);
	hang_begins();
	put(sv[0]);
	get(sv[0]);
	hang_ends();
	return finish();
}
