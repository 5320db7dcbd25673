/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static uint16_t port;
static int bound;

static void server(void)
{
	role("server");
	compute_ms(2600);
	CHECK(listen(bound, 4));
	close(CHECK(accept(bound, NULL, NULL)));
}

int main(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	expect("repeated-yield", "polling|slow-peer|busy|network", "-", "server,victim", "victim");
	bound = CHECK(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	CHECK(bind(bound, (struct sockaddr *)&a, sizeof(a)));
	CHECK(getsockname(bound, (struct sockaddr *)&a, &len));
	port = ntohs(a.sin_port);
	process(server);
	close(bound);
	victim();
	hang_begins();
	while (tcp_try_connect(port) < 0)
		nap_ms(80);
	hang_ends();
	return finish();
}
