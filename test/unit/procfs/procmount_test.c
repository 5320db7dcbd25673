/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/procmount.h"

static const char table[] =
	"25 1 0:22 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
	"26 25 0:31 / /srv rw - fuse.sshfs user@host: rw\n"
	"a line that means nothing\n"
	"27 26 0:32 /sub /srv/in\\040side rw,noatime shared:2 master:1 - fuseblk /dev/vdb rw\n"
	"28 25 8:17 / /mnt rw - ext4 /dev/vdb1 rw\n"
	"29 25 0:40 / /mnt rw - fuse.bindfs /home rw\n";

static char path[] = "/tmp/procmount-XXXXXX";

static int write_table(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, table, sizeof(table) - 1) != sizeof(table) - 1)
		return -1;
	return close(fd);
}

static int remove_table(void **state)
{
	return unlink(path);
}

static void check(const char *file, const char *point, const char *type, uint32_t dev)
{
	struct procmount m;

	assert_int_equal(procmount_find(path, file, &m), 0);
	assert_string_equal(m.point, point);
	assert_string_equal(m.type, type);
	assert_int_equal(m.dev, dev);
}

static void test_find(void **state)
{
	struct procmount m;

	check("/etc/passwd", "/", "ext4", 22);
	check("/srv", "/srv", "fuse.sshfs", 31);
	check("/srv/a/b", "/srv", "fuse.sshfs", 31);
	check("/srvx", "/", "ext4", 22);
	check("/srv/in side/a", "/srv/in side", "fuseblk", 32);
	/* the later of two mounts on /mnt hides the earlier one */
	check("/mnt/a", "/mnt", "fuse.bindfs", 40);
	assert_int_equal(procmount_find("/nowhere/mountinfo", "/", &m), -ENOENT);
}

static void check_absolute(const char *given, const char *expected)
{
	char buf[PATH_MAX];

	assert_int_equal(procmount_absolute((uint32_t)getpid(), AT_FDCWD, given, buf), 0);
	assert_string_equal(buf, expected);
}

static void test_absolute(void **state)
{
	char cwd[PATH_MAX], expected[2 * PATH_MAX], buf[PATH_MAX], longer[PATH_MAX + 8];
	int fd = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	check_absolute("/a/b", "/a/b");
	check_absolute("//a/./b/../c/", "/a/c");
	check_absolute("/..", "/");
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(expected, sizeof(expected), "%s/x", strcmp(cwd, "/") ? cwd : "");
	check_absolute("x", expected);
	snprintf(expected, sizeof(expected), "/proc/%d/stat", getpid());
	assert_int_equal(procmount_absolute((uint32_t)getpid(), fd, "stat", buf), 0);
	assert_string_equal(buf, expected);
	close(fd);
	assert_int_equal(procmount_absolute((uint32_t)getpid(), fd, "stat", buf), -ENOENT);
	memset(longer, 'a', sizeof(longer));
	longer[0] = '/';
	longer[sizeof(longer) - 1] = 0;
	assert_int_equal(procmount_absolute((uint32_t)getpid(), AT_FDCWD, longer, buf), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_absolute),
	};

	return cmocka_run_group_tests(tests, write_table, remove_table);
}
