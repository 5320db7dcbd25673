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
	"29 25 0:40 / /mnt rw - fuse.bindfs /home rw\n"
	"30 25 0:41 / /run rw - tmpfs tmpfs\n";

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

static void check(const struct procmounts *ms, const char *file, const char *point, const char *type,
		  uint32_t dev)
{
	const struct procmount *m = procmounts_at(ms, file);

	assert_non_null(m);
	assert_string_equal(m->point, point);
	assert_string_equal(m->type, type);
	assert_int_equal(m->dev, dev);
}

static void test_find(void **state)
{
	struct procmounts ms;

	assert_int_equal(procmounts_read(path, &ms), 0);
	check(&ms, "/etc/passwd", "/", "ext4", 22);
	check(&ms, "/srv", "/srv", "fuse.sshfs", 31);
	check(&ms, "/srv/a/b", "/srv", "fuse.sshfs", 31);
	check(&ms, "/srvx", "/", "ext4", 22);
	check(&ms, "/srv/in side/a", "/srv/in side", "fuseblk", 32);
	/* the later of two mounts on /mnt hides the earlier one */
	check(&ms, "/mnt/a", "/mnt", "fuse.bindfs", 40);
	assert_string_equal(procmounts_on(&ms, 8 << 20 | 17)->type, "ext4");
	assert_string_equal(procmounts_on(&ms, 31)->options, "rw");
	assert_string_equal(procmounts_on(&ms, 41)->options, "");
	assert_null(procmounts_on(&ms, 17));
	procmounts_done(&ms);
	assert_int_equal(procmounts_read("/nowhere/mountinfo", &ms), -ENOENT);
}

/* expected: the layers, with a | after each */
static void check_layers(const char *options, const char *expected)
{
	char buf[1024];
	size_t n;

	snprintf(buf, sizeof(buf), "%s", options);
	n = procmount_layers(buf);
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = '|';
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(buf, expected, n);
}

static void test_layers(void **state)
{
	/* Docker, Linux 6.1 */
	check_layers("rw,lowerdir=/var/lib/docker/overlay2/l/GP5QWSA3:/var/lib/docker/overlay2/l/TJ4VJZ3Q,"
		     "upperdir=/var/lib/docker/overlay2/37ab/diff,workdir=/var/lib/docker/overlay2/37ab/work,"
		     "nouserxattr",
		     "/var/lib/docker/overlay2/l/GP5QWSA3|/var/lib/docker/overlay2/l/TJ4VJZ3Q|"
		     "/var/lib/docker/overlay2/37ab/diff|/var/lib/docker/overlay2/37ab/work|");
	/* Podman on a newer kernel */
	check_layers(
		"rw,context=\"system_u:object_r:container_file_t:s0:c1\\054c2\","
		"lowerdir+=/var/lib/containers/storage/overlay/l/A:B,datadir+=/data\\134x,"
		"upperdir=/var/lib/containers/storage/overlay/7f/diff,redirect_dir=on,uuid=on,metacopy=on",
		"/var/lib/containers/storage/overlay/l/A:B|/data\\x|"
		"/var/lib/containers/storage/overlay/7f/diff|");
	/* the kernel escapes the comma, the space and the backslash; overlay escapes the colon */
	check_layers("ro,lowerdir=/a\\040b\\054c\\134:d:e/f::/g", "/a b,c:d|e/f||/g|");
	check_layers("rw,upperdir=/up:p\\134\\134er", "/up:p\\er|");
	check_layers("rw,lowerdir=/end\\134", "/end\\|");
	check_layers("rw,lowerdir=", "|");
	check_layers("rw,lowerdir", "");
	check_layers("", "");
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
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_absolute),
	};

	return cmocka_run_group_tests(tests, write_table, remove_table);
}
