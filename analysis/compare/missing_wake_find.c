// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/missing_wake_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/missing_wake_steps.h"
#include "analysis/compare/missing_wake_words.h"
#include "analysis/compare/similar.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

static uint32_t wait_before(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, ts_ns);

	if (i == GRAPH_NONE)
		i = t->first_interval + t->n_intervals;
	for (; i > t->first_interval; i--) {
		const struct interval *s = &g->intervals[i - 1];

		if (s->state == INTERVAL_FOLDED)
			break;
		if (s->state == INTERVAL_BLOCKED && !similar_is_chance(g, s))
			return i - 1;
	}
	return GRAPH_NONE;
}

static bool on_path(const struct hops *h, uint32_t task)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (h->v[i].blame.task == task)
			return true;
	return false;
}

void missing_wake_hops(const struct graph *g, const struct similar *reference, struct hops *h)
{
	struct hop hop = { .blame = reference->blame, .wait = reference->interval };
	uint32_t waiter = g->intervals[reference->interval].task;

	*h = (struct hops){ 0 };
	while (h->n < MISSING_STEPS) {
		uint32_t trigger = wait_before(g, hop.blame.task, hop.blame.until_ns);

		hop.trigger = trigger;
		h->v[h->n++] = hop;
		if (trigger == GRAPH_NONE)
			return;
		blame_wait(g, trigger, g->intervals[trigger].to_ns, &hop.blame);
		h->timer = hop.blame.edge == EDGE_TIMER;
		h->asks = hop.blame.task == waiter;
		if (!hop.blame.ended || hop.blame.task == GRAPH_NONE || h->asks || on_path(h, hop.blame.task))
			return;
		hop.wait = trigger;
	}
}

static uint32_t successor(const struct graph *g, uint32_t task, uint64_t at_ns)
{
	uint32_t best = task;

	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (g->tasks[i].n_intervals && g->tasks[i].born_ns <= at_ns &&
		    g->tasks[i].born_ns >= g->tasks[best].born_ns && similar_role(g, i, task))
			best = i;
	return best;
}

struct doing missing_wake_doing(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns);
	struct doing wait = { .interval = GRAPH_NONE }, run = { .interval = GRAPH_NONE };
	uint64_t waited = 0, longest = 0, folded = 0;

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t from = MAX(s->from_ns, from_ns), to = MIN(s->to_ns, to_ns);

		if (from >= to_ns)
			break;
		if (from >= to || s->state == INTERVAL_UNKNOWN)
			continue;
		if (s->state == INTERVAL_FOLDED) {
			folded += to - from;
			continue;
		}
		if (s->state == INTERVAL_BLOCKED) {
			waited += to - from;
			if (to - from > wait.ns)
				wait = (struct doing){ i, to - from };
			continue;
		}
		run.ns += to - from;
		if (to - from > longest) {
			longest = to - from;
			run.interval = i;
		}
	}
	if (folded > run.ns && folded > waited)
		return (struct doing){ .interval = GRAPH_NONE };
	return run.ns > waited ? run : wait;
}

/* Counts the waits of `task` that are at the same place as the wait `like` (similar_place()), and were
 * ended by the task `by`. If `by` is GRAPH_NONE, counts the waits that were ended by no task. */
static uint32_t count_waits(const struct graph *g, uint32_t task, uint32_t like, uint32_t by,
			    uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns), n = 0, looked = 0;
	struct blame b;

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals && looked < SIMILAR_LOOKS; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->to_ns >= to_ns)
			break;
		if (s->state != INTERVAL_BLOCKED || s->wake == GRAPH_NONE ||
		    similar_place(g, &g->intervals[like], s) <= 0)
			continue;
		looked++;
		blame_wait(g, i, s->to_ns, &b);
		n += b.ended && b.task == by;
	}
	return n;
}

bool missing_wake_woke_others(const struct graph *g, uint64_t obj, uint32_t waiter, uint64_t from_ns,
			      uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->wakes, obj, from_ns + 1, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < to_ns; i++)
		if (g->w->events[r[i].event].r.tid != g->tasks[waiter].tid)
			return true;
	return false;
}

