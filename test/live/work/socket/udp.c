/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int sock;

static void server(void)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char c;

	role("server");
	CHECK(recvfrom(sock, &c, 1, 0, (struct sockaddr *)&from, &len));
	compute_ms(2600);
	CHECK(sendto(sock, &c, 1, 0, (struct sockaddr *)&from, len));
}

int main(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	struct pollfd p = { .events = POLLIN };

	expect("long-wait|repeated-yield", "busy|slow-peer", "udp", "server", "victim,server");
	sock = CHECK(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	CHECK(bind(sock, (struct sockaddr *)&a, sizeof(a)));
	CHECK(getsockname(sock, (struct sockaddr *)&a, &len));
	process(server);
	close(sock);
	victim();
	p.fd = CHECK(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	nap_ms(50);
	hang_begins();
	do
		CHECK(sendto(p.fd, "x", 1, 0, (struct sockaddr *)&a, len));
	while (CHECK(poll(&p, 1, 1000)) == 0);
	get(p.fd);
	hang_ends();
	return finish();
}
