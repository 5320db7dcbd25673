/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h - private to graph/: the state of graph_build(). */
#ifndef CTRACE_GRAPH_TIMELINE_BUILD_H
#define CTRACE_GRAPH_TIMELINE_BUILD_H

#include "graph/timeline/graph.h"
#include "graph/timeline/tids.h"
#include "lib/map.h"
#include "lib/vec.h"

struct task_now {
	uint32_t tid, tgid;
	uint32_t parent;
	uint32_t interval; /* the open interval, or GRAPH_NONE */
	/* the place of the next interval, or a multiple of INTERVAL_BLOCK: the next interval begins a new
	 * block */
	uint32_t next_interval;
	uint32_t n_intervals;
	uint32_t look;
	uint32_t race_wake; /* a CT_WAKE that came while the task ran, or GRAPH_NONE */
	uint32_t owner;     /* the owner in a CT_FUTEX, for the wait that follows; 0: none */
	uint64_t owner_ts;
	uint64_t run_ns;
	/* the begin of the state that the task has in the last checkpoint or resync; 0: not known */
	uint64_t checkpoint_ns;
	uint64_t born_ns, exit_ns;
	uint64_t from_ns; /* the time of its first record */
	uint32_t exit_code;
	uint16_t cpu;
	uint16_t prio;
	bool gone;
	bool listed;
	bool capped; /* the task's records are left out (CT_GV_CAP), or `ended` is set */
	bool kept;   /* the task kept its state in a time without records */
	bool ended;  /* CT_EXIT came in a coarse stretch; more records may follow */

	/* for fold.c: */
	/* The FOLDED intervals whose sums (INTERVAL_SUMS) are not known yet form a list. This is the index
	 * of the last one, or GRAPH_NONE. The `wake` of each one is the index of the previous one. */
	uint32_t folded;
	uint32_t found;
	uint32_t waited;
	uint32_t visit, futex;
	uint64_t sight_ns; /* when a record last found the task in its open interval */
	uint64_t ran_ns, queued_ns;
};

/* The intervals of one task lie in blocks of this many. So place.c moves whole blocks, and needs no second
 * array. Many tasks have few intervals, so larger blocks would waste memory. */
#define INTERVAL_BLOCK 8u

struct builder {
	const struct window *w;
	VEC(struct task_now) now;
	VEC(struct interval) intervals; /* the last block of a task may have free places */
	VEC(uint32_t) blocks; /* [place in intervals / INTERVAL_BLOCK]: the task, as an index in now */
	/* [cpu], up to GRAPH_CPUS_MAX: the RUNNING intervals in the order of their begin; with runs_lost,
	 * also intervals that have become UNKNOWN */
	VEC(uint32_t) * runs;
	bool runs_lost;
	VEC(struct interval_look) looks; /* in no order */
	VEC(struct graph_dropped) dropped;
	struct tids *tids; /* tids below TIDS_MAX: the index of the newest task in `now` */
	struct map by_tid; /* the other tids; only a damaged file has them */
	size_t resync;
	bool blind; /* the replay is in a time without records */
	bool coarse;
	uint64_t coarse_end_ns; /* end of the last coarse stretch; 0: not ended, or none */
	VEC(uint32_t) live;     /* the tasks with an open interval, and some others */
	VEC(uint32_t) on_cpu;
	int err;
};

/* Shared with fold.c. If a function fails, it sets b->err.
 * - timeline_task() returns an index in b->now. fresh: the record says that the task is new.
 * - timeline_open() also ends the open interval. It returns NULL if it fails.
 * - timeline_block() begins the wait of the record r. owner: tid of the owner of the futex, or
 *   0. */
uint32_t timeline_task(struct builder *b, uint32_t tid, uint64_t ts, bool fresh);
struct interval *timeline_open(struct builder *b, uint32_t task, uint64_t ts, enum interval_state state);
void timeline_block(struct builder *b, uint32_t task, const struct ct_rec *r, uint32_t owner);
void timeline_gone(struct builder *b, uint32_t task, uint64_t ts);
/* Returns the open interval's entry in b->looks. Adds the entry if necessary. If it fails, sets
 * b->err and returns NULL. */
