/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h - a slow disk: an ext4 on a loop device whose speed is limited. With cgroup version 1, the
 * limit holds for all tasks. With version 2, it holds for the processes that call disk_join().
 */
#ifndef CTRACE_TEST_LIVE_DISK_H
#define CTRACE_TEST_LIVE_DISK_H

#include "work.h"

#define DISK_V1 "/sys/fs/cgroup/blkio/blkio.throttle."

static char disk_dir[] = "/tmp/ctrace-live-XXXXXX", disk_group[64];
static bool disk_v1;

static inline int disk_run(const char *fmt, ...)
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

static inline void disk_join(void)
{
	if (!disk_v1 && disk_run("echo %d >%s/cgroup.procs", getpid(), disk_group))
		_exit(77);
}

static inline void disk_remove(void)
{
	disk_run("cd %s && { dev=$(cat dev); n=$(cat devno)\n"
		 "for i in read write; do [ -e " DISK_V1 "${i}_bps_device ] &&"
		 " echo \"$n 0\" >" DISK_V1 "${i}_bps_device; done\n"
		 "umount mnt; losetup -d $dev; [ -d %s ] && rmdir %s; } 2>/dev/null; rm -rf %s",
		 disk_dir, disk_group, disk_group, disk_dir);
}

static inline void disk_make(void)
{
	if (!mkdtemp(disk_dir))
		die(disk_dir);
	disk_v1 = access(DISK_V1 "write_bps_device", F_OK) == 0;
	snprintf(disk_group, sizeof(disk_group), "/sys/fs/cgroup/ctrace-live-%d", getpid());
	if (disk_run("cd %s && mkdir mnt && truncate -s 64M img && PATH=$PATH:/sbin:/usr/sbin &&"
		     " mkfs.ext4 -q -F -m0 img && losetup -f --show img >dev && mount $(cat dev) mnt && sync "
		     "&&"
		     " cat /sys/block/$(basename $(cat dev))/dev >devno 2>/dev/null",
		     disk_dir) ||
	    (!disk_v1 &&
	     disk_run("{ echo +io >/sys/fs/cgroup/cgroup.subtree_control && mkdir %s; } 2>/dev/null",
		      disk_group))) {
		disk_remove();
		skip("no loop device with a file system here");
	}
}

/* bps: bytes a second. `what`: "read" or "write" */
static inline void disk_limit(const char *what, unsigned bps)
{
	if (disk_v1 ? disk_run("echo \"$(cat %s/devno) %u\" >" DISK_V1 "%s_bps_device", disk_dir, bps, what)
		    : disk_run("echo \"$(cat %s/devno) %cbps=%u\" >%s/io.max", disk_dir, what[0], bps,
			       disk_group)) {
		disk_remove();
		skip("the speed of a loop device cannot be limited here");
	}
}

static inline int disk_open(const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/mnt/%s", disk_dir, name);
	return CHECK(open(path, flags | O_CLOEXEC, 0600));
}

static inline void disk_fill(int fd, size_t mib, size_t bytes)
{
	static char buf[1 << 20];

	for (size_t i = 0; i < mib; i++)
		CHECK(write(fd, buf, sizeof(buf)));
	if (bytes)
		CHECK(write(fd, buf, bytes));
}

#endif
