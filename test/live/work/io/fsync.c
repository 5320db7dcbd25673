/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk.h"

static void hog(void)
{
	role("hog");
	disk_join();
	int fd = disk_open("hog", O_WRONLY | O_CREAT);
	disk_fill(fd, 6, 0);
	CHECK(fsync(fd));
}

static void small(void)
{
	disk_join();
	victim();
	int fd = disk_open("small", O_WRONLY | O_CREAT);
	nap_ms(500);
	hang_begins();
	disk_fill(fd, 0, 4096);
	CHECK(fsync(fd));
	hang_ends();
}

int main(void)
{
	expect("long-wait", "disk|slow-peer", "disk", "hog,victim", "victim");
	disk_make();
	disk_limit("write", 2 << 20);
	process(hog);
	process(small);
	int rc = finish();
	disk_remove();
	return rc;
}
