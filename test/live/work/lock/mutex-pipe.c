/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mutex.h"

static int data[2];

static void while_held(void)
{
	get(data[0]);
}

static void writer(void)
{
	role("writer");
	compute_ms(2600);
	put(data[1]);
}

int main(void)
{
	expect("long-wait", "lock-holder|busy|slow-peer", "futex", "writer", "victim,owner,writer");
	CHECK(pipe(data));
	process(writer);
	want_mutex();
	return finish();
}
