// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timeline.c - makes intervals from records, in order of time. A wake-up can be recorded while the
 * wakee still runs, just before the CT_SWITCH with which the wakee blocks. Such a wake-up ends the
 * wait that begins with this CT_SWITCH, unless a later wake-up ends the wait.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/timeline/build.h"
#include "lib/cleanup.h"
#include "lib/memory.h"

static inline void interval_end(struct interval *s, uint64_t ts)
{
	s->to_ns = MAX(ts, s->from_ns);
}

/* It is not known what the task did in this interval. */
static void interval_lost(struct builder *b, struct interval *s)
{
	b->runs_lost |= timeline_is_run(s);
	s->state = INTERVAL_UNKNOWN;
}

static inline void timeline_close(struct builder *b, uint32_t task, uint64_t ts)
{
	struct task_now *t = &b->now.v[task];

	if (t->interval == GRAPH_NONE)
		return;
	interval_end(&b->intervals.v[t->interval], ts);
	if (t->found != GRAPH_NONE)
		fold_count(t, &b->intervals.v[t->interval]);
}

void timeline_gone(struct builder *b, uint32_t task, uint64_t ts)
{
	struct task_now *t = &b->now.v[task];

	timeline_close(b, task, ts);
	t->interval = GRAPH_NONE;
	t->gone = true;
	t->exit_ns = MIN(t->exit_ns, ts);
}

/* Sets *ret to the index of the newest task with this tid in b->now. Returns false if there is none. */
static bool timeline_find(const struct builder *b, uint32_t tid, uint32_t *ret)
{
	uint32_t at = tids_get(b->tids, tid);
	uint64_t other;

	if (at == TIDS_NONE && tid >= TIDS_MAX && map_get(&b->by_tid, tid, &other))
		at = (uint32_t)other;
	*ret = at;
	return at != TIDS_NONE;
}

static int timeline_note(struct builder *b, uint32_t tid, uint32_t task)
{
	return tid < TIDS_MAX ? tids_set(b->tids, tid, task) : map_set(&b->by_tid, tid, task);
}

/* If the task with this tid has exited, a further record of the tid is of a new task. Exception:
 * after a CT_EXIT in a coarse stretch (task_now.ended), further records still belong to the old
 * task. If there is no memory, sets b->err and returns 0. */
uint32_t timeline_task(struct builder *b, uint32_t tid, uint64_t ts, bool fresh)
{
	struct task_now *t;
	uint32_t at;

	if (timeline_find(b, tid, &at)) {
		t = &b->now.v[at];
		if (!fresh && (!t->gone || t->ended))
			return at;
		/* The checkpoint has the new task already. This record is its birth. */
		if (fresh && !t->gone && ts <= t->checkpoint_ns) {
			t->born_ns = ts;
			return at;
		}
		/* Two tasks never have the same tid at the same time: the end of the old task was
		 * not recorded. */
		if (fresh && !t->gone && t->interval != GRAPH_NONE) {
			interval_lost(b, &b->intervals.v[t->interval]);
			timeline_gone(b, at, ts);
		}
	}
	if (VEC_PUSH(&b->now, (struct task_now){ .tid = tid,
						 .interval = GRAPH_NONE,
						 .look = GRAPH_NONE,
						 .race_wake = GRAPH_NONE,
						 .parent = GRAPH_NONE,
						 .folded = GRAPH_NONE,
						 .found = GRAPH_NONE,
						 .waited = GRAPH_NONE,
						 .visit = GRAPH_NONE,
						 .futex = GRAPH_NONE,
						 .cpu = FORMAT_CPU_NONE,
						 .exit_ns = UINT64_MAX,
						 .from_ns = ts,
						 .born_ns = fresh ? ts : 0 }) ||
	    timeline_note(b, tid, (uint32_t)b->now.n - 1)) {
		b->err = -ENOMEM;
		return 0;
	}
	return (uint32_t)b->now.n - 1;
}

