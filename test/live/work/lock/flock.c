/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <sys/file.h>

static char path[] = "live-XXXXXX";
static struct gate held;
static struct stamp *freed;

static void holder(void)
{
	role("holder");
	int fd = CHECK(open(path, O_RDWR));
	CHECK(flock(fd, LOCK_EX));
	gate_open(held);
	nap_ms(2500);
	*freed = stamp();
}

int main(void)
{
	expect("long-wait", "lock-holder|timer", "file-lock", "holder", "victim,holder");
	int fd = CHECK(mkstemp(path));
	held = gate_new();
	freed = shared(sizeof(*freed));
	process(holder);
	victim();
	gate_wait(held);
	hang_begins();
	long before = sleeps();
	CHECK(flock(fd, LOCK_EX));
	caused("file-lock", *freed, before);
	hang_ends();
	unlink(path);
	return finish();
}
