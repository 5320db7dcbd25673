/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - the profile of a run: its length, divided into parts that add up to it.
 *
 * A run is the time of one task, such as the main task of a recorded command from its exec to its
 * exit. A part is a group of alike pieces of its critical path. The name of a part has no
 * id, address or port that changes from run to run. So the parts of several runs can be compared.
 *
 * Pure; any thread. A profile may outlive its graph.
 */
#ifndef CTRACE_ANALYSIS_PROFILE_PROFILE_H
#define CTRACE_ANALYSIS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/part.h"
#include "graph/timeline/graph.h"

#define PROFILE_PARTS_MAX 4096 /* the time of further parts goes into a part of class UNKNOWN */

struct profile {
	uint64_t total_ns;
	struct profile_part *parts; /* sorted by (key, detail); their ns add up to total_ns */
	size_t n_parts;
	bool truncated; /* see struct path */
};

/* Makes the profile of a task over [from_ns, to_ns). Its process with all descendants is the program;
 * all other processes are other programs. The caller frees *ret with profile_free(). Returns 0,
 * -ENOMEM, or -EINVAL if the range is empty or there is no such task. */
int profile_new(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct profile **ret);

enum profile_leg_kind {
	PROFILE_LEG_PATH,    /* the critical path of the task */
	PROFILE_LEG_QUEUED,  /* in a queue, until the task takes the work */
	PROFILE_LEG_OUTSIDE, /* on the way to another task, or on another host */
};
struct profile_leg {
	uint64_t from_ns, to_ns;
	uint32_t task; /* GRAPH_NONE: not known */
	enum profile_leg_kind kind;
};
/* As profile_new(), for a run in which several tasks work in turn. The program is the processes of these
 * tasks, with all descendants. */
int profile_legs(const struct graph *g, const struct profile_leg *legs, size_t n, struct profile **ret);
void profile_free(struct profile *p);

/* Sets *ret_to_ns to the exit of the task, or to UINT64_MAX if no exit was seen. Sets *ret_from_ns
 * to one of these:
 * - 0 if the task was born before the window, even if an exec is recorded;
 * - the first exec if the task was born in the window and an exec is recorded;
 * - the birth if the task was born in the window and no exec is recorded. */
void profile_life(const struct graph *g, uint32_t task, uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* Returns the main task of the command that `ctrace record` ran, or GRAPH_NONE. *ret_from_ns and
 * *ret_to_ns: as for profile_life(). */
uint32_t profile_command(const struct graph *g, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

#endif