static int timeline_new_block(struct builder *b, uint32_t task)
{
	if (b->intervals.n >= GRAPH_NONE - INTERVAL_BLOCK)
		return -E2BIG;
	if (VEC_RESERVE(&b->intervals, b->intervals.n + INTERVAL_BLOCK) || VEC_PUSH(&b->blocks, task))
		return -ENOMEM;
	b->now.v[task].next_interval = (uint32_t)b->intervals.n;
	b->intervals.n += INTERVAL_BLOCK;
	return 0;
}

struct interval *timeline_open(struct builder *b, uint32_t task, uint64_t ts, enum interval_state state)
{
	struct task_now *t = &b->now.v[task];
	struct interval *s;

	timeline_close(b, task, ts);
	if (t->next_interval % INTERVAL_BLOCK == 0)
		b->err = timeline_new_block(b, task);
	if (!b->err && !t->listed && VEC_PUSH(&b->live, task))
		b->err = -ENOMEM;
	if (!b->err && state == INTERVAL_RUNNING && t->cpu < GRAPH_CPUS_MAX &&
	    VEC_PUSH(&b->runs[t->cpu], t->next_interval))
		b->err = -ENOMEM;
	if (b->err)
		return NULL;
	t->listed = true;
	t->interval = t->next_interval++;
	t->n_intervals++;
	t->look = GRAPH_NONE;
	s = &b->intervals.v[t->interval];
	*s = (struct interval){ .from_ns = ts,
				.to_ns = ts,
				.task = task,
				.wake = GRAPH_NONE,
				.nr = CT_NR_NONE,
				.cpu = t->cpu,
				.state = (uint8_t)state };
	return s;
}

struct interval_look *timeline_look(struct builder *b, uint32_t task)
{
	struct task_now *t = &b->now.v[task];

	if (t->look == GRAPH_NONE) {
		if (VEC_PUSH(&b->looks, (struct interval_look){ t->interval, GRAPH_NONE, 0, GRAPH_NONE })) {
			b->err = -ENOMEM;
			return NULL;
		}
		t->look = (uint32_t)b->looks.n - 1;
	}
	return &b->looks.v[t->look];
}

/* futex: the CT_FUTEX event that shows the owner. GRAPH_NONE: a checkpoint shows the owner. */
static void timeline_set_owner(struct builder *b, uint32_t task, uint32_t owner, uint32_t futex)
{
	struct interval_look *l = timeline_look(b, task);

	if (!l)
		return;
	l->owner = owner;
	l->futex = futex;
}

void timeline_block(struct builder *b, uint32_t task, const struct ct_rec *r, uint32_t owner)
{
	struct interval *s = timeline_open(b, task, r->ts, INTERVAL_BLOCKED);

	if (!s)
		return;
	s->obj = r->obj;
	s->nr = r->nr;
	s->wait = (uint8_t)ct_switch_wait(r);
	s->flags = r->flags;
	s->st = ct_switch_state(r);
	if (owner)
		timeline_set_owner(b, task, owner, GRAPH_NONE);
}

/* A record says that task `was` ran on the CPU up to now, and that task `now` (GRAPH_NONE: none) runs there
 * from now on. If the last record about this CPU says that a third task began to run there, the record of the
 * end of that run is missing. Then the interval of the third task becomes UNKNOWN. */
static void timeline_on_cpu(struct builder *b, uint16_t cpu, uint32_t was, uint32_t now)
{
	while (b->on_cpu.n <= cpu)
		if (VEC_PUSH(&b->on_cpu, GRAPH_NONE)) {
			b->err = -ENOMEM;
			return;
		}
	if (b->on_cpu.v[cpu] != GRAPH_NONE && b->on_cpu.v[cpu] != was) {
		const struct task_now *t = &b->now.v[b->on_cpu.v[cpu]];

		if (timeline_state(b, t) == INTERVAL_RUNNING && b->intervals.v[t->interval].cpu == cpu)
			interval_lost(b, &b->intervals.v[t->interval]);
	}
	b->on_cpu.v[cpu] = now;
}

