/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small write and fsync behind another program's megabytes, on a disk of 2 MiB/s (a loop device with a
 * limit of the block cgroup).
 */
#include "work.h"

#define V1 "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"

static char dir[] = "/tmp/ctrace-live-XXXXXX", path[128], group[64];
static bool v1;

static int run(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	rc = system(cmd);
	return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

static void join_group(void)
{
	if (!v1 && run("echo %d >%s/cgroup.procs", getpid(), group))
		_exit(77);
}

static void write_and_sync(const char *name, size_t mib, size_t bytes)
{
	static char buf[1 << 20];

	snprintf(path, sizeof(path), "%s/mnt/%s", dir, name);
	int fd = CHECK(open(path, O_WRONLY | O_CREAT, 0600));
	for (size_t i = 0; i < mib; i++)
		CHECK(write(fd, buf, sizeof(buf)));
	CHECK(write(fd, buf, bytes));
	CHECK(fsync(fd));
	close(fd);
}

static void hog(void)
{
	role("hog");
	join_group();
	write_and_sync("hog", 6, 0);
}

static void small(void)
{
	join_group();
	victim();
	nap_ms(500);
	hang_begins();
	write_and_sync("small", 0, 4096);
	hang_ends();
}

static void clean_up(void)
{
	run("cd %s && { dev=$(cat dev); n=$(cat devno)\n"
	    "[ -e " V1 " ] && echo \"$n 0\" >" V1 "\n"
	    "umount mnt; losetup -d $dev; [ -d %s ] && rmdir %s; } 2>/dev/null; rm -rf %s",
	    dir, group, group, dir);
}

int main(void)
{
	expect("long-wait", "disk|slow-peer", "disk", "hog,victim", "victim");
	if (!mkdtemp(dir))
		die(dir);
	v1 = access(V1, F_OK) == 0;
	snprintf(group, sizeof(group), "/sys/fs/cgroup/ctrace-live-%d", getpid());
	if (run("cd %s && mkdir mnt && truncate -s 64M img && PATH=$PATH:/sbin:/usr/sbin && mkfs.ext4 -q -F "
		"-m0 img"
		" && losetup -f --show img >dev && mount $(cat dev) mnt && sync"
		" && cat /sys/block/$(basename $(cat dev))/dev >devno",
		dir) ||
	    (v1 ? run("cd %s && echo \"$(cat devno) 2097152\" >" V1, dir)
		: run("cd %s && echo +io >/sys/fs/cgroup/cgroup.subtree_control && mkdir %s &&"
		      " echo \"$(cat devno) wbps=2097152\" >%s/io.max",
		      dir, group, group))) {
		clean_up();
		skip("no loop device with a limit on its speed here");
	}
	process(hog);
	process(small);
	int rc = finish();
	clean_up();
	return rc;
}
