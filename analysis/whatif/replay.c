// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "graph/path/path.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

/* shift_at() returns this in place of the shift (whatif.h) of a task if two things are true: in the
 * trace, this task and others wait for each other in a cycle, and the what-if question takes away a
 * task of this cycle. Then there is no cycle in the replay, and in the replay no other task of the
 * cycle has to wait for this task. */
#define SHIFT_FREE UINT64_MAX

struct replay_task {
	uint64_t shift;
	uint32_t next; /* the first interval that is not replayed to its end */
	uint32_t arrival;
	size_t held_end;  /* the first entry of `held` that is not yet filled */
	uint32_t held_of; /* 1 + the interval for which `held` is being filled; 0: none */
	bool begun;
	bool busy;
};

struct replay {
	struct whatif *x;
	const struct whatif_without *v;
	size_t n;
	struct replay_task *tasks;
	uint64_t *shift;
	/* [arrival]: the smallest held_by() of this and the earlier arrivals in its interval, without
	 * those that may_hold() rules out. It is kept because a busy event loop has many arrivals in one
	 * interval. */
	int64_t *held;
	bool *taken; /* [task]: the what-if question takes away this task, see whatif.h */
	size_t *near;
	bool any_taken;
	bool any_object;
	uint32_t depth;
	uint32_t stack[WHATIF_MAX_DEPTH]; /* tasks with `busy` set; each waits for the next */
};

static uint64_t shift_at(struct replay *k, uint32_t task, uint64_t t);

static struct cause find_cause(const struct whatif *x, uint32_t interval)
{
	const struct interval *s = &x->g->intervals[interval];
	struct blame b;
	struct cause c;

	blame_wait(x->g, interval, x->to_ns, &b);
	c = (struct cause){ .obj = b.obj,
			    .woke_ns = MIN(b.until_ns, s->to_ns),
			    .kind = (uint8_t)b.kind,
			    .task = b.task == s->task ? GRAPH_NONE : b.task,
			    .time = b.time,
			    .edge = b.edge,
			    .timed_out = b.timed_out };
	c.acted_ns = c.woke_ns;
	if (b.ended && b.event != GRAPH_NONE)
		c.acted_ns = MIN(c.woke_ns, x->g->w->events[b.event].r.ts);
	return c;
}

struct cause whatif_cause(struct whatif *x, uint32_t interval)
{
	uint32_t *of = &x->cause_of[interval], at = __atomic_load_n(of, __ATOMIC_ACQUIRE);
	struct cause c;

	if (at && at != CAUSE_COMES)
		return x->causes[at - 1];
	c = find_cause(x, interval);
	/* the first thread stores the cause for all threads */
	at = 0;
	if (__atomic_compare_exchange_n(of, &at, CAUSE_COMES, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		at = __atomic_fetch_add(&x->n_causes, 1, __ATOMIC_RELAXED);
		x->causes[at] = c;
		__atomic_store_n(of, at + 1, __ATOMIC_RELEASE);
	}
	return c;
}

uint64_t whatif_rivals(const struct graph *g, const bool *marked, uint32_t interval, uint64_t from_ns,
		       uint64_t to_ns, size_t *near)
{
	uint32_t cpu = path_cpu_wanted(g, interval);
	uint64_t ns = 0, at = from_ns;

	if (cpu >= g->n_cpus)
		return 0;
	near[cpu] = path_run_near(g, cpu, from_ns, near[cpu]);
	for (size_t i = near[cpu]; i < g->n_runs[cpu]; i++) {
		const struct interval *run = graph_run(g, cpu, i);
		uint64_t from = MAX(at, run->from_ns), to = MIN(to_ns, run->to_ns);

		if (run->from_ns >= to_ns)
			break;
		if (from >= to)
			continue;
		ns += marked[run->task] ? to - from : 0;
		at = to;
	}
	return ns;
}

bool whatif_mark(const struct graph *g, const struct whatif_without *v, size_t n, bool *marked)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < g->n_tasks; t++)
			if ((v[i].kind == WHATIF_TASK && t == v[i].task) ||
			    (v[i].kind == WHATIF_PROCESS && g->tasks[t].tgid == g->tasks[v[i].task].tgid))
				any = marked[t] = true;
	return any;
}

