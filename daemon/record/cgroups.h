/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - gives names to control groups. Records carry the id of a task's cgroup. This module writes the
 * path of the cgroup, and the name of its container if it is known, as CT_OBJECT blobs of type
 * CT_OBJ_CGROUP.
 *
 * The id is the inode number of the cgroup's directory. To find the directories of new ids, the worker
 * walks the hierarchy: at most once a second, and for at most half a percent of a CPU. The walk needs no
 * privilege. open_by_handle_at() would be faster, but the daemon must not have the right to call it.
 * If a task is moved to another cgroup, the daemon notices at the task's next exec or rename, or when all
 * tasks are read anew.
 *
 * A cgroup has no name if it has gone before the walk, or if it lies outside the hierarchy that the daemon
 * sees (in a container). If the machine has only cgroup version 1, no cgroup has a name.
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_H
#define CTRACE_DAEMON_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"
#include "lib/map.h"

#define CGROUPS_KNOWN_MAX 65536 /* ids that are remembered; before one more is added, all are forgotten */
#define CGROUPS_NEW_MAX   4096  /* ids that one walk looks for; others wait until they are seen again */
#define CGROUPS_WALK_MAX  65536 /* directories looked at in one walk */
#define CGROUPS_DEPTH_MAX 32

struct cgroups;

struct cgroups_options {
	struct worker *worker;
	/* Takes over what a walk found (malloc'd). Called on the worker's thread. */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

/* Looks for the mount point of cgroup2. NULL: out of memory. */
struct cgroups *cgroups_new(const struct cgroups_options *opt);
/* To be called when the worker has ended. Accepts NULL. */
void cgroups_free(struct cgroups *c);
/* Notes that a task of this cgroup was seen. Drain thread. */
void cgroups_seen(struct cgroups *c, uint64_t id);
/* Starts a walk if there are new ids and enough time has passed since the last walk. Drain thread. */
void cgroups_round(struct cgroups *c, uint64_t now_ns);

struct cgroups_stats {
	uint64_t named, unnamed; /* ids for which a name was found so far, and ids for which none was found */
};
/* Any thread. */
struct cgroups_stats cgroups_stats(const struct cgroups *c);

/*
 * Looks for the wanted ids below root. *ret (malloc'd; NULL: nothing found) has blobs back to back: for
 * each id that was found its path, and before the path the name of its container, if it is known.
 * containers: the root of the files in which Docker and Podman keep these names ("/"). *ret_n: how many ids
 * were found. Returns 0 or -errno.
 */
int cgroups_find(const char *root, const char *containers, const struct map *wanted, uint64_t now_ns,
		 void **ret, size_t *ret_size, size_t *ret_n);

#endif
