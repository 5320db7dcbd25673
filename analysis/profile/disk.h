/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk.h - private to analysis/: when other programs wait for a disk. Kernel threads do not count,
 * because they mostly write what the program itself has changed. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PROFILE_DISK_H
#define CTRACE_ANALYSIS_PROFILE_DISK_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

struct disk_use {
	uint64_t from_ns, to_ns;
	uint32_t dev; /* major << 20 | minor */
};

/* Sorted by (dev, from_ns). The times of one device do not overlap. */
typedef VEC(struct disk_use) disk_uses;

/* Finds the disk waits of the tasks for which is_other() is true. Returns 0 or -ENOMEM. The caller
 * frees *ret with VEC_FREE() in both cases. */
int disk_find(const struct graph *g, bool (*is_other)(const void *arg, uint32_t task), const void *arg,
	      disk_uses *ret);
/* Returns for how long in [from_ns, to_ns) the other programs waited for the device of obj. */
uint64_t disk_used_ns(const struct graph *g, const disk_uses *uses, uint64_t obj, uint64_t from_ns,
		      uint64_t to_ns);

#endif