static void timeline_state_interval(struct builder *b, uint32_t task, const struct window_state *st,
				    uint64_t from_ns)
{
	struct ct_rec last = st->last;
	struct interval *s;

	last.ts = from_ns;
	b->now.v[task].cpu = st->cpu;
	b->now.v[task].checkpoint_ns = st->last.ts;
	switch (st->run) {
	case WINDOW_RUN_BLOCKED:
		timeline_block(b, task, &last, st->owner);
		break;
	case WINDOW_RUN_RUNNABLE:
		/* Without a time, the state is not known: the task has no record before the
		 * checkpoint. */
		timeline_open(b, task, from_ns, st->last.ts ? INTERVAL_RUNNABLE : INTERVAL_UNKNOWN);
		break;
	case WINDOW_RUN_RUNNING:
		s = timeline_open(b, task, from_ns, INTERVAL_RUNNING);
		if (s)
			s->cpu = st->cpu;
		if (s && st->cpu < GRAPH_CPUS_MAX)
			timeline_on_cpu(b, st->cpu, task, task);
		break;
	case WINDOW_RUN_CAPPED:
		timeline_open(b, task, from_ns, INTERVAL_UNKNOWN);
		b->now.v[task].capped = true;
		break;
	case WINDOW_RUN_FOLDED:
		fold_open(b, task, from_ns);
		break;
	}
}

static void timeline_checkpoint(struct builder *b)
{
	for (size_t i = 0; i < b->w->n_states && !b->err; i++) {
		const struct window_state *st = &b->w->states[i];
		uint32_t task = timeline_task(b, st->last.tid, 0, false);

		if (b->err)
			return;
		b->now.v[task].sight_ns = b->w->state_ns;
		timeline_state_interval(b, task, st, st->last.ts);
	}
}

static int state_cmp(const void *tid, const void *state)
{
	uint32_t a = *(const uint32_t *)tid, b = ((const struct window_state *)state)->last.tid;

	return a < b ? -1 : a > b;
}

static const struct window_state *resync_state(const struct window_resync *rs, uint32_t tid)
{
	return rs->n_states ? bsearch(&tid, rs->states, rs->n_states, sizeof(*rs->states), state_cmp) : NULL;
}

static bool resync_keeps(const struct interval *s, const struct window_state *st, uint64_t from_ns)
{
	switch (st->run) {
	case WINDOW_RUN_BLOCKED:
		return s->state == INTERVAL_BLOCKED &&
		       (s->from_ns == st->last.ts ||
			(st->last.ts <= from_ns && s->wait == st->last.wait && s->obj == st->last.obj));
	case WINDOW_RUN_RUNNABLE:
		return s->state == INTERVAL_RUNNABLE && s->from_ns == st->last.ts;
	case WINDOW_RUN_RUNNING:
		return s->state == INTERVAL_RUNNING && s->from_ns == st->last.ts && s->cpu == st->cpu;
	}
	return false;
}

static bool timeline_blind_task(struct builder *b, const struct window_resync *rs, uint32_t task)
{
	struct task_now *t = &b->now.v[task];
	const struct window_state *st;

	if (t->gone || t->interval == GRAPH_NONE)
		return false;
	t->race_wake = GRAPH_NONE;
	fold_drop(b, task);
	st = resync_state(rs, t->tid);
	t->kept = st && resync_keeps(&b->intervals.v[t->interval], st, rs->from_ns);
	if (t->kept)
		return true;
	if (st) {
		timeline_open(b, task, rs->from_ns, INTERVAL_UNKNOWN);
		return true;
	}
	timeline_gone(b, task, rs->from_ns);
	return false;
}

/* There may be many gaps, so only tasks with an open interval are looked at. */
static void timeline_blind(struct builder *b, const struct window_resync *rs)
{
	size_t n = 0;

	for (size_t i = 0; i < b->on_cpu.n; i++)
		b->on_cpu.v[i] = GRAPH_NONE;
	for (size_t i = 0; i < b->live.n && !b->err; i++) {
		uint32_t task = b->live.v[i];

		b->now.v[task].listed = timeline_blind_task(b, rs, task);
		if (b->now.v[task].listed)
			b->live.v[n++] = task;
	}
	b->live.n = n;
}