static void count_before(const struct graph *g, struct missing_wake_step *step)
{
	const struct interval *s = &g->intervals[step->wait];
	uint32_t first = g->tasks[s->task].first_interval, looked = 0;
	struct blame b;

	step->count = 0;
	step->more = false;
	step->last_ns = 0;
	for (uint32_t i = step->wait; i > first && !step->more; i--) {
		const struct interval *x = &g->intervals[i - 1];

		if (x->state != INTERVAL_BLOCKED || x->wake == GRAPH_NONE || similar_place(g, s, x) <= 0)
			continue;
		step->more = ++looked == SIMILAR_LOOKS;
		blame_wait(g, i - 1, x->to_ns, &b);
		if (!b.ended || b.task != step->task)
			continue;
		step->last_ns = MAX(step->last_ns, b.until_ns);
		step->count++;
	}
}

void missing_wake_name(struct missing_wake *m, enum missing_wake_how how, const struct doing *d,
		       uint64_t since_ns)
{
	m->how = how;
	m->instead = d->interval;
	m->instead_ns = d->ns;
	m->since_ns = since_ns;
}

static bool is_silent(const struct graph *g, const struct hops *h, uint32_t k, struct missing_wake *m)
{
	const struct missing_wake_step *step = &m->steps[m->n_steps - 1];
	uint32_t by = GRAPH_NONE;

	if (m->late || h->v[k].trigger == GRAPH_NONE || (k + 1 == h->n && !h->timer))
		return false;
	if (k + 1 < h->n)
		by = h->v[k + 1].blame.task;
	m->triggers = count_waits(g, step->task, h->v[k].trigger, by, step->from_ns, step->to_ns);
	return m->triggers;
}

/* Returns true if a client sent a request in the step. No server waits for a client that has gone. */
static bool is_request(const struct graph *g, const struct missing_wake_step *step)
{
	return step->edge == EDGE_MESSAGE && graph_is_accepted(g, step->obj);
}

/* Returns true if the task of the step exited before the middle of the wait. If this task ended at
 * least MISSING_GOOD_COUNT earlier waits (step->count), its exit is the reason for the missing
 * wake-up. If not, perhaps all tasks of its role live only briefly: n_steps becomes 0, so no task
 * is named. The same holds for a client (is_request()). */
static bool has_ended(const struct graph *g, const struct missing_wake_step *step, struct missing_wake *m)
{
	const struct graph_task *t = &g->tasks[step->task];
	struct doing none = { .interval = GRAPH_NONE };

	if (t->exit_ns >= step->from_ns + (step->to_ns - step->from_ns) / 2)
		return false;
	if (step->count < MISSING_GOOD_COUNT || is_request(g, step))
		m->n_steps = 0;
	missing_wake_name(m, MISSING_ENDED, &none, t->exit_ns);
	return true;
}

static bool others_served(const struct graph *g, const struct missing_wake_step *step)
{
	const struct interval *w = &g->intervals[step->wait];

	return missing_wake_woke_others(g, w->obj, w->task, step->from_ns, step->to_ns) ||
	       missing_wake_woke_others(g, step->obj, w->task, step->from_ns, step->to_ns);
}

/* The task of the step exited before the wait began. Another task of its role may have its part now: one that
 * was born since then, or if the task ended only few waits, any other one. */
static void take_successor(const struct graph *g, struct missing_wake_step *step)
{
	uint64_t exit_ns = g->tasks[step->task].exit_ns;
	uint32_t next = successor(g, step->task, step->from_ns);

	if (step->count >= MISSING_GOOD_COUNT && g->tasks[next].born_ns <= exit_ns)
		return;
	step->task = next;
	count_before(g, step);
}

