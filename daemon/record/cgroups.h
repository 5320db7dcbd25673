/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - gives names to control groups (cgroups). A CT_TASK blob has the id of the task's
 * cgroup. This module writes the path of the cgroup, and the name of its container if the name is
 * known, as CT_OBJECT blobs for objects of the kind CT_OBJ_CGROUP.
 *
 * The id is the inode number of the cgroup's directory. To find the directories of new ids, the
 * worker walks the hierarchy: at most once a second, and for at most half a percent of a CPU. The
 * walk needs no privilege. open_by_handle_at() would be faster, but the daemon must not have the
 * right to call it. If a task is moved to another cgroup, the daemon notices this at the task's
 * next exec or rename, or when all tasks are read anew.
 *
 * Some cgroups stay without a name: a cgroup that is gone before the walk, a cgroup outside the
 * hierarchy that the daemon sees (if the daemon runs in a container), and a cgroup beyond the
 * limits below. If the machine has only cgroup version 1, no cgroup has a name.
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_H
#define CTRACE_DAEMON_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"
#include "lib/map.h"

/* at most this many ids are remembered; the next new id makes the daemon forget all of them */
#define CGROUPS_KNOWN_MAX 65536
/* at most this many ids are looked for in one walk; further ids have to be seen again */
#define CGROUPS_NEW_MAX   4096
#define CGROUPS_WALK_MAX  65536 /* the most directories that one walk looks at */
#define CGROUPS_DEPTH_MAX 32

struct cgroups;

struct cgroups_options {
	struct worker *worker;
	/* Takes over the blobs that a walk made (malloc'd). Called on the worker's thread. */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

/* Looks for the mount point of cgroup2. Returns NULL if there is no memory. */
struct cgroups *cgroups_new(const struct cgroups_options *opt);
/* Call this function when the worker has ended. Accepts NULL. */
void cgroups_free(struct cgroups *c);
/* Notes that a task of this cgroup was seen. Drain thread only. */
void cgroups_seen(struct cgroups *c, uint64_t id);
/* Starts a walk if there are new ids and the last walk is old enough (CGROUPS_WALK_NS and
 * CGROUPS_WALK_SHARE in thresholds.h). Drain thread only. */
void cgroups_round(struct cgroups *c, uint64_t now_ns);

struct cgroups_stats {
	/* named: ids for which walks have found a path so far. unnamed: ids that walks did not
	 * find. */
	uint64_t named, unnamed;
};
/* Any thread may call it. */
struct cgroups_stats cgroups_stats(const struct cgroups *c);

/*
 * Looks for the wanted ids in the hierarchy at root. *ret (malloc'd; NULL if nothing is found)
 * becomes blobs, back to back. For each id that is found there is a blob with its path. If the name
 * of its container is known, a blob with this name comes directly before the blob with the path.
 * containers: the root of the files in which Docker and Podman keep these names ("/"). *ret_n
 * becomes the number of ids that are found. Returns 0 or -errno.
 */
int cgroups_find(const char *root, const char *containers, const struct map *wanted, uint64_t now_ns,
		 void **ret, size_t *ret_size, size_t *ret_n);

#endif