/* Call this if a task with this tid lives at ts. An earlier CT_EXIT (`ended`) was then of another task with
 * the same tid. */
static uint32_t timeline_living(struct builder *b, uint32_t tid, uint64_t ts)
{
	uint32_t at;

	if (timeline_find(b, tid, &at))
		b->now.v[at].ended = false;
	return timeline_task(b, tid, ts, false);
}

static void timeline_resync_task(struct builder *b, const struct window_state *st,
				 const struct window_resync *rs)
{
	uint32_t task = timeline_living(b, st->last.tid, st->last.ts);
	struct task_now *t = &b->now.v[task];
	uint64_t since_ns = MAX(st->last.ts, rs->from_ns);
	const struct interval *s = b->err || t->interval == GRAPH_NONE ? NULL : &b->intervals.v[t->interval];

	if (b->err)
		return;
	t->checkpoint_ns = st->last.ts;
	t->sight_ns = rs->ns;
	t->cpu = st->cpu;
	t->capped = false;
	if (s && (t->kept || (s->state != INTERVAL_UNKNOWN && s->from_ns >= since_ns))) {
		t->kept = false;
		if (s->state == INTERVAL_RUNNING && s->cpu < GRAPH_CPUS_MAX)
			timeline_on_cpu(b, s->cpu, task, task);
		return;
	}
	timeline_state_interval(b, task, st, since_ns);
}

static void timeline_resync(struct builder *b, const struct window_resync *rs)
{
	for (size_t i = 0; i < rs->n_states && !b->err; i++)
		timeline_resync_task(b, &rs->states[i], rs);
}

static void timeline_resyncs(struct builder *b, uint64_t ts)
{
	for (; b->resync < b->w->n_resyncs && !b->err; b->resync++) {
		const struct window_resync *rs = &b->w->resyncs[b->resync];

		if (!b->blind && ts <= rs->from_ns && ts < rs->ns)
			return;
		if (!b->blind)
			timeline_blind(b, rs);
		b->blind = ts < rs->ns;
		if (b->blind)
			return;
		timeline_resync(b, rs);
	}
}

static void timeline_switch_out(struct builder *b, const struct window_event *e, uint16_t cpu, uint32_t task)
{
	struct task_now *t = &b->now.v[task];
	uint32_t race;
	struct interval *s;

	/* The end of a task counts even under a cap, and even if a later checkpoint still has the
	 * task. */
	if ((t->capped || timeline_stale(t, e->r.ts)) && !(ct_switch_state(&e->r) & CT_ST_DEAD))
		return;
	t->cpu = cpu;
	t->prio = ct_switch_prio(&e->r);
	race = t->race_wake;
	t->race_wake = GRAPH_NONE;
	if (timeline_state(b, t) != INTERVAL_RUNNING && t->interval != GRAPH_NONE) {
		/* The switch-in is lost: the task is known to run only at this moment. */
		if (!timeline_open(b, task, e->r.ts, INTERVAL_RUNNING))
			return;
		t = &b->now.v[task];
	}
	if (ct_switch_state(&e->r) & CT_ST_DEAD) {
		timeline_close(b, task, e->r.ts);
		t->interval = GRAPH_NONE;
		t->gone = true;
		t->ended = false;
		if (t->exit_ns == UINT64_MAX)
			t->exit_ns = e->r.ts;
	} else if (ct_switch_state(&e->r) == CT_ST_RUNNING) {
		s = timeline_open(b, task, e->r.ts, INTERVAL_RUNNABLE);
		if (s) {
			s->wait = (uint8_t)ct_switch_wait(&e->r);
			s->nr = e->r.nr;
			s->flags = e->r.flags;
		}
	} else {
		timeline_block(b, task, &e->r, 0);
		if (!b->err)
			b->intervals.v[b->now.v[task].interval].wake = race;
		t = &b->now.v[task];
		if (!b->err && t->owner && t->owner_ts == t->run_ns)
			timeline_set_owner(b, task, t->owner, t->futex);
	}
	b->now.v[task].owner = 0;
}

