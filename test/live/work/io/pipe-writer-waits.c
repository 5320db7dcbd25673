/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int p[2];
static struct gate go;

static void reader(void)
{
	static char buf[1 << 17];

	role("reader");
	close(p[1]);
	gate_wait(go);
	compute_ms(2600);
	while (read(p[0], buf, sizeof(buf)) > 0)
		;
}

int main(void)
{
	static char buf[1 << 18];

	expect("long-wait", "busy|slow-peer", "pipe", "reader", "victim,reader");
	CHECK(pipe(p));
	go = gate_new();
	process(reader);
	close(p[0]);
	victim();
	gate_open(go);
	hang_begins();
	CHECK(write(p[1], buf, sizeof(buf)));
	hang_ends();
	close(p[1]);
	return finish();
}
