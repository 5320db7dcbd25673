/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_find.h - finds the files of a framework on this machine: in the usual directories, and among
 * the files that running processes have mapped. Any thread may call the functions.
 *
 * A file system that hangs can hold up the caller only if one of the usual directories, or a path
 * that the administrator has named, is on this file system. A file that a process has mapped is
 * opened without its path, and is not opened if its file system may ask a server.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_FIND_H
#define CTRACE_DAEMON_JOBS_JOBS_FIND_H

#include <stdint.h>
#include <sys/stat.h>

#include "daemon/stack/unwind_maps.h"

/* Calls fn with every path at which the file `name` may be: with `name` itself if it is a path,
 * otherwise with `name` in each of the usual directories for libraries and programs. */
void jobs_find_paths(const char *name, void (*fn)(void *arg, const char *path), void *arg);

/* A part of a file that a process has mapped as code. */
struct jobs_mapping {
	uint32_t pid;
	/* start, end: addresses in the process. off, ino: offset in the file, and its inode. */
	uint64_t start, end, off, ino;
	uint32_t major, minor; /* number of the file's device */
	const char *path;      /* the path as the process sees it; valid only during the call */
};
/* Receives a mapping. A result other than 0 ends the walk. */
typedef int (*jobs_mapping_fn)(void *arg, const struct jobs_mapping *m);
/* Calls fn for the mappings of code of one process. Returns the last result of fn, 0 if there was
 * no call, or -errno if the mappings cannot be read. */
int jobs_find_mappings(uint32_t pid, jobs_mapping_fn fn, void *arg);
/* Calls fn for the mappings of code of all processes. A result other than 0 ends only the walk over
 * one process. */
void jobs_find_all_mappings(jobs_mapping_fn fn, void *arg);

/*
 * Opens the file of mapping m, even if the path of the file leads to another file by now. *ret_st
 * describes the opened file. Returns a descriptor, or -EREMOTE if the file system may wait for a
 * server (which may be the process m->pid itself), or another -errno.
 */
int jobs_find_mapped(struct unwind_mounts *mounts, const struct jobs_mapping *m, struct stat *ret_st);
/* Opens a regular file. *ret_st describes the opened file. Returns a descriptor, or -EINVAL if the
 * file is not a regular file, or another -errno. */
int jobs_find_open(const char *path, struct stat *ret_st);

#endif
