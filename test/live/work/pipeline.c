/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pipeline of three: the first computes, the second copies, the last waits. */
#include "work.h"

static int a[2], b[2];

static void source(void)
{
	role("source");
	compute_ms(2600);
	put(a[1]);
}

static void filter(void)
{
	role("filter");
	get(a[0]);
	put(b[1]);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "pipe", "source", "victim,filter,source");
	CHECK(pipe(a));
	CHECK(pipe(b));
	process(source);
	process(filter);
	victim();
	nap_ms(50);
	hang_begins();
	get(b[0]);
	hang_ends();
	return finish();
}
