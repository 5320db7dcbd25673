/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static char dir[] = "live-XXXXXX", path[64];

static void opener(void)
{
	role("opener");
	compute_ms(2600);
	put(CHECK(open(path, O_WRONLY)));
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "pipe|unknown", "opener", "victim,opener");
	if (!mkdtemp(dir))
		die(dir);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	CHECK(mkfifo(path, 0600));
	process(opener);
	victim();
	nap_ms(50);
	hang_begins();
	get(CHECK(open(path, O_RDONLY)));
	hang_ends();
	unlink(path);
	rmdir(dir);
	return finish();
}
