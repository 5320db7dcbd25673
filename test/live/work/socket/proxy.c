/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int front, back;
static uint16_t front_port, back_port;

static void backend(void)
{
	role("backend");
	int c = accept_one(back);
	hear(c);
	compute_ms(2500);
	tell(c);
}

static void proxy(void)
{
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };

	role("proxy");
	p[0].fd = accept_one(front);
	p[1].fd = tcp_connect(back_port);
	for (int passed = 0; passed < 2;) {
		CHECK(poll(p, 2, -1));
		for (int i = 0; i < 2; i++)
			if (p[i].revents) {
				hear(p[i].fd);
				tell(p[!i].fd);
				passed++;
			}
	}
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "tcp", "backend", "victim,proxy,backend");
	front = tcp_listen(&front_port);
	back = tcp_listen(&back_port);
	process(backend);
	process(proxy);
	victim();
	int s = tcp_connect(front_port);
	nap_ms(50);
	hang_begins();
	tell(s);
	hear(s);
	hang_ends();
	return finish();
}