static bool on_device(const struct graph *g, uint64_t obj, uint64_t device)
{
	const struct window_object *o = CT_OBJ_KIND(device) == CT_OBJ_BLOCKDEV ? graph_object(g, obj) : NULL;

	return o && o->dev && CT_OBJ_ID(CT_OBJ_BLOCKDEV, o->dev) == device;
}

bool whatif_takes(const struct graph *g, const struct whatif_without *v, size_t n, uint64_t obj,
		  enum time_kind time)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].kind == WHATIF_RESOURCE && v[i].time == time)
			return true;
		if (v[i].kind == WHATIF_OBJECT && obj && (v[i].obj == obj || on_device(g, obj, v[i].obj)))
			return true;
	}
	return false;
}

bool whatif_takes_wait(struct whatif *x, const struct whatif_without *v, size_t n, uint32_t interval)
{
	struct cause c, p;
	bool waits = false;

	for (size_t i = 0; i < n; i++)
		waits |= v[i].kind != WHATIF_TASK && v[i].kind != WHATIF_PROCESS;
	if (!waits)
		return false;
	c = whatif_cause(x, interval);
	for (size_t i = 0; i < n; i++) {
		if ((v[i].kind != WHATIF_WAIT && v[i].kind != WHATIF_WAITS) ||
		    x->g->intervals[v[i].interval].task != x->g->intervals[interval].task)
			continue;
		if (v[i].interval == interval)
			return true;
		if (v[i].kind == WHATIF_WAIT)
			continue;
		p = whatif_cause(x, v[i].interval);
		if (p.obj == c.obj && p.task == c.task && p.edge == c.edge && p.kind == c.kind)
			return true;
	}
	return whatif_takes(x->g, v, n, c.obj, c.time);
}

bool replay_ended_wait(struct whatif *x, uint32_t interval, const struct arrival *a)
{
	const struct interval *s = x->g->intervals;
	uint32_t first = x->g->tasks[s[interval].task].first_interval;

	while (interval > first && s[interval].state != INTERVAL_BLOCKED)
		interval--;
	if (s[interval].state != INTERVAL_BLOCKED || a->left_ns < s[interval].from_ns)
		return false;
	return whatif_cause(x, interval).task == a->from &&
	       (a->left_ns <= s[interval].to_ns + WHATIF_SEND_SLACK_NS || a->left_ns == a->ts_ns);
}

static bool was_awaited(struct whatif *x, uint32_t interval, size_t arrival)
{
	uint8_t known = __atomic_load_n(&x->awaited[arrival], __ATOMIC_RELAXED);

	if (known == AWAITED_UNKNOWN) {
		known = replay_ended_wait(x, interval, &x->arrivals[arrival]) ? AWAITED_YES : AWAITED_NO;
		__atomic_store_n(&x->awaited[arrival], known, __ATOMIC_RELAXED);
	}
	return known == AWAITED_YES;
}

/* Returns 0 if the arrival has no object. Slow, because the function reads a record of the
 * window. */
static uint64_t arrival_obj(const struct whatif *x, const struct arrival *a)
{
	return a->event == GRAPH_NONE ? 0 : x->g->w->events[a->event].r.obj;
}

static bool is_taken(struct replay *k, uint32_t task, const struct arrival *a)
{
	struct whatif *x = k->x;

	for (size_t i = 0; i < k->n; i++) {
		struct cause c;

		if (k->v[i].kind != WHATIF_WAITS || x->g->intervals[k->v[i].interval].task != task)
			continue;
		c = whatif_cause(x, k->v[i].interval);
		if (c.task == a->from || (c.obj && c.obj == arrival_obj(x, a)))
			return true;
	}
	return k->any_object && whatif_takes(x->g, k->v, k->n, arrival_obj(x, a), TIME_KINDS);
}