static void timeline_switch_in(struct builder *b, const struct window_event *e, uint16_t cpu, uint32_t task)
{
	struct task_now *t = &b->now.v[task];
	struct interval *s;

	if (t->capped || timeline_stale(t, e->r.ts))
		return;
	t->cpu = cpu;
	t->race_wake = GRAPH_NONE;
	s = timeline_open(b, task, e->r.ts, INTERVAL_RUNNING);
	if (!s)
		return;
	s->cpu = cpu;
	b->now.v[task].run_ns = e->r.ts;
}

/* In a coarse stretch, switches are recorded only just after its begin and just before its end.
 * (When the governor changes the step, the BPF programs of the old and of the new step are attached
 * together for a moment.) All other switches are missing, so only the end of a task counts. */
static void timeline_switch_late(struct builder *b, const struct window_event *e)
{
	uint32_t at;

	if (!(ct_switch_state(&e->r) & CT_ST_DEAD) || !timeline_find(b, e->r.tid, &at))
		return;
	if (!b->now.v[at].gone)
		timeline_gone(b, at, e->r.ts);
	b->now.v[at].ended = false;
}

static void timeline_switch(struct builder *b, const struct window_event *e)
{
	uint32_t was = e->r.tid ? timeline_task(b, e->r.tid, e->r.ts, false) : GRAPH_NONE;
	uint32_t now =
		ct_switch_next(&e->r) ? timeline_task(b, ct_switch_next(&e->r), e->r.ts, false) : GRAPH_NONE;
	uint16_t cpu = window_cpu(b->w, e);

	if (!b->err)
		timeline_on_cpu(b, cpu, was, now);
	if (e->r.tid && !b->err)
		timeline_switch_out(b, e, cpu, was);
	/* in a damaged trace, the task that switches out may also be the next one */
	if (now != GRAPH_NONE && now == was && !b->err)
		now = timeline_task(b, ct_switch_next(&e->r), e->r.ts, false);
	if (now != GRAPH_NONE && !b->err)
		timeline_switch_in(b, e, cpu, now);
}

static void timeline_woken(struct builder *b, uint32_t task, uint64_t ts)
{
	if (!b->coarse)
		timeline_open(b, task, ts, INTERVAL_RUNNABLE);
	else if (timeline_state(b, &b->now.v[task]) != INTERVAL_FOLDED)
		fold_open(b, task, ts);
}

void timeline_wait_ends(struct builder *b, uint32_t interval, const struct ct_rec *wake, uint32_t event)
{
	b->intervals.v[interval].wake = event;
	/* The task was frozen in its wait, and went on only when it was thawed. */
	if (wake->flags & CT_WF_FROZEN)
		b->intervals.v[interval].wait = CT_W_STOPPED;
}

static void timeline_wake(struct builder *b, const struct window_event *e, uint32_t idx)
{
	uint32_t task = timeline_task(b, e->r.tid, e->r.ts, false);
	struct task_now *t;

	if (b->err)
		return;
	if (ct_wake_waker(&e->r))
		timeline_task(b, ct_wake_waker(&e->r), e->r.ts, false);
	t = &b->now.v[task];
	if (b->err || fold_wake(b, task, e, idx) || t->capped || timeline_stale(t, e->r.ts))
		return;
	switch (timeline_state(b, t)) {
	case INTERVAL_RUNNING:
		t->race_wake = idx;
		return;
	case INTERVAL_RUNNABLE:
		return;
	case INTERVAL_UNKNOWN:
	case INTERVAL_FOLDED:
		timeline_woken(b, task, e->r.ts);
		return;
	case INTERVAL_BLOCKED:
		break;
	}
	timeline_wait_ends(b, t->interval, &e->r, idx);
	timeline_woken(b, task, e->r.ts);
}

static void timeline_fork(struct builder *b, const struct window_event *e)
{
	uint32_t child = timeline_task(b, ct_fork_child(&e->r), e->r.ts, true);
	uint32_t parent = b->err ? 0 : timeline_task(b, e->r.tid, e->r.ts, false);

	if (b->err)
		return;
	b->now.v[child].parent = parent;
	b->now.v[child].tgid = ct_fork_child_tgid(&e->r);
	if (b->now.v[child].interval == GRAPH_NONE && b->coarse)
		fold_open(b, child, e->r.ts);
	else if (b->now.v[child].interval == GRAPH_NONE)
		timeline_open(b, child, e->r.ts, INTERVAL_RUNNABLE);
}

