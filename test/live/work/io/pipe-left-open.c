/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two other programs have the writer's end of the pipe, because the writer started them. */
#include "work.h"

static int p[2];

static void sleeper(const char *how_long)
{
	if (CHECK(fork()) == 0) {
		execlp("sleep", "sleep", how_long, NULL);
		_exit(1);
	}
}

static void writer(void)
{
	role("writer");
	close(p[0]);
	sleeper("0.3");
	sleeper("4");
	nap_ms(2600);
	put(p[1]);
}

int main(void)
{
	expect("long-wait", "timer|slow-peer", "pipe", "writer", "victim,writer");
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
