/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - gives names to control groups: records carry the id of a task's
 * cgroup, and this has its path written, and what its container is called, as CT_OBJECT blobs of
 * CT_OBJ_CGROUP.
 *
 * The id is the inode number of the cgroup's directory, so the hierarchy is walked for those that are not
 * known yet, at most once a second, on the worker's thread, and for half a percent of a CPU at most.  That
 * needs no privilege; open_by_handle_at() would be quicker, but is no call to leave to a daemon that has been
 * locked in.  A task that is moved is noticed at its next exec or rename, or when all tasks are read anew.
 * What has gone by then, or lies outside of the hierarchy that the daemon sees (in a container), stays
 * without a name, and so does all where there is no cgroup2 (version 1 alone).
 */
#ifndef CTRACE_DAEMON_RECORD_CGROUPS_H
#define CTRACE_DAEMON_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/worker.h"
#include "lib/map.h"

#define CGROUPS_KNOWN_MAX 65536 /* beyond that all are forgotten, and looked up again when seen */
#define CGROUPS_NEW_MAX   4096  /* in one walk; the others wait for the next */
#define CGROUPS_WALK_MAX  65536 /* directories looked at in one walk */
#define CGROUPS_DEPTH_MAX 32

struct cgroups;

struct cgroups_options {
	struct worker *worker;
	/* takes what a walk found (malloc'd); the worker's thread */
	void (*found)(void *arg, void *data, size_t size);
	void *arg;
};

/* Looks for the hierarchy.  NULL: out of memory. */
struct cgroups *cgroups_new(const struct cgroups_options *opt);
/* When the worker has ended.  Accepts NULL. */
void cgroups_free(struct cgroups *c);
/* A task of this cgroup was seen; drain thread. */
void cgroups_seen(struct cgroups *c, uint64_t id);
/* Has looked up what is new, if it is time to; drain thread. */
void cgroups_round(struct cgroups *c, uint64_t now_ns);

struct cgroups_stats {
	uint64_t named, unnamed; /* so far */
};
/* Any thread. */
struct cgroups_stats cgroups_stats(const struct cgroups *c);

/*
 * The blobs of those of the wanted ids that are found below root, back to back: for each its path, and before
 * it what its container is called where that is known; containers: the root of the files in which Docker and
 * Podman keep that ("/").  *ret NULL: none; *ret_n: how many ids were found.  0 or -errno.
 */
int cgroups_find(const char *root, const char *containers, const struct map *wanted, uint64_t now_ns,
		 void **ret, size_t *ret_size, size_t *ret_n);

#endif
