/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_find.h - finds the files of a framework on this machine: in the usual directories, and in what running
 * processes have mapped.  Any thread.  A file system that hangs holds up the caller only where somebody in
 * charge has named a path on it: what a process has mapped is reached without a path, and not touched behind
 * a server.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_FIND_H
#define CTRACE_DAEMON_JOBS_JOBS_FIND_H

#include <stdint.h>
#include <sys/stat.h>

#include "daemon/stack/unwind_maps.h"

/* Calls fn with every path at which name may be: the path itself, or name in each of the usual directories
 * for libraries and programs. */
void jobs_find_paths(const char *name, void (*fn)(void *arg, const char *path), void *arg);

/* A part of a file that a process has mapped to run it. */
struct jobs_mapping {
	uint32_t pid;
	uint64_t start, end, off, ino;
	uint32_t major, minor; /* of the device */
	const char *path;      /* as the process sees it; valid during the call only */
};
/* A result of fn that is not 0 ends the walk. */
typedef int (*jobs_mapping_fn)(void *arg, const struct jobs_mapping *m);
/* The mappings of one process: what fn returned last, or -errno. */
int jobs_find_mappings(uint32_t pid, jobs_mapping_fn fn, void *arg);
/* Those of all processes. */
void jobs_find_all_mappings(jobs_mapping_fn fn, void *arg);

/*
 * Opens the file of a mapping, whatever its path means by now.  The descriptor; -EREMOTE: its file system may
 * wait for a server, which may be the program itself; or -errno.
 */
int jobs_find_mapped(struct unwind_mounts *mounts, const struct jobs_mapping *m, struct stat *ret_st);
/* Opens a regular file; *ret_st is what was opened.  The descriptor or -errno. */
int jobs_find_open(const char *path, struct stat *ret_st);

#endif
