/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.h - private to analysis/inputs/: follows the work that began with an event, forward in time.
 */
#ifndef CTRACE_ANALYSIS_INPUTS_REACH_H
#define CTRACE_ANALYSIS_INPUTS_REACH_H

#include "analysis/inputs/moments.h"
#include "graph/causal/causal.h"

/* A task works for the event in [from_ns, to_ns). */
struct piece {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t event; /* the record at which the piece begins */
	uint32_t older; /* 1 + the index of the task's previous piece in reach.v; 0: there is none */
	uint64_t job;   /* if the piece begins with the start of a job: the job (struct moment); else 0 */
};

struct reach {
	const struct moments *m;
	const struct causal *c;
	VEC(struct piece) v; /* the first one begins with the event */
	struct map newest;   /* task -> 1 + the index of its newest piece in v; 0: there is none */
	uint64_t shown_ns;   /* the last update, or 0 */
	uint32_t sender;
	bool open;   /* as in struct input */
	bool shared; /* as in struct input */
};

/* Follows the work for the event that the record `event` takes. Sets the members of *r except for m and c;
 * r->v and r->newest keep their memory, which reach_done() frees. Returns 0 or -ENOMEM. */
int reach_follow(struct reach *r, uint32_t task, uint32_t event);
void reach_done(struct reach *r);

#endif