static void timeline_visit(struct builder *b, const struct window_event *e, uint32_t idx)
{
	struct interval_look *l;
	struct interval *s;
	uint32_t at;

	if (!timeline_find(b, e->r.tid, &at))
		return;
	b->now.v[at].visit = idx;
	if (timeline_state(b, &b->now.v[at]) != INTERVAL_BLOCKED)
		return;
	s = &b->intervals.v[b->now.v[at].interval];
	/* The object of a call that takes a path is the file system. The record of the switch does not have
	 * it, but the record of the inspection does. */
	if (s->wait == CT_W_OPEN && !s->obj)
		s->obj = e->r.obj;
	l = timeline_look(b, at);
	if (l)
		l->visit = idx;
}

static void timeline_owner(struct builder *b, const struct window_event *e, uint32_t idx)
{
	uint32_t task = timeline_task(b, e->r.tid, e->r.ts, false);
	struct task_now *t = &b->now.v[task];

	if (b->err || !index_is_owner(b->w, e))
		return;
	if (timeline_state(b, t) == INTERVAL_BLOCKED) {
		if (b->intervals.v[t->interval].obj == e->r.obj)
			timeline_set_owner(b, task, ct_futex_owner(&e->r), idx);
		return;
	}
	t->owner = ct_futex_owner(&e->r);
	t->owner_ts = t->run_ns;
	t->futex = idx;
}

/* r is the begin or end of a cap: a time in which most records of a task are left out. Returns true if the
 * last known task with this tid has ended, and r is about that task. If r has CT_GV_GROUP but not
 * CT_W_EXITED, then r is about a new task, whose fork was left out. */
static bool timeline_cap_is_late(const struct builder *b, const struct ct_rec *r)
{
	uint32_t at;

	return timeline_find(b, r->tid, &at) && b->now.v[at].gone &&
	       (!(r->flags & CT_GV_GROUP) || ct_cap_wait(r) == CT_W_EXITED);
}

static void timeline_cap(struct builder *b, const struct window_event *e)
{
	uint32_t task = timeline_living(b, e->r.tid, e->r.ts);
	struct task_now *t = &b->now.v[task];
	struct ct_rec found = { .ts = e->r.ts,
				.kind = CT_SWITCH,
				.tid = e->r.tid,
				.nr = e->r.nr,
				.obj = e->r.obj,
				.wait = (uint8_t)ct_cap_wait(&e->r),
				.state = ct_cap_state(&e->r) };
	bool begins = window_words(b->w, e)[0] == e->r.ts;

	if (b->err)
		return;
	if (!begins && !t->capped && t->interval != GRAPH_NONE)
		interval_lost(b, &b->intervals.v[t->interval]);
	t->race_wake = GRAPH_NONE;
	fold_drop(b, task);
	if (!begins && t->capped && fold_cap_ends(b, task, &found)) {
		t->capped = false;
		return;
	}
	t = &b->now.v[task];
	t->capped = begins;
	if (begins)
		timeline_open(b, task, e->r.ts, INTERVAL_UNKNOWN);
	else if (found.wait == CT_W_EXITED)
		timeline_gone(b, task, e->r.ts);
	else if (found.state && found.wait != CT_W_NONE)
		timeline_block(b, task, &found, 0);
	else
		timeline_woken(b, task, e->r.ts);
}

