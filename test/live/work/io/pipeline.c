/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 8 };
static int a[2], b[2];

static void source(void)
{
	role("source");
	for (int i = 0; i <= ROUNDS; i++) {
		compute_ms(i < ROUNDS ? 5 : 2600);
		tell(a[1]);
	}
}

static void filter(void)
{
	role("filter");
	for (int i = 0; i <= ROUNDS; i++) {
		hear(a[0]);
		tell(b[1]);
	}
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "pipe", "source", "victim,filter,source");
	CHECK(pipe(a));
	CHECK(pipe(b));
	process(source);
	process(filter);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		hear(b[0]);
	}
	hang_ends();
	return finish();
}