static size_t arrival_from(const struct arrival *v, size_t lo, size_t hi, size_t near, uint64_t from)
{
	size_t step = 1;

	if (near > lo && v[near - 1].ts_ns >= from) {
		for (; near > lo && v[near - 1].ts_ns >= from; step *= 2) {
			hi = near - 1;
			near -= MIN(step, near - lo);
		}
		return BISECT(i, near, hi, v[i].ts_ns >= from);
	}
	lo = near;
	for (; near < hi && v[near].ts_ns < from; step *= 2) {
		lo = near + 1;
		near += MIN(step, hi - near);
	}
	return BISECT(i, lo, near, v[i].ts_ns >= from);
}

static size_t first_arrival(struct replay *k, uint32_t task, uint64_t from)
{
	size_t lo = k->x->arrivals_of[task], hi = k->x->arrivals_of[task + 1];
	size_t at = arrival_from(k->x->arrivals, lo, hi, lo + k->tasks[task].arrival, from);

	k->tasks[task].arrival = (uint32_t)(at - lo);
	return at;
}

/* In the replay too, the arrival cannot come before its sender has acted. So it limits the shift (whatif.h)
 * of the receiving task. Returns this limit. INT64_MAX: there is no limit. If the what-if question takes
 * away the receiving task (k->taken), the limit grows with the time: at the time t, the limit is t plus the
 * result, which may be negative. */
static int64_t held_by(struct replay *k, uint32_t interval, size_t arrival)
{
	struct whatif *x = k->x;
	const struct arrival *a = &x->arrivals[arrival];
	uint32_t task = x->g->intervals[interval].task;
	bool ran = x->g->intervals[interval].state == INTERVAL_RUNNING, waited = a->event == GRAPH_NONE;
	uint64_t theirs;

	if (waited == ran || (ran && was_awaited(x, interval, arrival)) || is_taken(k, task, a))
		return INT64_MAX;
	theirs = shift_at(k, a->from, a->left_ns);
	if (theirs == SHIFT_FREE)
		return INT64_MAX;
	return (int64_t)(theirs + a->ts_ns - a->left_ns) - (k->taken[task] ? (int64_t)a->ts_ns : 0);
}

/* Returns false if the arrival surely does not limit `shift`, the shift of the receiving task in the
 * interval. Then the caller need not replay the sender.
 *
 * What is proved: hold_back() returns the same shift of the receiving task as with held_by(). The shift
 * of the sender is at least 0, so held_by() would return at least the time that the arrival was on its
 * way. `shift` is not more than this time. And `shift` is the same for all arrivals of the interval,
 * because the task runs and is not taken away.
 *
 * What is not proved: that the other shifts stay the same. The sender is replayed later, or never. If
 * tasks wait for each other in a cycle, shift_of_busy() depends on the task with which the replay of the
 * cycle began. So the sender can get another shift than if it were replayed here. Neither of the two
 * shifts is more right than the other. */
static bool may_hold(const struct replay *k, uint32_t interval, size_t arrival, uint64_t shift)
{
	const struct interval *s = &k->x->g->intervals[interval];
	const struct arrival *a = &k->x->arrivals[arrival];

	return s->state != INTERVAL_RUNNING || k->taken[s->task] || shift > a->ts_ns - a->left_ns;
}

/* `shift`: the shift (whatif.h) that the task would have at t if nothing arrived in [from, to). Returns
 * the shift with these arrivals. It is less than `shift` if the task has to wait for the sender of one
 * of these arrivals. */
static uint64_t hold_back(struct replay *k, uint32_t interval, uint64_t from, uint64_t to, uint64_t t,
			  uint64_t shift)
{
	struct whatif *x = k->x;
	uint32_t task = x->g->intervals[interval].task;
	struct replay_task *rt = &k->tasks[task];
	size_t first = first_arrival(k, task, from), all = x->arrivals_of[task + 1], end;
	int64_t held;

	if (interval + 1 > rt->held_of) {
		rt->held_of = interval + 1;
		rt->held_end = first;
	}
	for (; rt->held_end < all && interval + 1 == rt->held_of && x->arrivals[rt->held_end].ts_ns < to;
	     rt->held_end++) {
		held = may_hold(k, interval, rt->held_end, shift) ? held_by(k, interval, rt->held_end)
								  : INT64_MAX;
		k->held[rt->held_end] = rt->held_end > first ? MIN(k->held[rt->held_end - 1], held) : held;
	}
	end = arrival_from(x->arrivals, first, MAX(first, rt->held_end), first, to);
	if (first == end)
		return shift;
	held = k->held[end - 1];
	if (held == INT64_MAX)
		return shift;
	return MIN(shift, (uint64_t)(held + (k->taken[task] ? (int64_t)t : 0)));
}

