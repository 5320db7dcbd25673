// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fold.c - makes the intervals of a task whose switches are left out: in a coarse stretch
 * (CT_LACK_SWITCHES), or under a cap. In a stretch, a task is FOLDED, except while it is known to
 * wait or to be queued. Under a cap, it is UNKNOWN, except while it is known to wait.
 *
 * The daemon reads the states of the tasks only about twice a second. So a wait begins before the
 * first CT_FOUND that shows the wait, and lasts at least until the last CT_FOUND that shows it.
 *
 * A CT_FOUND has sums of the task so far: CPU time, time in queues, and switches. The difference of
 * two CT_FOUND is divided among the folded intervals in between, in proportion to their lengths.
 */
#include <errno.h>

#include "graph/thresholds.h"
#include "graph/timeline/build.h"
#include "lib/checked.h"
#include "lib/cleanup.h"

void fold_open(struct builder *b, uint32_t task, uint64_t ts)
{
	struct interval *s = timeline_open(b, task, ts, INTERVAL_FOLDED);
	struct task_now *t = &b->now.v[task];

	if (!s)
		return;
	s->wake = t->folded;
	t->folded = t->interval;
}

static void fold_unlink(struct builder *b, struct task_now *t)
{
	while (t->folded != GRAPH_NONE) {
		struct interval *s = &b->intervals.v[t->folded];

		t->folded = s->wake;
		s->wake = GRAPH_NONE;
	}
}

void fold_drop(struct builder *b, uint32_t task)
{
	struct task_now *t = &b->now.v[task];

	fold_unlink(b, t);
	t->found = GRAPH_NONE;
	t->ran_ns = t->queued_ns = 0;
}

void fold_count(struct task_now *t, const struct interval *s)
{
	t->ran_ns += s->state == INTERVAL_RUNNING ? s->to_ns - s->from_ns : 0;
	t->queued_ns += s->state == INTERVAL_RUNNABLE ? s->to_ns - s->from_ns : 0;
}

static void stretch_begins(struct builder *b, uint64_t ts)
{
	size_t n = 0;

	b->coarse = true;
	b->coarse_end_ns = 0;
	for (size_t i = 0; i < b->on_cpu.n; i++)
		b->on_cpu.v[i] = GRAPH_NONE;
	for (size_t i = 0; i < b->live.n && !b->err; i++) {
		uint32_t task = b->live.v[i];
		struct task_now *t = &b->now.v[task];
		enum interval_state state = timeline_state(b, t);

		t->listed = !t->gone && t->interval != GRAPH_NONE;
		if (!t->listed)
			continue;
		b->live.v[n++] = task;
		fold_drop(b, task);
		t->race_wake = GRAPH_NONE;
		t->owner = 0;
		t->sight_ns = MAX(ts, b->intervals.v[t->interval].from_ns);
		if (state == INTERVAL_RUNNING || state == INTERVAL_RUNNABLE)
			fold_open(b, task, ts);
	}
	b->live.n = n;
}

void fold_step(struct builder *b, const struct window_event *e)
{
	bool coarse = ct_shed_lacks(ct_shed_step(&e->r)) & CT_LACK_SWITCHES;

	if (coarse && !b->coarse)
		stretch_begins(b, e->r.ts);
	else if (!coarse && b->coarse)
		b->coarse_end_ns = e->r.ts;
	b->coarse = coarse;
}

void fold_begin(struct builder *b)
{
	const struct window *w = b->w;

	for (size_t i = 0; i < w->n_states && !b->coarse; i++)
		b->coarse = w->states[i].run == WINDOW_RUN_FOLDED;
	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1)) {
		const struct ct_rec *r = &w->events[i].r;

		if (r->kind != CT_SHED || r->flags & (CT_GV_CAP | CT_GV_GROUP))
			continue;
		b->coarse = ct_shed_lacks(ct_shed_step_before(r)) & CT_LACK_SWITCHES;
		return;
	}
}

void fold_exit(struct builder *b, uint32_t task, uint64_t ts)
{
	struct task_now *t = &b->now.v[task];

	if (t->gone)
		return;
	timeline_gone(b, task, ts);
	t->ended = t->capped = true;
}

static struct interval_sums sums_between(const struct window *w, const struct task_now *t,
					 const struct window_event *to)
{
	const struct window_event *from = &w->events[t->found];
	uint64_t before = window_words(w, from)[1], now = window_words(w, to)[1];

	return (struct interval_sums){
		.ran_ns = checked_sub(ct_found_ran_ns(before, now), t->ran_ns),
		.queued_ns = checked_sub(ct_found_queued_ns(before, now), t->queued_ns),
		.switches = ct_found_switches(&from->r, &to->r),
	};
}

static uint64_t part_of(uint64_t sum, uint64_t len, uint64_t all)
{
	return all ? (uint64_t)((double)sum * (double)len / (double)all) : 0;
}

