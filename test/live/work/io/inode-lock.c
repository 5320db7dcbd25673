/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first task owns the inode lock while it writes with O_DIRECT. The second task waits for this
 * lock, not for the disk. */
#include "disk.h"

static struct gate go;

static void writer(void)
{
	role("writer");
	disk_join();
	int fd = disk_open("log", O_WRONLY | O_CREAT | O_DIRECT);
	void *buf;
	if (posix_memalign(&buf, 4096, 6 << 20))
		_exit(1);
	memset(buf, 1, 6 << 20);
	gate_open(go);
	CHECK(write(fd, buf, 6 << 20));
}

static void second(void)
{
	disk_join();
	int fd = disk_open("log", O_WRONLY | O_CREAT | O_APPEND);
	victim();
	gate_wait(go);
	nap_ms(200);
	hang_begins();
	CHECK(write(fd, "x", 1));
	hang_ends();
}

int main(void)
{
	expect("long-wait", "disk|lock-holder|slow-peer", "kernel-lock|disk", "writer,victim", "victim");
	disk_make();
	disk_limit("write", 2 << 20);
	go = gate_new();
	process(writer);
	process(second);
	int rc = finish();
	disk_remove();
	return rc;
}