static uint64_t shift_after_wait(struct replay *k, uint32_t interval, uint64_t a, uint64_t t, uint64_t shift)
{
	bool taken = k->taken[k->x->g->intervals[interval].task];
	uint64_t woke, over, theirs, now;
	struct cause c;

	if (whatif_takes_wait(k->x, k->v, k->n, interval))
		return shift + t - a;
	c = whatif_cause(k->x, interval);
	if (c.task == GRAPH_NONE)
		return taken ? shift + t - a : shift;
	woke = MIN(c.woke_ns, t);
	over = MAX(a, woke); /* a wake-up may come while the task is still on its way into the wait */
	theirs = shift_at(k, c.task, MIN(c.acted_ns, woke));
	now = over - a + shift;
	if (theirs != SHIFT_FREE)
		now = MIN(now, over - woke + theirs);
	if (c.timed_out)
		now = MAX(now, shift);
	now = taken ? now + t - over : now;
	return hold_back(k, interval, a + 1, t + 1, t, now);
}

static uint64_t shift_in(struct replay *k, uint32_t interval, uint64_t t)
{
	const struct interval *s = &k->x->g->intervals[interval];
	uint64_t a = MAX(s->from_ns, k->x->from_ns), shift = k->shift[interval];
	bool taken = k->taken[s->task];

	if (t <= a)
		return shift;
	switch (s->state) {
	case INTERVAL_RUNNING:
		return hold_back(k, interval, a, t, t, taken ? shift + t - a : shift);
	case INTERVAL_RUNNABLE:
		if (taken || whatif_takes(k->x->g, k->v, k->n, 0, TIME_RUNNABLE))
			return shift + t - a;
		return k->any_taken ? shift + whatif_rivals(k->x->g, k->taken, interval, a, t, k->near)
				    : shift;
	case INTERVAL_BLOCKED:
		return shift_after_wait(k, interval, a, t, shift);
	default:
		return taken ? shift + t - a : shift;
	}
}

static uint32_t end_of(const struct graph *g, uint32_t task)
{
	return g->tasks[task].first_interval + g->tasks[task].n_intervals;
}

static void begin(struct replay *k, uint32_t task)
{
	const struct graph *g = k->x->g;
	const struct graph_task *t = &g->tasks[task];
	struct replay_task *rt = &k->tasks[task];

	rt->begun = true;
	rt->next = graph_interval_at(g, task, k->x->from_ns);
	if (rt->next == GRAPH_NONE)
		rt->next = end_of(g, task);
	if (t->born_ns > k->x->from_ns && t->parent != GRAPH_NONE)
		rt->shift = shift_at(k, t->parent, t->born_ns);
	else if (k->taken[task] && rt->next < end_of(g, task) &&
		 g->intervals[rt->next].from_ns > k->x->from_ns)
		/* the time from the start of the range to the task's first interval is saved, too */
		rt->shift = g->intervals[rt->next].from_ns - k->x->from_ns;
	if (rt->shift == SHIFT_FREE)
		rt->shift = 0;
}

static void advance(struct replay *k, uint32_t task, uint64_t t)
{
	const struct graph *g = k->x->g;
	struct replay_task *rt = &k->tasks[task];
	uint32_t end = end_of(g, task);

	if (!rt->begun)
		begin(k, task);
	while (rt->next < end) {
		k->shift[rt->next] = rt->shift;
		if (g->intervals[rt->next].to_ns > t)
			return;
		rt->shift = shift_in(k, rt->next, g->intervals[rt->next].to_ns);
		rt->next++;
	}
}

