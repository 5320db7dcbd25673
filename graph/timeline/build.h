/* SPDX-License-Identifier: GPL-2.0-or-later */
/* build.h - private to graph/: the state of graph_build(). A task_now is the state of one task,
 * and a builder that of all tasks. */
#ifndef CTRACE_GRAPH_TIMELINE_BUILD_H
#define CTRACE_GRAPH_TIMELINE_BUILD_H

#include "graph/timeline/graph.h"
#include "lib/map.h"
#include "lib/vec.h"

struct task_now {
	uint32_t tid, tgid;
	uint32_t parent;    /* index of the parent, or GRAPH_NONE */
	uint32_t interval;  /* index of the open interval, or GRAPH_NONE */
	uint32_t look;      /* index in builder.looks of the open interval's entry, or GRAPH_NONE */
	uint32_t race_wake; /* index of a CT_WAKE that came while the task ran, or GRAPH_NONE */
	uint32_t owner;     /* the owner in a CT_FUTEX record, for the wait that begins at the
			       next switch-out; 0: none */
	uint64_t owner_ts;  /* run_ns at the time of this CT_FUTEX record */
	uint64_t run_ns;    /* when the task last got a CPU */
	/* time of the state in the last checkpoint or resync; 0: none */
	uint64_t checkpoint_ns;
	/* as in struct graph_task */
	uint64_t born_ns, exit_ns;
	uint32_t exit_code;
	uint16_t cpu;
	uint16_t prio;
	bool gone;
	bool listed; /* the task is in builder.live */
	bool capped; /* the records of the task are left out (CT_SHED with CT_GV_CAP) */
	bool kept;   /* the task is in the same state before and after a time without records */
	bool ended;  /* the CT_EXIT of the task came in a coarse stretch; later records of the task may still
			come */

	/* the members that fold.c uses */
	uint32_t folded;            /* index of the last FOLDED interval whose sums are not known yet;
				       GRAPH_NONE: none. The `wake` of this interval is the index
				       of the next older one, and so on */
	uint32_t found;             /* index of the last CT_FOUND event, or GRAPH_NONE */
	uint32_t waited;            /* index of the interval of the last CT_FOUND_WAITED, or
				       GRAPH_NONE */
	uint32_t visit, futex;      /* indices of the last CT_VISIT and CT_FUTEX events, or GRAPH_NONE */
	uint64_t sight_ns;          /* when a record last found the task in its open interval */
	uint64_t ran_ns, queued_ns; /* sums of the lengths of the RUNNING and of the RUNNABLE
				       intervals since the last CT_FOUND */
};

struct builder {
	const struct window *w;
	VEC(struct task_now) now;
	VEC(struct interval) intervals;
	VEC(struct interval_look) looks; /* in no order */
	VEC(struct graph_dropped) dropped;
	struct map by_tid;      /* from a tid to the index in `now` of the last task that had
				   this tid */
	size_t resync;          /* index in window.resyncs of the next resync to replay */
	bool blind;             /* the replay is in the time without records before the next
				   resync */
	bool coarse;            /* the replay is in a coarse stretch: switches are left out
				   (CT_LACK_SWITCHES) */
	uint64_t coarse_end_ns; /* when the last coarse stretch ended; 0: it has not ended, or
				   there was none */
	VEC(uint32_t) live;     /* all tasks that have an open interval, and some tasks that have none */
	VEC(uint32_t) on_cpu;   /* [cpu]: index of the task that runs there, or GRAPH_NONE */
	int err;
};

/* The steps of the replay that fold.c shares with timeline.c. If a step fails, it sets b->err.
 * - timeline_task() returns the index in b->now of the task that has the tid at ts. fresh: the
 *   record says that the task is new.
 * - timeline_open() ends the open interval of the task at ts, and opens one in the given state.
 *   Returns the new interval, or NULL if b->err is set.
 * - timeline_block() opens a BLOCKED interval for the wait that begins with the record r. owner:
 *   tid of the owner of the futex; 0: not known.
 * - timeline_gone() ends the task and its open interval at ts. */
uint32_t timeline_task(struct builder *b, uint32_t tid, uint64_t ts, bool fresh);
struct interval *timeline_open(struct builder *b, uint32_t task, uint64_t ts, enum interval_state state);
void timeline_block(struct builder *b, uint32_t task, const struct ct_rec *r, uint32_t owner);
void timeline_gone(struct builder *b, uint32_t task, uint64_t ts);
/* Returns the entry of the task's open interval in b->looks, and adds one if there is none.
 * Returns NULL if there is no memory; then b->err is set. */
struct interval_look *timeline_look(struct builder *b, uint32_t task);
/* Notes that the record `wake` ended the wait in `interval`. event is the index of this record. */
void timeline_wait_ends(struct builder *b, uint32_t interval, const struct ct_rec *wake, uint32_t event);
/* Returns true if a record of the time ts must not be replayed, because the checkpoint already
 * has a state of the task from ts or later. (Some records of a file segment are older than its
 * checkpoint.) */
static inline bool timeline_stale(const struct task_now *t, uint64_t ts)
{
	return t->checkpoint_ns && ts <= t->checkpoint_ns;
}
static inline enum interval_state timeline_state(const struct builder *b, const struct task_now *t)
{
	return t->interval == GRAPH_NONE ? INTERVAL_UNKNOWN
					 : (enum interval_state)b->intervals.v[t->interval].state;
}

/*
 * fold.c - tasks whose switches are left out:
 * - fold_begin() finds whether the window begins in a coarse stretch.
 * - fold_step() handles a CT_SHED of a step, and fold_found() a CT_FOUND.
 * - fold_open() opens a FOLDED interval.
 * - fold_exit() handles the CT_EXIT of a task in a coarse stretch.
 * - fold_drop() forgets the sums so far. Called before a time in which records are missing.
 * - fold_count() adds the length of an interval that has ended to the sums of the task.
 */
void fold_begin(struct builder *b);
void fold_step(struct builder *b, const struct window_event *e);
void fold_found(struct builder *b, const struct window_event *e, uint32_t event);
void fold_open(struct builder *b, uint32_t task, uint64_t ts);
void fold_exit(struct builder *b, uint32_t task, uint64_t ts);
void fold_drop(struct builder *b, uint32_t task);
void fold_count(struct task_now *t, const struct interval *s);
/* Called at the end of a task's cap, before the task gets the state of the record `found`.
 * Returns true if this record is about the wait in which the task already is. */
bool fold_cap_ends(struct builder *b, uint32_t task, const struct ct_rec *found);
/* Handles the CT_WAKE that follows a CT_FOUND_WAITED: notes that the wake ended the wait of the
 * CT_FOUND_WAITED. Returns false if there is no such wait. */
bool fold_wake(struct builder *b, uint32_t task, const struct window_event *e, uint32_t event);

/* Fills b->now, b->intervals and b->looks. If lean is not NULL, it is the window b->w: drops the
 * CT_SWITCH records from the window as graph_build_lean() does, and fills b->dropped. Returns 0,
 * -ENOMEM, or -E2BIG if there are too many intervals. */
int timeline_replay(struct builder *b, struct window *lean);
/* Fills the indices of g from its window and tasks. Returns 0 or -ENOMEM. */
int index_build(struct graph *g);
void index_drop(struct graph *g);
/* Returns true if the owner in a CT_FUTEX record is plausible. The kernel side reads the memory
 * around the futex word as if the futex were a lock of glibc, but the futex may be no such lock. */
bool index_is_owner(const struct window *w, const struct window_event *futex);

#endif
