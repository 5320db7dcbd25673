/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static char path[] = "live-XXXXXX";
static struct gate held;

static void holder(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 100 };

	role("holder");
	int fd = CHECK(open(path, O_RDWR));
	CHECK(fcntl(fd, F_SETLKW, &l));
	gate_open(held);
	compute_ms(2500);
}

int main(void)
{
	struct flock l = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	expect("long-wait", "lock-holder|busy", "file-lock", "holder", "victim,holder");
	int fd = CHECK(mkstemp(path));
	held = gate_new();
	process(holder);
	victim();
	gate_wait(held);
	hang_begins();
	CHECK(fcntl(fd, F_SETLKW, &l));
	hang_ends();
	unlink(path);
	return finish();
}