struct interval_look *timeline_look(struct builder *b, uint32_t task);
void timeline_wait_ends(struct builder *b, uint32_t interval, const struct ct_rec *wake, uint32_t event);
/* Returns true if the task's state in the checkpoint already includes a record at ts. */
static inline bool timeline_stale(const struct task_now *t, uint64_t ts)
{
	return t->checkpoint_ns && ts <= t->checkpoint_ns;
}
static inline enum interval_state timeline_state(const struct builder *b, const struct task_now *t)
{
	return t->interval == GRAPH_NONE ? INTERVAL_UNKNOWN
					 : (enum interval_state)b->intervals.v[t->interval].state;
}

/* Returns true if the interval is one of graph.runs. */
static inline bool timeline_is_run(const struct interval *s)
{
	return s->state == INTERVAL_RUNNING && s->cpu < GRAPH_CPUS_MAX;
}

/* place.c - after the replay: makes graph.intervals, graph.runs and graph.looks of those of the builder.
 * place_new() finds the place of the intervals of each task. renumber: [index in builder.now]: the index in
 * graph.tasks. Then one thread calls place_intervals(), and the same or another one place_others(). They
 * return 0 or -ENOMEM. */
struct placing;
int place_new(struct graph *g, struct builder *b, const uint32_t *renumber, struct placing **ret);
int place_intervals(struct placing *k);
void place_others(struct placing *k);
void place_free(struct placing *k);

/* fold.c - tasks in a time in which their CT_SWITCH records are left out. fold_drop() forgets what the last
 * CT_FOUND record of the task said. */
void fold_begin(struct builder *b);
void fold_step(struct builder *b, const struct window_event *e);
void fold_found(struct builder *b, const struct window_event *e, uint32_t event);
void fold_open(struct builder *b, uint32_t task, uint64_t ts);
void fold_exit(struct builder *b, uint32_t task, uint64_t ts);
void fold_drop(struct builder *b, uint32_t task);
void fold_count(struct task_now *t, const struct interval *s);
/* Called at the end of a task's cap: a time in which most records of the task are left out. found:
 * what the task does at that moment. Returns true if the task still waits as in its open
 * interval. */
bool fold_cap_ends(struct builder *b, uint32_t task, const struct ct_rec *found);
/* If e is the wake-up that follows a CT_FOUND_WAITED of the task, notes e as the end of this wait,
 * and returns true. */
bool fold_wake(struct builder *b, uint32_t task, const struct window_event *e, uint32_t event);

/* lean: NULL, or b->w. With b->w, drops records as graph_build_lean() does. Returns 0, -ENOMEM, or
 * -E2BIG if there are too many intervals. */
int timeline_replay(struct builder *b, struct window *lean);
/* Make the indices of a graph. index_tasks() needs g->tasks.
 * index_waits() goes once through g->intervals, and makes all that is known of waits only: g->reads,
 * g->disk_waits and g->n_waits. Return 0 or -ENOMEM. index_drop() frees all indices, also after an error. */
int index_tasks(struct graph *g);
int index_waits(struct graph *g);
void index_drop(struct graph *g);
/* Make the indices of records and objects, which need only g->w. index_collect() makes lists. index_some()
 * makes indices of lists with which no thread has begun; several threads may call it at the same time.
 * index_settle() does the rest, and frees `l`. l: may be NULL. r: an error that came before, or 0. */
struct index_lists;
int index_collect(struct graph *g, struct index_lists **ret);
void index_some(struct index_lists *l);
int index_settle(struct graph *g, struct index_lists *l, int r);
/* Returns false if the owner in the CT_FUTEX is not plausible. (The kernel side reads every futex
 * as if it were a lock of glibc.) */
bool index_is_owner(const struct window *w, const struct window_event *futex);

#endif