static uint32_t interval_at(const struct graph *g, uint32_t task, uint64_t t, uint32_t next)
{
	uint32_t first = g->tasks[task].first_interval, near = next;

	for (uint32_t step = 1; near > first && g->intervals[near - 1].to_ns > t; step *= 2)
		near -= MIN(step, near - first);
	return graph_interval_near(g, task, t, near);
}

/* The task is on k->stack already. So all tasks from it to the top of the stack wait for each other in
 * a cycle. */
static uint64_t shift_of_busy(const struct replay *k, uint32_t task, uint64_t t)
{
	const struct graph *g = k->x->g;
	const struct replay_task *rt = &k->tasks[task];
	uint32_t i = interval_at(g, task, t, rt->next), on = k->depth;

	if (i != GRAPH_NONE && i < rt->next) {
		uint64_t a = MAX(g->intervals[i].from_ns, k->x->from_ns);
		uint64_t after = i + 1 < rt->next ? k->shift[i + 1] : rt->shift;

		return MIN(after, k->shift[i] + (k->taken[task] ? t - a : 0));
	}
	if (rt->next >= end_of(g, task) || t <= g->intervals[rt->next].from_ns)
		return rt->shift;
	/* if a task of the cycle is taken away, there is no cycle in the replay */
	do {
		if (k->taken[k->stack[--on]])
			return SHIFT_FREE;
	} while (k->stack[on] != task);
	return rt->shift;
}

static uint64_t shift_at(struct replay *k, uint32_t task, uint64_t t)
{
	const struct graph *g = k->x->g;
	struct replay_task *rt = &k->tasks[task];
	uint64_t shift;
	uint32_t i;

	t = MIN(t, k->x->to_ns);
	if (t <= k->x->from_ns)
		return 0;
	if (rt->busy)
		return shift_of_busy(k, task, t);
	if (k->depth >= WHATIF_MAX_DEPTH) {
		__atomic_fetch_add(&k->x->refused, 1, __ATOMIC_RELAXED);
		return 0;
	}
	k->stack[k->depth++] = task;
	rt->busy = true;
	advance(k, task, t);
	i = rt->next;
	if (i == end_of(g, task) || g->intervals[i].to_ns <= t ||
	    (i > g->tasks[task].first_interval && g->intervals[i - 1].to_ns > t))
		i = interval_at(g, task, t, i);
	shift = i == GRAPH_NONE ? rt->shift : shift_in(k, i, t);
	rt->busy = false;
	k->depth--;
	return MIN(shift, t - k->x->from_ns);
}

int replay_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns)
{
	_cleanup_free_ struct replay *k = calloc(1, sizeof(*k));
	_cleanup_free_ struct replay_task *tasks = calloc(x->g->n_tasks, sizeof(*tasks));
	_cleanup_free_ bool *taken = calloc(x->g->n_tasks, sizeof(*taken));
	_cleanup_free_ size_t *near = calloc((size_t)x->g->n_cpus + 1, sizeof(*near));
	_cleanup_free_ int64_t *held = malloc((x->arrivals_of[x->g->n_tasks] + 1) * sizeof(*held));
	uint64_t *shift = __atomic_exchange_n(&x->shift, NULL, __ATOMIC_ACQ_REL);

	if (!shift)
		shift = malloc((x->g->n_intervals + 1) * sizeof(*shift));
	if (!k || !tasks || !taken || !near || !held || !shift) {
		free(shift);
		return -ENOMEM;
	}
	*k = (struct replay){ .x = x,
			      .v = v,
			      .n = n,
			      .tasks = tasks,
			      .shift = shift,
			      .held = held,
			      .taken = taken,
			      .near = near };
	k->any_taken = whatif_mark(x->g, v, n, taken);
	for (size_t i = 0; i < n; i++)
		k->any_object |= v[i].kind == WHATIF_OBJECT;
	*ret_ns = shift_at(k, x->task, x->to_ns);
	free(__atomic_exchange_n(&x->shift, shift, __ATOMIC_ACQ_REL));
	return 0;
}
