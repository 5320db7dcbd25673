/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_files.h - a cache of ELF files. Device, inode, size and times identify a file. Only one
 * thread at a time may use a cache.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_FILES_H
#define CTRACE_DAEMON_STACK_UNWIND_FILES_H

#include <stdint.h>
#include <sys/stat.h>

#include "daemon/stack/unwind_maps.h"
#include "daemon/stack/unwind_elf.h"

#define UNWIND_FILES_MAX 64
#define UNWIND_BYTES_MAX (24u << 20) /* bytes that unwind_files_release() keeps at most */

struct unwind_files;

int unwind_files_new(struct unwind_files **ret);
void unwind_files_free(struct unwind_files *fs);
/* Returns the file behind a mapping, or NULL. fs owns the file, which stays open until
 * unwind_files_release(). */
struct unwind_elf *unwind_files_get(struct unwind_files *fs, uint32_t tid, struct unwind_map *map,
				    const char *path);
/* Opens the file of a mapping through /proc/PID/map_files. If the kernel refuses this, opens the path, and
 * compares the inode number, because the path may name another file by now. For a saved mapping
 * (unwind_map.saved), only opens the path and compares. Returns a descriptor or -errno. */
int unwind_files_open(uint32_t tid, const struct unwind_map *map, const char *path, struct stat *ret_st);
/* Closes all descriptors. Drops the least recently used files, down to UNWIND_BYTES_MAX. */
void unwind_files_release(struct unwind_files *fs);

#endif