static void timeline_event(struct builder *b, const struct window_event *e, uint32_t idx)
{
	uint32_t task;

	switch (e->r.kind) {
	case CT_SWITCH:
		if (b->coarse)
			timeline_switch_late(b, e);
		else
			timeline_switch(b, e);
		break;
	case CT_WAKE:
		timeline_wake(b, e, idx);
		break;
	case CT_FORK:
		timeline_fork(b, e);
		break;
	case CT_FUTEX:
		timeline_owner(b, e, idx);
		break;
	case CT_VISIT:
		timeline_visit(b, e, idx);
		break;
	case CT_SHED:
		if (e->r.flags & CT_GV_CAP && !timeline_cap_is_late(b, &e->r))
			timeline_cap(b, e);
		else if (!(e->r.flags & (CT_GV_CAP | CT_GV_GROUP)))
			fold_step(b, e);
		break;
	case CT_FOUND:
		fold_found(b, e, idx);
		break;
	case CT_EXIT:
		task = timeline_task(b, e->r.tid, e->r.ts, false);
		if (!b->err) {
			b->now.v[task].exit_ns = e->r.ts;
			b->now.v[task].exit_code = ct_exit_code(&e->r);
			if (b->coarse)
				fold_exit(b, task, e->r.ts);
		}
		break;
	}
}

static void timeline_end(struct builder *b, uint64_t last_ns)
{
	uint64_t end = MAX(b->w->to_ns, last_ns);

	if (end == UINT64_MAX)
		end = b->w->file_to_ns;
	for (size_t i = 0; i < b->now.n; i++) {
		if (b->now.v[i].interval != GRAPH_NONE)
			interval_end(&b->intervals.v[b->now.v[i].interval], end);
		fold_drop(b, (uint32_t)i);
	}
	for (size_t cpu = 0; cpu < GRAPH_CPUS_MAX && b->runs_lost; cpu++) {
		size_t n = 0;

		for (size_t i = 0; i < b->runs[cpu].n; i++)
			if (timeline_is_run(&b->intervals.v[b->runs[cpu].v[i]]))
				b->runs[cpu].v[n++] = b->runs[cpu].v[i];
		b->runs[cpu].n = n;
	}
}

/* Without this, the array would move as it grows. */
static void timeline_reserve(struct builder *b)
{
	size_t n = b->w->n_states + b->w->n_changes;

	if (n <= GRAPH_NONE && !VEC_RESERVE(&b->intervals, n))
		huge_advise(b->intervals.v, n * sizeof(*b->intervals.v));
}

static bool timeline_drops(struct builder *b, const struct window_event *e, uint32_t n)
{
	uint64_t since_ns = n ? e[n].r.ts - e[n - 1].r.ts : UINT64_MAX;

	if (e[n].r.kind != CT_SWITCH || since_ns > UINT32_MAX)
		return false;
	if (VEC_PUSH(&b->dropped, (struct graph_dropped){ n, (uint32_t)since_ns }))
		b->err = -ENOMEM;
	return true;
}

/* timeline_replay_lean() gives memory back each time it has replayed this number of events */
#define GIVE_BACK 262144

/* timeline_event() notes the indices of events, to look at these events again later. So each event moves
 * to its final index before it is handled. */
static void timeline_replay_lean(struct builder *b, struct window *w)
{
	const struct window_event *e = w->events;
	/* kept events move below this index, except some switches */
	size_t used = w->n_events - w->n_switches;
	uint32_t n = 0;

	for (size_t i = 0; i < w->n_events && !b->err; i++) {
		if (i % GIVE_BACK == 0)
			window_give_back(w, MAX(used, (size_t)n), i);
		window_keep(w, i, n);
		timeline_resyncs(b, e[n].r.ts);
		timeline_event(b, &e[n], n);
		if (!timeline_drops(b, e, n))
			n++;
	}
	window_shrink(w, n);
}

int timeline_replay(struct builder *b, struct window *lean)
{
	const struct window *w = b->w;
	uint64_t last_ns = w->n_events ? w->events[w->n_events - 1].r.ts : 0;

	timeline_reserve(b);
	fold_begin(b);
	timeline_checkpoint(b);
	if (lean)
		timeline_replay_lean(b, lean);
	for (size_t i = 0; !lean && i < w->n_events && !b->err; i++) {
		timeline_resyncs(b, w->events[i].r.ts);
		timeline_event(b, &w->events[i], (uint32_t)i);
	}
	if (!b->err)
		timeline_end(b, last_ns);
	return b->err;
}
