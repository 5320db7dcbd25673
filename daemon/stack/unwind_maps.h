/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_maps.h - finds the executable mappings of a process, from /proc/PID/maps. Also finds the
 * mappings that must not be read: those of files on a network file system or on a user-space file
 * system. A read there may hang for as long as the server wants.
 *
 * Since Linux 6.11 the kernel answers for single addresses, so on such a kernel the whole list is
 * not read. Only one thread at a time may use an object.
 */
#ifndef CTRACE_DAEMON_STACK_UNWIND_MAPS_H
#define CTRACE_DAEMON_STACK_UNWIND_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"

#define UNWIND_MAPS_LINES_MAX 65536 /* lines of /proc/PID/maps that are read; the rest is not known */

struct unwind_elf;

struct unwind_map {
	uint64_t start, end, off;
	uint64_t ino;
	uint32_t major, minor;
	bool write, exec;
	bool avoid;  /* must not be read: neither the memory nor the file */
	bool looked; /* the file was looked for, and elf is the result */
	bool vdso;
	uint32_t path_off; /* where the path begins in `names` */
	struct unwind_elf *elf;
};

/* Remembers for some seconds whether a device with major number 0 must be avoided. An answer is
 * used for all processes. The caller sets the structure to zero at the start. Each thread has a
 * structure of its own. */
#define UNWIND_MOUNTS_MAX 32
struct unwind_mounts {
	struct unwind_mount {
		uint64_t checked_ns;
		uint32_t minor;
		bool avoid;
	} v[UNWIND_MOUNTS_MAX];
	size_t n;
	bool shmem_known;
	/* minor number of the device of memfd and of shared anonymous memory */
	uint32_t shmem_minor;
};

/* Returns true if the file system on the device may have to ask a server, or is not known. Looks
 * the device up in the mounts of tid, and if it is not there, in those of the daemon. A device with
 * a major number other than 0 is a disk, so the result is false. */
bool unwind_mounts_avoid(struct unwind_mounts *ms, uint32_t tid, uint32_t major_no, uint32_t minor_no);

struct unwind_maps {
	/* If asks is false: the executable mappings, and those that must not be read, sorted by
	 * address. If asks is true: the mappings of all addresses that were asked for, in no
	 * order. */
	VEC(struct unwind_map) maps;
	VEC(char) names;
	bool truncated; /* the list had more than UNWIND_MAPS_LINES_MAX lines */
	bool asks;      /* the kernel answers for single addresses, through fd */
	int fd;
	uint32_t tid;
	struct unwind_mounts *mounts;
	struct unwind_map unknown; /* stands for a mapping for which the kernel gave no answer */
};

/* Parses a line of /proc/PID/maps: "start-end perms off major:minor ino path". Cuts off the newline
 * at the end of the line. *ret_path points into the line. False: the line has another form. */
bool unwind_maps_parse(char *line, struct unwind_map *ret, const char **ret_path);

/* Replaces the contents of m by the mappings of tid. mounts is borrowed until unwind_maps_forget().
 * Returns 0, or -ESRCH if there is no such task, or -ENOMEM, or the -errno of the read. */
int unwind_maps_read(struct unwind_maps *m, uint32_t tid, struct unwind_mounts *mounts);
/* Forgets the mappings, and closes the file. */
void unwind_maps_forget(struct unwind_maps *m);
void unwind_maps_done(struct unwind_maps *m);
/* Returns the mapping that holds addr, or NULL if there is none. The mapping is valid until
 * unwind_maps_forget(). If the kernel gave no answer for addr, returns a mapping that must not be
 * read (avoid). */
struct unwind_map *unwind_maps_find(struct unwind_maps *m, uint64_t addr);
static inline const char *unwind_maps_path(const struct unwind_maps *m, const struct unwind_map *map)
{
	return m->names.v + map->path_off;
}

#endif
