/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - gives names to control groups (cgroups): writes CT_OBJECT blobs with the path of a
 * cgroup, and the name of its container if that is known.
 *
 * The id of a cgroup is the inode number of its directory. The worker walks the hierarchy to find
 * new ids, for at most half a percent of a CPU. open_by_handle_at() would be faster, but the
 * daemon's filter of system calls forbids it (privilege_calls.c). A cgroup gets no name in these
 * cases:
 * - the cgroup is removed before the walk
 * - the cgroup is outside the daemon's container
 * - a limit of the walk is reached (CGROUPS_*_MAX)
 * - the cgroup is of cgroup version 1
 *
 * Also reads the CPU quota and the memory limit of a task that is held up by such a limit, at most every
 * CGROUPS_LIMITS_NS, in both versions.
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_H
#define CTRACE_DAEMON_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"
#include "lib/map.h"

/* ids that are remembered; if there are so many, a new id makes the daemon forget all of them */
#define CGROUPS_KNOWN_MAX 65536
/* ids that one walk looks for; further ids have to be seen again */
#define CGROUPS_NEW_MAX  4096
#define CGROUPS_WALK_MAX 65536
/* tasks whose limits are read in one walk; further tasks have to be seen again */
#define CGROUPS_LIMITED_MAX 64
#define CGROUPS_DEPTH_MAX   32

struct cgroups;

struct cgroups_options {
	struct worker *worker;
	/* Takes over the blobs of a walk (malloc'd). Called on the worker's thread. */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

struct cgroups *cgroups_new(const struct cgroups_options *opt);
/* Call this after the end of the worker. Accepts NULL. */
void cgroups_free(struct cgroups *c);
/* Call this when a task of this cgroup was seen. Drain thread only. */
void cgroups_seen(struct cgroups *c, uint64_t id);
/* Call this when the CPU quota of this task was used up, or the task waited for memory. Drain thread only. */
void cgroups_limited(struct cgroups *c, uint32_t tid, uint64_t now_ns);
/* Starts a walk if there are new ids, or limits to read, and the last walk is old enough. Drain thread only.
 */
void cgroups_round(struct cgroups *c, uint64_t now_ns);

struct cgroups_stats {
	uint64_t named, unnamed;
};
/* Any thread may call it. */
struct cgroups_stats cgroups_stats(const struct cgroups *c);

/*
 * Looks for the wanted ids in the hierarchy at root. Returns 0 or -errno.
 * - containers: the root of the files of Docker and Podman ("/")
 * - *ret: for each found id, a blob with the path of the cgroup. If its container has a name, a blob
 *   with this name comes directly before. NULL if no id was found. The caller frees *ret.
 * - *ret_n: how many ids were found
 */
int cgroups_find(const char *root, const char *containers, const struct map *wanted, uint64_t now_ns,
		 void **ret, size_t *ret_size, size_t *ret_n);
/*
 * Reads the limits of n tasks, in /proc and /sys below root ("": the machine). Returns 0 or -errno. *ret: for
 * each task a blob CT_OBJ_QUOTA_ID() if it has a CPU quota, and a blob CT_OBJ_MEMORY_ID() if it has a memory
 * limit. NULL if there is none. The caller frees *ret.
 */
int cgroups_limits(const char *root, const uint32_t *tids, size_t n, uint64_t now_ns, void **ret,
		   size_t *ret_size);

#endif
