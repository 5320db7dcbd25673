/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int sock;

static void server(void)
{
	struct sockaddr_un from;
	socklen_t len = sizeof(from);
	char c;

	role("server");
	CHECK(recvfrom(sock, &c, 1, 0, (struct sockaddr *)&from, &len));
	compute_ms(2500);
	CHECK(sendto(sock, &c, 1, 0, (struct sockaddr *)&from, len));
}

int main(void)
{
	struct sockaddr_un here, there;
	socklen_t here_len = unix_address(&here, "c"), there_len = unix_address(&there, "d");
	int s = CHECK(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));

	expect("long-wait", "busy|slow-peer", "unix", "server", "victim,server");
	sock = CHECK(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	CHECK(bind(sock, (struct sockaddr *)&there, there_len));
	CHECK(bind(s, (struct sockaddr *)&here, here_len));
	process(server);
	victim();
	nap_ms(50);
	hang_begins();
	CHECK(sendto(s, "x", 1, 0, (struct sockaddr *)&there, there_len));
	get(s);
	hang_ends();
	return finish();
}