/* `sums` are of the time since from_ns. span_ns is the length of all folded intervals in this
 * time. */
static void set_sums(struct interval *s, const struct interval_sums *sums, uint64_t from_ns, uint64_t span_ns)
{
	uint64_t len = s->to_ns - s->from_ns;
	uint64_t ran = MIN(part_of(sums->ran_ns, len, span_ns), len) / CT_FOUND_UNIT_NS;
	uint64_t queued = MIN(part_of(sums->queued_ns, len, span_ns), len) / CT_FOUND_UNIT_NS;

	if (s->state != INTERVAL_FOLDED || (s->to_ns <= from_ns && len > span_ns))
		return;
	s->obj = MIN(ran, (uint64_t)UINT32_MAX) | MIN(queued, (uint64_t)UINT32_MAX) << 32;
	s->switches = (uint32_t)MIN(part_of(sums->switches, len, span_ns), (uint64_t)UINT32_MAX);
	s->flags |= INTERVAL_SUMS;
}

static void fold_settle(struct builder *b, uint32_t task, uint32_t event)
{
	const struct window_event *e = &b->w->events[event];
	struct task_now *t = &b->now.v[task];
	const struct interval *open = t->interval == GRAPH_NONE ? NULL : &b->intervals.v[t->interval];
	struct interval_sums sums;
	uint64_t span_ns = 0;
	uint32_t i, next;

	if (t->found != GRAPH_NONE) {
		uint64_t from_ns = b->w->events[t->found].r.ts;

		if (open && open->state == INTERVAL_RUNNING)
			t->ran_ns += checked_sub(e->r.ts, open->from_ns);
		sums = sums_between(b->w, t, e);
		for (i = t->folded; i != GRAPH_NONE; i = b->intervals.v[i].wake)
			if (i != t->interval)
				span_ns += checked_sub(b->intervals.v[i].to_ns,
						       MAX(b->intervals.v[i].from_ns, from_ns));
		for (i = t->folded; i != GRAPH_NONE; i = next) {
			next = b->intervals.v[i].wake;
			b->intervals.v[i].wake = GRAPH_NONE;
			if (span_ns && i != t->interval)
				set_sums(&b->intervals.v[i], &sums, from_ns, span_ns);
		}
		t->folded = t->folded == t->interval ? t->interval : GRAPH_NONE;
	}
	/* The last folded interval ended before any sums were known, so it gets none. */
	if (t->found == GRAPH_NONE && t->folded != GRAPH_NONE && b->intervals.v[t->folded].to_ns < e->r.ts &&
	    t->folded != t->interval)
		fold_unlink(b, t);
	t->found = event;
	t->ran_ns = t->queued_ns = 0;
}

static bool is_same(const struct interval *s, const struct task_now *t, enum interval_state state,
		    uint64_t since_ns)
{
	return s && s->state == state && since_ns <= MAX(t->sight_ns, s->from_ns + FOUND_SLACK_NS);
}

static void blur(struct builder *b, uint32_t task, uint64_t ts)
{
	if (b->now.v[task].capped)
		timeline_open(b, task, ts, INTERVAL_UNKNOWN);
	else
		fold_open(b, task, ts);
}

/* At ts, a record found the task in a new state. By this record, the new state began at since_ns.
 * The open interval has the old state. At sight_ns, a record last found the task in the old state.
 * Returns when the new state begins:
 * - If the old state is FOLDED or UNKNOWN: at since_ns. The old state lasts until then.
 * - Otherwise: at the later one of since_ns and sight_ns. If since_ns is later, blur() fills the
 *   time from sight_ns to since_ns. */
static uint64_t make_room(struct builder *b, uint32_t task, uint64_t since_ns, uint64_t ts)
{
	struct task_now *t = &b->now.v[task];
	const struct interval *s = t->interval == GRAPH_NONE ? NULL : &b->intervals.v[t->interval];
	uint64_t sight_ns;

	since_ns = MIN(since_ns, ts);
	if (!s)
		return since_ns;
	if (s->state == INTERVAL_FOLDED || s->state == INTERVAL_UNKNOWN)
		return MAX(since_ns, s->from_ns);
	sight_ns = MAX(t->sight_ns, s->from_ns);
	sight_ns = MIN(sight_ns, ts);
	if (since_ns > sight_ns)
		blur(b, task, sight_ns);
	return MAX(since_ns, sight_ns);
}

static void take_inspection(struct builder *b, uint32_t task)
{
	const struct task_now *t = &b->now.v[task];
	const struct interval *s = &b->intervals.v[t->interval];
	const struct window_event *e = b->w->events;
	bool visited = t->visit != GRAPH_NONE && e[t->visit].r.ts >= s->from_ns;
	bool owned = t->futex != GRAPH_NONE && e[t->futex].r.ts >= s->from_ns &&
		     e[t->futex].r.obj == s->obj && s->wait == CT_W_FUTEX;
	struct interval_look *l = visited || owned ? timeline_look(b, task) : NULL;

	if (l && visited && l->visit == GRAPH_NONE)
		l->visit = t->visit;
	if (l && owned && !l->owner) {
		l->owner = ct_futex_owner(&e[t->futex].r);
		l->futex = t->futex;
	}
}