/* If no task is to be named, m->n_steps becomes 0. */
static bool look_at(const struct graph *g, const struct hops *h, uint32_t k, struct missing_wake *m)
{
	struct missing_wake_step *step = &m->steps[m->n_steps - 1];
	const struct hop *hop = &h->v[k];
	const struct interval *s;
	struct doing d;
	bool usual, most;

	count_before(g, step);
	if (g->tasks[step->task].exit_ns <= step->from_ns)
		take_successor(g, step);
	if (has_ended(g, step, m))
		return false;
	d = missing_wake_doing(g, step->task, step->from_ns, step->to_ns);
	if (d.interval == GRAPH_NONE || others_served(g, step)) {
		m->n_steps = 0;
		return false;
	}
	s = &g->intervals[d.interval];
	most = d.ns >= (step->to_ns - step->from_ns) / 2;
	usual = s->state == INTERVAL_BLOCKED && hop->trigger != GRAPH_NONE &&
		similar_place(g, &g->intervals[hop->trigger], s) > 0;
	missing_wake_name(m, s->state == INTERVAL_BLOCKED ? MISSING_ELSEWHERE : MISSING_BUSY, &d, s->from_ns);
	if ((usual || !most) && is_silent(g, h, k, m))
		missing_wake_name(m, MISSING_SILENT, &d, step->last_ns);
	else if (usual && !most && m->late)
		m->n_steps = 0;
	else if (usual && k + 1 < h->n)
		return true;
	else if (usual && h->asks)
		m->n_steps = 0;
	else if (usual)
		m->how = MISSING_ASLEEP;
	return false;
}

/* If a task with the role of `task` ended step->wait, returns that task: for example, another worker of
 * the same pool. Otherwise returns `task`. */
static uint32_t same_part(const struct graph *g, uint32_t task, const struct missing_wake_step *step)
{
	const struct interval *s = &g->intervals[step->wait];
	struct blame b;

	if (s->wake == GRAPH_NONE || s->to_ns > step->to_ns)
		return task;
	blame_wait(g, step->wait, step->to_ns, &b);
	return b.ended && !b.killed && b.task != GRAPH_NONE && similar_role(g, b.task, task) ? b.task : task;
}

static void walk(const struct graph *g, const struct hops *h, struct missing_wake *m)
{
	struct missing_wake_step step = { .wait = m->wait,
					  .from_ns = m->wait_from_ns,
					  .to_ns = m->wait_to_ns };

	for (uint32_t k = 0; k < h->n; k++) {
		step.task = same_part(g, h->v[k].blame.task, &step);
		step.obj = h->v[k].blame.obj;
		step.edge = h->v[k].blame.edge;
		m->steps[m->n_steps++] = step;
		if (!look_at(g, h, k, m))
			break;
		step.wait = m->instead;
		step.from_ns = g->intervals[step.wait].from_ns;
		step.to_ns = MIN(g->intervals[step.wait].to_ns, step.to_ns);
	}
	m->own_accord = h->timer;
}

static bool is_regular(const struct graph *g, const struct similar_set *set, const struct missing_wake *m)
{
	uint64_t longest = 0;

	if (set->v.n < MISSING_SURE_COUNT)
		return false;
	for (size_t i = 0; i + 1 < set->v.n; i++) {
		uint64_t a = set->v.v[i].blame.until_ns, b = set->v.v[i + 1].blame.until_ns;

		longest = MAX(longest, a > b ? a - b : b - a);
	}
	return m->wait_to_ns - m->wait_from_ns > MISSING_LONG * longest;
}

static bool is_late(const struct graph *g, const struct missing_wake *m)
{
	const struct interval *s = &g->intervals[m->wait];
	struct blame b;

	if (s->wake == GRAPH_NONE || s->to_ns > m->wait_to_ns)
		return false;
	blame_wait(g, m->wait, m->wait_to_ns, &b);
	return b.ended && !b.killed && b.until_ns <= m->wait_to_ns;
}

static void compare(const struct graph *g, const struct similar_set *set, struct missing_wake *m)
{
	const struct similar *ref = similar_median(g, set);
	struct hops h;

	m->usual_ns = missing_wake_length(g, ref->interval);
	if (m->wait_to_ns - m->wait_from_ns < MISSING_LONG * m->usual_ns)
		return;
	missing_wake_hops(g, ref, &h);
	m->reference = ref->interval;
	m->similarity = ref->score;
	m->ref_from_ns = MIN(g->intervals[ref->interval].from_ns, h.v[h.n - 1].blame.until_ns);
	m->occurrences = (uint32_t)set->v.n;
	m->late = is_late(g, m);
	m->regular = is_regular(g, set, m);
	walk(g, &h, m);
}

static int examine(const struct graph *g, struct missing_wake *m)
{
	struct similar_set set;
	int r = similar_find(g, m->wait, &set);

	if (r)
		return r;
	m->refused = set.refused;
	similar_keep_commonest(g, &set, &m->others);
	if (set.v.n && m->wait_to_ns > m->wait_from_ns)
		compare(g, &set, m);
	similar_done(&set);
	return 0;
}

