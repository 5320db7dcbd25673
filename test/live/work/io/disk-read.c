/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk.h"

static void reader(void)
{
	static char buf[1 << 16];

	disk_join();
	victim();
	int fd = disk_open("cold", O_RDONLY);
	hang_begins();
	for (int i = 0; i < 1792 / 64; i++)
		CHECK(read(fd, buf, sizeof(buf)));
	hang_ends();
}

int main(void)
{
	expect("long-wait|repeated-yield", "disk", "disk", "victim", "victim");
	disk_make();
	int fd = disk_open("cold", O_WRONLY | O_CREAT);
	disk_fill(fd, 4, 0);
	CHECK(fsync(fd));
	CHECK(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	close(fd);
	disk_limit("read", 1 << 20);
	process(reader);
	int rc = finish();
	disk_remove();
	return rc;
}