static void found_blocked(struct builder *b, uint32_t task, const struct window_event *e)
{
	struct task_now *t = &b->now.v[task];
	struct interval *s = t->interval == GRAPH_NONE ? NULL : &b->intervals.v[t->interval];
	uint64_t since_ns = window_words(b->w, e)[0];
	struct ct_rec r = e->r;

	if (is_same(s, t, INTERVAL_BLOCKED, since_ns)) {
		s->obj = s->obj ? s->obj : e->r.obj;
	} else {
		r.ts = make_room(b, task, since_ns, e->r.ts);
		if (!b->err)
			timeline_block(b, task, &r, 0);
	}
	if (b->err)
		return;
	t = &b->now.v[task];
	t->sight_ns = e->r.ts;
	take_inspection(b, task);
}

static void found_waited(struct builder *b, uint32_t task, const struct window_event *e)
{
	found_blocked(b, task, e);
	if (b->err)
		return;
	b->now.v[task].waited = b->now.v[task].interval;
	if (b->coarse || b->now.v[task].capped)
		blur(b, task, e->r.ts);
	else
		timeline_open(b, task, e->r.ts, INTERVAL_RUNNABLE);
}

static void found_queued(struct builder *b, uint32_t task, const struct window_event *e)
{
	const struct task_now *t = &b->now.v[task];
	const struct interval *s = t->interval == GRAPH_NONE ? NULL : &b->intervals.v[t->interval];
	uint64_t since_ns = window_words(b->w, e)[0];

	if (!is_same(s, t, INTERVAL_RUNNABLE, since_ns)) {
		uint64_t from_ns = make_room(b, task, since_ns, e->r.ts);

		if (!b->err)
			timeline_open(b, task, from_ns, INTERVAL_RUNNABLE);
	}
	if (!b->err)
		b->intervals.v[b->now.v[task].interval].flags |= e->r.flags & CT_SF_THROTTLED;
	b->now.v[task].sight_ns = e->r.ts;
}

static void found_folded(struct builder *b, uint32_t task, const struct window_event *e)
{
	make_room(b, task, e->r.ts, e->r.ts);
	if (!b->err && !b->now.v[task].capped)
		fold_open(b, task, e->r.ts);
}

bool fold_cap_ends(struct builder *b, uint32_t task, const struct ct_rec *found)
{
	const struct interval *s =
		b->now.v[task].interval == GRAPH_NONE ? NULL : &b->intervals.v[b->now.v[task].interval];

	if (!s || s->state != INTERVAL_BLOCKED)
		return false;
	if (found->state && s->wait == found->wait && s->obj == found->obj)
		return true;
	make_room(b, task, found->ts, found->ts);
	return false;
}

/* If all switches of the task are recorded, a CT_FOUND adds nothing. */
static bool is_news(const struct builder *b, const struct task_now *t)
{
	const struct interval *s = t->interval == GRAPH_NONE ? NULL : &b->intervals.v[t->interval];

	return b->coarse || !s || s->state == INTERVAL_FOLDED || s->from_ns < b->coarse_end_ns;
}

void fold_found(struct builder *b, const struct window_event *e, uint32_t event)
{
	uint32_t task = timeline_task(b, e->r.tid, e->r.ts, false);
	struct task_now *t = &b->now.v[task];

	if (b->err || t->gone || timeline_stale(t, e->r.ts))
		return;
	if (!t->capped && !is_news(b, t)) {
		fold_settle(b, task, event);
		fold_drop(b, task);
		return;
	}
	switch (ct_found_what(&e->r)) {
	case CT_FOUND_FOLDED:
		found_folded(b, task, e);
		break;
	case CT_FOUND_QUEUED:
		if (t->capped)
			found_folded(b, task, e);
		else
			found_queued(b, task, e);
		break;
	case CT_FOUND_BLOCKED:
		found_blocked(b, task, e);
		break;
	case CT_FOUND_WAITED:
		found_waited(b, task, e);
		break;
	default:
		return;
	}
	if (!b->err && !b->now.v[task].capped)
		fold_settle(b, task, event);
}

bool fold_wake(struct builder *b, uint32_t task, const struct window_event *e, uint32_t event)
{
	struct task_now *t = &b->now.v[task];
	uint32_t wait = t->waited;

	t->waited = GRAPH_NONE;
	if (wait == GRAPH_NONE || b->intervals.v[wait].to_ns != e->r.ts)
		return false;
	timeline_wait_ends(b, wait, &e->r, event);
	return true;
}
