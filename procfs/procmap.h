/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procmap.h - PROCMAP_QUERY of linux/fs.h (since Linux 6.11): the ioctl of /proc/PID/maps that
 * describes the mapping of one address. The headers of Debian 12 do not have it.
 */
#ifndef CTRACE_PROCFS_PROCMAP_H
#define CTRACE_PROCFS_PROCMAP_H

#include <linux/ioctl.h>
#include <stdint.h>

struct procmap_ask {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_bytes, offset, ino;
	uint32_t major, minor;
	/* in: room for the name and the build id; out: length of the name (with its 0) and of the
	 * build id */
	uint32_t name_bytes, build_id_bytes;
	uint64_t name, build_id;
};
_Static_assert(sizeof(struct procmap_ask) == 104, "struct procmap_query");

#define PROCMAP_ASK       _IOWR(0x66, 17, struct procmap_ask)
#define PROCMAP_ASK_NEXT  0x10
#define PROCMAP_ASK_WRITE 0x02
#define PROCMAP_ASK_EXEC  0x04

#endif
