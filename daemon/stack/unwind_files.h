/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_files.h - the ELF files behind mappings, remembered from process to
 * process by what they are (device, inode, size, times), not by where they were
 * mapped.  Bounded in number and bytes; the one not used for longest goes first.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_FILES_H
#define CTRACE_DAEMON_STACK_UNWIND_FILES_H

#include <stdint.h>
#include <sys/stat.h>

#include "daemon/stack/unwind_maps.h"
#include "daemon/stack/unwind_elf.h"

#define UNWIND_FILES_MAX 64
#define UNWIND_BYTES_MAX (24u << 20) /* of what is remembered about files */

struct unwind_files;

/* 0 or -ENOMEM. */
int unwind_files_new(struct unwind_files **ret);
void unwind_files_free(struct unwind_files *fs);
/* The file behind a mapping of tid, open until unwind_files_release(); NULL when there is none that can be
 * read. */
struct unwind_elf *unwind_files_get(struct unwind_files *fs, uint32_t tid, struct unwind_map *map,
				    const char *path);
/* Opens what is mapped by a task (the path is only the second choice: it may name another file by now).  The
 * descriptor, or -errno. */
int unwind_files_open(uint32_t tid, const struct unwind_map *map, const char *path, struct stat *ret_st);
/* Closes all descriptors, and forgets files until the limits are kept. */
void unwind_files_release(struct unwind_files *fs);

#endif
