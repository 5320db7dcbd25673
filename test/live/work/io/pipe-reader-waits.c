/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int p[2];

static void writer(void)
{
	role("writer");
	close(p[0]);
	compute_ms(2600);
	put(p[1]);
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "pipe", "writer", "victim,writer");
	CHECK(pipe(p));
	process(writer);
	close(p[1]);
	victim();
	nap_ms(50);
	hang_begins();
	get(p[0]);
	hang_ends();
	return finish();
}
