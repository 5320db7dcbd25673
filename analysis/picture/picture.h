/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - the content of a picture that explains a diagnosis: the tasks that matter, their
 * intervals, the critical path, and the times with missing records. All lists are bounded, so a
 * picture of millions of records is small. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PICTURE_PICTURE_H
#define CTRACE_ANALYSIS_PICTURE_PICTURE_H

#include "analysis/diagnose/diagnosis.h"
#include "lib/vec.h"

/* Limits. LANES: tasks. PATH: tasks that are on the path, but not in the chain. SPANS: spans of one
 * lane. KEPT: of the waits of one link of the chain, this many are drawn one by one. ROUTE: pieces of the
 * path. STRETCHES: each list of stretches. */
#define PICTURE_LANES     48
#define PICTURE_PATH      24
#define PICTURE_SPANS     1500
#define PICTURE_KEPT      500
#define PICTURE_ROUTE     1500
#define PICTURE_STRETCHES 400

enum lane_why { LANE_CHAIN, LANE_PATH, LANE_NEAR };

/* A part of a lane: one interval, or several that are joined. */
struct span {
	uint64_t from_ns, to_ns;
	/* How long the task had a CPU, and how long it waited for one. Both are 0 if this is not known,
	 * or if `time` is not TIME_SHORT. */
	uint64_t ran_ns, queued_ns;
	uint32_t interval; /* the first one */
	uint32_t n;        /* 2 or more: this many intervals are joined */
	uint32_t blame;    /* index into lane.blames; GRAPH_NONE: no wait, or several intervals */
	uint8_t time;      /* enum time_kind; TIME_SHORT if intervals are joined */
	bool kept;         /* one of the PICTURE_KEPT longest waits of a link of the chain */
};
typedef VEC(struct span) span_list;

struct lane {
	uint32_t task;
	enum lane_why why;
	uint32_t link;      /* LANE_CHAIN: the index of the first link about this task */
	uint64_t path_ns;   /* the time of this task on the path */
	uint32_t wakes;     /* LANE_NEAR: wake-ups between this task and the tasks of earlier lanes */
	uint64_t finest_ns; /* shorter intervals may be joined; 0: none is */
	size_t n_intervals;
	span_list spans;
	VEC(struct blame) blames;
};

/* A part of the critical path: one piece, or several that are joined. */
struct route_piece {
	uint64_t from_ns, to_ns;
	uint32_t task;     /* of joined pieces: the task with the most time */
	uint32_t interval; /* of joined pieces: one interval of `task`. GRAPH_NONE: not known */
	uint32_t n;
	uint8_t time;
	uint8_t edge, strength; /* why the path came to this task; both are 0 for the victim */
	uint8_t resource;       /* enum resource_kind: of the wait that led the path to this task */
};

/* A time with missing records. cpu: may be CT_GAP_ALL_CPUS. cause: enum ct_loss. */
struct gap_stretch {
	uint64_t from_ns, to_ns;
	uint64_t records; /* 0: not known */
	uint32_t cpu;
	uint32_t n; /* gaps that are joined */
	uint8_t cause;
};

/* A time in which the governor left out records: lacks is a set of CT_LACK_*. */
struct lacking_stretch {
	uint64_t from_ns, to_ns;
	uint32_t lacks;
};

struct picture {
	uint64_t from_ns, to_ns;
	VEC(struct lane) lanes; /* by rank: the chain, the path, then the tasks near them */
	VEC(struct route_piece) route;
	uint64_t route_finest_ns;
	VEC(struct gap_stretch) gaps;
	VEC(struct lacking_stretch) lacking;
	size_t n_left_out; /* tasks that have no lane, although they are on the path or near it */
};

/* Accepts NULL. */
void picture_free(struct picture *p);
/* Returns the index of the task's lane, or GRAPH_NONE. */
uint32_t picture_lane(const struct picture *p, uint32_t task);

#endif
