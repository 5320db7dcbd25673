/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_maps.h - finds mappings of a process: the executable ones, and those that must not be
 * read (unwind_mounts.h).
 *
 * Since Linux 6.11, the kernel answers for single addresses. Before, all of /proc/PID/maps is read.
 * Only one thread at a time may use one struct unwind_maps.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_MAPS_H
#define CTRACE_DAEMON_STACK_UNWIND_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/stack/unwind_mounts.h"
#include "lib/vec.h"

#define UNWIND_MAPS_LINES_MAX 65536 /* lines of /proc/PID/maps that are read */

struct unwind_elf;

struct unwind_map {
	uint64_t start, end, off;
	uint64_t ino;
	uint32_t major, minor;
	bool write, exec;
	bool avoid; /* neither the memory nor the file may be read */
	bool looked;
	bool vdso;
	bool saved; /* the process may be gone: only the path leads to the file of the mapping */
	uint32_t path_off;
	struct unwind_elf *elf;
};

struct unwind_maps {
	/* If the member `asks` is true: the mappings that the kernel was asked for so far,
	 * unsorted. If it is false: all mappings that are executable or must not be read
	 * (unwind_map.exec, unwind_map.avoid), sorted by address. */
	VEC(struct unwind_map) maps;
	VEC(char) names;
	bool truncated;
	bool asks; /* unwind_maps_find() asks the kernel (ioctl of Linux 6.11) */
	int fd;
	uint32_t tid;
	struct unwind_mounts *mounts;
	struct unwind_map unknown;
};

/* Parses "start-end perms off major:minor ino path", and cuts off the newline. *ret_path points
 * into the line. Returns false if the line has another form. */
bool unwind_maps_parse(char *line, struct unwind_map *ret, const char **ret_path);

/* Borrows mounts until unwind_maps_forget(). Returns 0, -ENOMEM, -ESRCH (the task has ended or is a
 * kernel thread), or the -errno of open(2). */
int unwind_maps_read(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts);
/* Takes executable mappings that were saved before the process ended, sorted by address. tid: a task
 * with the same mounts, such as the parent. Borrows mounts as unwind_maps_read() does. Returns 0 or
 * -ENOMEM. */
int unwind_maps_saved(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts,
		      const struct ct_crash_map *saved, size_t n);
void unwind_maps_forget(struct unwind_maps *m);
void unwind_maps_done(struct unwind_maps *m);
/* Returns the mapping at addr, or NULL if nothing is mapped there. Valid until unwind_maps_forget(). If
 * `avoid` of the mapping is set, the caller must not read its memory, because the read may hang.
 * - If m->asks is false, also returns NULL for a mapping that is not in m->maps.
 * - If m->asks is true, and the kernel gives no answer, or m->maps or m->names is full: returns
 *   &m->unknown, in which `avoid` is set. */
struct unwind_map *unwind_maps_find(struct unwind_maps *m, uint64_t addr);
static inline const char *unwind_maps_path(const struct unwind_maps *m, const struct unwind_map *map)
{
	return m->names.v + map->path_off;
}

#endif
