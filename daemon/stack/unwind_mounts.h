/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_mounts.h - tells which file systems must not be read, because a read may hang for as long
 * as a server wants: network file systems, file systems in user space (FUSE), and overlays with a
 * layer on one of these.
 *
 * An overlay is judged by the paths of its layers. These paths belong to the mount namespace of the
 * process that mounted the overlay, and this process is often not known, or gone. So each path is
 * looked up in several mount namespaces (unwind_mounts_avoid()). The overlay must not be read if
 * - one of these namespaces has a network file system or FUSE at the path;
 * - in every namespace, the path is missing or leads into the overlay itself. In a container, the
 *   overlay is mounted at /, so every path leads into it;
 * - the path is relative: it belongs to a directory that the kernel does not tell.
 * The last two conditions do not apply to an overlay that is the root file system of the daemon. On
 * some machines, the start of the system makes such an overlay, and hides its layers. If this
 * overlay hangs, the daemon hangs anyway.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_MOUNTS_H
#define CTRACE_DAEMON_STACK_UNWIND_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWIND_MOUNTS_MAX     32
#define UNWIND_NAMESPACES_MAX 8

/* Remembers whether the device 0:minor must be avoided. All zero at the start. Only one thread at a
 * time may use one struct unwind_mounts. */
struct unwind_mounts {
	struct unwind_mount {
		uint64_t checked_ns;
		uint32_t minor;
		bool avoid;
	} v[UNWIND_MOUNTS_MAX];
	size_t n;
	bool shmem_known;
	uint32_t shmem_minor;
};

/* The mountinfo files of the mount namespaces in which paths are looked up. The type of a device's file
 * system is read from the first file that lists the device. The last file is that of the daemon. */
struct unwind_namespaces {
	char files[UNWIND_NAMESPACES_MAX][64];
	size_t n;
};

/* Returns 1 if the file system on the device 0:minor_no may have to ask a server, 0 if not, or
 * -ENOENT if no mountinfo file lists the device. */
int unwind_mounts_look(const struct unwind_namespaces *ns, uint32_t minor_no);
/* Returns true if the file system on the device may have to ask a server, or is not known. A major
 * number other than 0 counts as a disk. Looks into the mount namespaces of the task tid, of its
 * ancestors, and of the daemon. */
bool unwind_mounts_avoid(struct unwind_mounts *ms, uint32_t tid, uint32_t major_no, uint32_t minor_no);

#endif
