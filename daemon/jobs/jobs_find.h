/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_find.h - finds the files of a framework in the usual directories, and among the files that
 * processes have mapped. Any thread may call the functions.
 *
 * A mapped file is opened without its path, and only if its file system asks no server. So only the
 * usual directories, and paths that the administrator named, can make a search hang.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_FIND_H
#define CTRACE_DAEMON_JOBS_JOBS_FIND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "daemon/stack/unwind_maps.h"
#include "lib/map.h"

/* Calls fn with `name` if it is a path, otherwise with `name` in each usual directory. */
void jobs_find_paths(const char *name, void (*fn)(void *arg, const char *path), void *arg);

/* A part of a file that a process has mapped as code. start, end: addresses in the process */
struct jobs_mapping {
	uint32_t pid;
	uint64_t start, end, off, ino;
	uint32_t major, minor;
	/* as the process sees it; valid only during the call of jobs_mapping_fn */
	const char *path;
};
/* A result other than 0 ends the walk over this process. */
typedef int (*jobs_mapping_fn)(void *arg, const struct jobs_mapping *m);
/* Calls fn for each mapping of code of one process. Returns the last result of fn, 0 if there was no
 * call, or -errno if the mappings cannot be read. */
int jobs_find_mappings(uint32_t pid, jobs_mapping_fn fn, void *arg);
/* Calls fn for each mapping of code of all processes. */
void jobs_find_all_mappings(jobs_mapping_fn fn, void *arg);

/* The processes that were there at the last scan. A zeroed structure knows none. */
struct jobs_seen {
	struct map v; /* process id -> what the program is, and since which scan it is there */
	uint32_t scans;
};
void jobs_seen_done(struct jobs_seen *s);
/*
 * Like jobs_find_all_mappings(), but only for the processes that are due, because a list of mappings costs
 * about 0.1 ms. At the first scan, all are due. Later, a process is due when 1, 2, 4 ... and then each
 * JOBS_SEEN_SCANS scans have seen it execute the same program. So processes that live for a moment cost
 * little, and a library that a process loads later is found too. Without memory, no further process is due.
 */
void jobs_find_due_mappings(struct jobs_seen *s, jobs_mapping_fn fn, void *arg);

/* Opens the file of a mapping, even if its path leads to another file by now. Returns a descriptor,
 * -EREMOTE if the file system may wait for a server, or another -errno. */
int jobs_find_mapped(struct unwind_mounts *mounts, const struct jobs_mapping *m, struct stat *ret_st);
/*
 * Returns true if the mapping is of the file with this st. Btrfs and overlayfs show another device
 * in /proc/PID/maps than in struct stat. So if the inode number is equal and the device differs, opens
 * the mapped file, and compares device and inode number. If this file cannot be opened although it is
 * still mapped, returns true.
 */
bool jobs_find_maps(struct unwind_mounts *mounts, const struct jobs_mapping *m, const struct stat *st);
/* Returns true if the mapping is of the program that the process executes, and elf_go_is() is true for it. */
bool jobs_find_is_go(struct unwind_mounts *mounts, const struct jobs_mapping *m);
/* Tasks that hang in the kernel while they may hold the lock of the mappings of their process. */
#define JOBS_HANGS_MAX 1024
struct jobs_hangs {
	size_t n;
	bool full; /* there may be further ones */
	struct jobs_hang {
		uint32_t pid, tid;
	} v[JOBS_HANGS_MAX];
};
/* Looks at all tasks, or at those of one process. Takes JOBS_HANGS_NS if a task may hang. */
void jobs_find_hangs(struct jobs_hangs *h);
void jobs_find_hangs_of(struct jobs_hangs *h, uint32_t pid);
/*
 * Returns true if one of these processes has mapped a file with this inode number. To put a probe on such a
 * file, the kernel would wait for the lock, and meanwhile no process of the machine could fork
 * (kernel/events/uprobes.c, register_for_each_vma()).
 *
 * This is for accidents, such as a server of a file system that does not answer. A hostile process can take
 * the lock just after this call.
 */
bool jobs_find_is_held(const struct jobs_hangs *h, uint64_t ino);
/* Opens a regular file. Returns a descriptor, -EINVAL for any other file, or another -errno. */
int jobs_find_open(const char *path, struct stat *ret_st);

#endif