/* The named task itself waits, in the interval m->instead. Compares this wait with earlier waits of the
 * named task. If this comparison names further tasks, appends its steps to m->steps, and returns 1. Then
 * the last of these tasks is the named task. Otherwise returns 0, or -ENOMEM. */
static int examine_next(const struct graph *g, struct missing_wake *m)
{
	struct missing_wake next = { .wait = m->instead, .wait_from_ns = g->intervals[m->instead].from_ns };
	int r;

	next.wait_to_ns = MIN(g->intervals[next.wait].to_ns, m->wait_to_ns);
	r = examine(g, &next);
	if (r || !next.n_steps || !missing_wake_is_good(&next) || m->n_steps + next.n_steps > MISSING_STEPS)
		return r;
	for (uint32_t i = 0; i < next.n_steps; i++) {
		for (uint32_t j = 0; j < m->n_steps; j++)
			if (m->steps[j].task == next.steps[i].task)
				return 0;
		/* the named task owes no wake-up: it waits for a request of the waiter */
		if (next.steps[i].task == g->intervals[m->wait].task) {
			m->n_steps = 0;
			return 0;
		}
	}
	memcpy(&m->steps[m->n_steps], next.steps, next.n_steps * sizeof(*next.steps));
	m->n_steps += next.n_steps;
	m->similarity = MIN(m->similarity, next.similarity);
	m->how = next.how;
	m->instead = next.instead;
	m->since_ns = next.since_ns;
	m->instead_ns = next.instead_ns;
	m->triggers = next.triggers;
	m->own_accord = next.own_accord;
	return 1;
}

static bool timed_out(const struct graph *g, const struct interval *s)
{
	uint8_t kind, strength;

	if (s->wake == GRAPH_NONE || s->wait == CT_W_SLEEP)
		return false;
	edge_classify(g, s, &g->w->events[s->wake], &kind, &strength);
	return kind == EDGE_TIMER;
}

/* A time limit may cut a wait into parts. `at` is one of the parts. If `step` is -1, returns the
 * part before `at`. If `step` is 1, returns the part after `at`. GRAPH_NONE: there is no such
 * part. */
static uint32_t other_part(const struct graph *g, uint32_t at, int step)
{
	const struct graph_task *t = &g->tasks[g->intervals[at].task];
	const struct interval *here = &g->intervals[at];
	uint64_t ran = 0;

	if (step > 0 && !timed_out(g, here))
		return GRAPH_NONE;
	for (uint32_t i = at + (uint32_t)step; i - t->first_interval < t->n_intervals; i += (uint32_t)step) {
		const struct interval *s = &g->intervals[i];

		if (s->state != INTERVAL_BLOCKED)
			ran += s->to_ns - s->from_ns;
		else if (similar_place(g, s, here) >= 1)
			return step > 0 || timed_out(g, s) ? i : GRAPH_NONE;
		if (ran > MISSING_RAN_NS || (s->state == INTERVAL_BLOCKED && !similar_is_chance(g, s)))
			return GRAPH_NONE;
	}
	return GRAPH_NONE;
}

void missing_wake_whole(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake *m)
{
	uint32_t last = wait, i;

	while ((i = other_part(g, wait, -1)) != GRAPH_NONE)
		wait = i;
	while ((i = other_part(g, last, 1)) != GRAPH_NONE && g->intervals[i].from_ns < to_ns)
		last = i;
	m->wait = wait;
	m->wait_from_ns = g->intervals[wait].from_ns;
	m->wait_to_ns = MIN(g->intervals[last].to_ns, to_ns);
}

int missing_wake_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake **ret)
{
	struct missing_wake *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return -ENOMEM;
	missing_wake_whole(g, wait, to_ns, m);
	r = examine(g, m);
	for (int more = 1; !r && more == 1 && m->n_steps && m->how == MISSING_ELSEWHERE;) {
		more = examine_next(g, m);
		r = MIN(more, 0);
	}
	if (!r && m->n_steps) {
		m->text = missing_wake_words(g, m);
		r = m->text ? 0 : -ENOMEM;
	}
	if (r || !m->n_steps) {
		missing_wake_free(m);
		m = NULL;
	}
	if (!r)
		*ret = m;
	return r;
}
