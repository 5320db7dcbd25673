/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static char path[] = "live-XXXXXX";
static struct gate held;
static struct stamp *freed;

static int try_lock(int fd, short type)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };

	return fcntl(fd, F_SETLK, &l);
}

static void holder(void)
{
	role("holder");
	int fd = CHECK(open(path, O_RDWR));
	CHECK(try_lock(fd, F_WRLCK));
	gate_open(held);
	nap_ms(2600);
	*freed = stamp();
	CHECK(try_lock(fd, F_UNLCK));
}

int main(void)
{
	expect("repeated-yield|long-wait", "polling|lock-holder", "file-lock", "holder", "victim,holder");
	int fd = CHECK(mkstemp(path));
	held = gate_new();
	freed = shared(sizeof(*freed));
	process(holder);
	victim();
	gate_wait(held);
	hang_begins();
	while (try_lock(fd, F_WRLCK))
		nap_ms(60);
	/* No wake-up tells the victim that the lock is free. */
	caused("file-lock", *freed, sleeps());
	hang_ends();
	unlink(path);
	return finish();
}
