// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

/* `task` exits while its parent waits for another child or thread. */
struct exited {
	uint32_t parent, task;
	uint32_t cause; /* of the wait */
};

/* A part of the links to one task, so that two threads can share the work for this task. */
struct part {
	size_t first, n;
};

struct linking {
	struct whatif *x;
	struct causal_links *links;
	graph_both_fn both;       /* may be NULL */
	VEC(struct exited) exits; /* sorted by parent */
	/* the links to `task`, and the first part that no thread has begun with */
	uint32_t task;
	VEC(struct part) parts;
	size_t next_part;
	/* The range is divided into equal time slices, about as many as half of the links. So only few looks
	 * are in one slice. */
	unsigned shift;
	size_t n_slices;
	uint32_t *slice_end; /* [slice + 1]: the number of looks in the slice; later see sort_looks() */
	bool *found;         /* [task]: the task is in queue[] */
	uint32_t *queue;
	size_t n_queue;
};

static struct cause cause_from(const struct whatif *x, uint32_t interval, const struct blame *b)
{
	const struct interval *s = &x->g->intervals[interval];
	struct cause c = { .obj = b->obj,
			   .woke_ns = MIN(b->until_ns, s->to_ns),
			   .kind = (uint8_t)b->kind,
			   .task = b->task == s->task ? GRAPH_NONE : b->task,
			   .time = b->time,
			   .edge = b->edge,
			   .timed_out = b->timed_out };

	c.acted_ns = c.woke_ns;
	if (b->ended && b->event != GRAPH_NONE)
		c.acted_ns = MIN(c.woke_ns, x->g->w->events[b->event].r.ts);
	return c;
}

/* The first thread stores the cause for all threads. */
static struct cause store_cause(struct whatif *x, uint32_t interval, const struct blame *b)
{
	uint32_t *of = &x->cause_of[interval], at = 0;
	struct cause c = cause_from(x, interval, b);

	if (__atomic_compare_exchange_n(of, &at, CAUSE_COMES, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		at = __atomic_fetch_add(&x->n_causes, 1, __ATOMIC_RELAXED);
		x->causes[at] = c;
		__atomic_store_n(of, at + 1, __ATOMIC_RELEASE);
	}
	return c;
}

struct cause whatif_cause(struct whatif *x, uint32_t interval)
{
	uint32_t at = __atomic_load_n(&x->cause_of[interval], __ATOMIC_ACQUIRE);
	struct blame b;

	if (at && at != CAUSE_COMES)
		return x->causes[at - 1];
	blame_wait(x->g, interval, x->to_ns, &b);
	return store_cause(x, interval, &b);
}

void whatif_blamed(void *x, uint32_t interval, uint64_t limit_ns, const struct blame *b)
{
	struct whatif *to = x;

	if (!__atomic_load_n(&to->cause_of[interval], __ATOMIC_RELAXED) &&
	    (limit_ns == to->to_ns || !blame_has_limit(to->g, interval)))
		store_cause(to, interval, b);
}

static int arrival_cmp(const void *a, const void *b, void *arg)
{
	const struct arrival *x = a, *y = b;
	uint64_t x_ns = arrived_ns(arg, x), y_ns = arrived_ns(arg, y);

	if (x_ns != y_ns)
		return x_ns < y_ns ? -1 : 1;
	return (x->event != GRAPH_NONE) - (y->event != GRAPH_NONE);
}

static int by_parent(const void *a, const void *b)
{
	const struct exited *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Finds the tasks that exit while their parent waits for the exit of another child or thread. The parent
 * may need both exits, but the trace has only one wait. add_exits() makes an arrival (link.h) of
 * the exit that has no wait. Then the parent waits for this exit in the replay. */
static int find_exits(struct linking *k)
{
	struct whatif *x = k->x;
	const struct graph *g = x->g;

	for (uint32_t i = 0; i < g->n_tasks; i++) {
		uint64_t exit_ns = g->tasks[i].exit_ns;
		uint32_t parent = g->tasks[i].parent, wait;
		struct cause c;

		if (parent == GRAPH_NONE || exit_ns < x->from_ns || exit_ns >= x->to_ns)
			continue;
		wait = graph_interval_at(g, parent, exit_ns);
		if (wait == GRAPH_NONE || g->intervals[wait].state != INTERVAL_BLOCKED ||
		    g->intervals[wait].from_ns > exit_ns)
			continue;
		c = whatif_cause(x, wait);
		if (c.edge == EDGE_EXIT && c.task != i && exit_ns <= c.woke_ns && c.woke_ns < x->to_ns &&
		    c.woke_ns > MAX(g->intervals[wait].from_ns, x->from_ns) &&
		    VEC_PUSH(&k->exits, (struct exited){ parent, i, x->cause_of[wait] - 1 }))
			return -ENOMEM;
	}
	VEC_SORT(&k->exits, by_parent);
	return 0;
}

/* The records of messages are far apart in memory. So a loop asks for those of a later message in advance. */
#define RECORDS_AHEAD 16

/* Nearly all arrivals are in order, so only the others are sorted, and merged in. */
static int sort_arrivals(struct whatif *x, struct arrival *v, size_t n)
{
	VEC(struct arrival) late = { 0 };
	size_t a = 0, b;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		const struct arrival *soon = &v[MIN(i + RECORDS_AHEAD, n - 1)];

		if (soon->event != GRAPH_NONE)
			__builtin_prefetch(&x->g->w->events[soon->event]);
		if (a && arrival_cmp(&v[a - 1], &v[i], x) > 0)
			r = VEC_PUSH(&late, v[i]);
		else
			v[a++] = v[i];
	}
	if (late.n)
		qsort_r(late.v, late.n, sizeof(*late.v), arrival_cmp, x);
	for (b = late.n; b && !r;)
		v[--n] = a && arrival_cmp(&v[a - 1], &late.v[b - 1], x) > 0 ? v[--a] : late.v[--b];
	VEC_FREE(&late);
	return r;
}

/* The place of the latest message among the intervals of its receiver. Both GRAPH_NONE: not known. */
struct place {
	uint32_t interval; /* in which it came */
	uint32_t wait;     /* the latest wait before or at this interval; GRAPH_NONE: there is none */
};

/* Messages come nearly in order, so most steps go only over the intervals since the arrival before. */
static uint32_t wait_before(const struct graph *g, uint32_t interval, const struct place *last)
{
	uint32_t first = g->tasks[g->intervals[interval].task].first_interval;
	bool later = last->interval != GRAPH_NONE && last->interval <= interval;

	for (uint32_t i = interval;; i--) {
		if (g->intervals[i].state == INTERVAL_BLOCKED)
			return i;
		if (later && i == last->interval)
			return last->wait;
		if (i == first)
			return GRAPH_NONE;
	}
}

/* Returns true if the message ended `wait`, the latest wait of its receiver, which may be GRAPH_NONE. */
static bool ended_wait(struct whatif *x, uint32_t wait, const struct causal_link *l)
{
	const struct window_event *e = x->g->w->events;
	uint64_t left = e[l->cause].r.ts;
	const struct interval *s;

	if (wait == GRAPH_NONE)
		return false;
	s = &x->g->intervals[wait];
	return left >= s->from_ns && whatif_cause(x, wait).task == l->from &&
	       (left <= s->to_ns + WHATIF_SEND_SLACK_NS || left == e[l->event].r.ts);
}

/* Returns true if the task may have to wait for the message in the replay. *last: of the message before. */
static bool may_hold_up(struct whatif *x, uint32_t task, const struct causal_link *l, struct place *last)
{
	uint64_t ns = x->g->w->events[l->event].r.ts;
	uint32_t interval = graph_interval_near(x->g, task, ns, last->interval);
	const struct interval *s;

	if (interval == GRAPH_NONE)
		return false;
	s = &x->g->intervals[interval];
	if (s->state != INTERVAL_RUNNING || s->from_ns > ns)
		return false;
	*last = (struct place){ interval, wait_before(x->g, interval, last) };
	return !ended_wait(x, last->wait, l);
}

static void find_task(struct linking *k, uint32_t task)
{
	if (k->found[task])
		return;
	k->found[task] = true;
	k->queue[k->n_queue++] = task;
}

static uint32_t slice_of(const struct linking *k, uint64_t ns)
{
	return (uint32_t)((ns - k->x->from_ns) >> k->shift);
}

static int slices_init(struct linking *k, size_t most)
{
	uint64_t range_ns = k->x->to_ns - k->x->from_ns;

	while (range_ns >> k->shift > most)
		k->shift++;
	k->n_slices = (range_ns >> k->shift) + 1;
	k->slice_end = calloc(k->n_slices + 1, sizeof(*k->slice_end));
	return k->slice_end ? 0 : -ENOMEM;
}

static int add_look(struct linking *k, size_t look, uint64_t ns)
{
	/* At the start of the range, all tasks are as early as in the trace. The end of the range is the last
	 * moment of the replay, which begins there with the victim. */
	if (ns <= k->x->from_ns || ns >= k->x->to_ns)
		return 0;
	k->slice_end[slice_of(k, ns) + 1]++;
	return VEC_PUSH(&k->x->looks, (uint32_t)look);
}

static int add_waits(struct linking *k, uint32_t task)
{
	struct whatif *x = k->x;
	const struct graph_task *t = &x->g->tasks[task];
	uint32_t end = t->first_interval + t->n_intervals, i = graph_interval_at(x->g, task, x->from_ns);
	int r = 0;

	for (; i < end && x->g->intervals[i].from_ns < x->to_ns && !r; i++) {
		struct cause c;

		if (x->g->intervals[i].state != INTERVAL_BLOCKED)
			continue;
		c = whatif_cause(x, i);
		if (c.task == GRAPH_NONE)
			continue;
		find_task(k, c.task);
		r = add_look(k, i, c.acted_ns);
	}
	return r;
}

/* Drops the links that no arrival (link.h) is made of. The others may get another `cause`: an arrival does
 * not leave after it has arrived. */
static void keep_messages(struct whatif *x, uint32_t task, struct causal_link_list *links, struct part *part)
{
	const struct window_event *e = x->g->w->events;
	struct place last = { GRAPH_NONE, GRAPH_NONE };
	size_t end = part->first + part->n;

	part->n = 0;
	for (size_t i = part->first; i < end; i++) {
		struct causal_link soon = causal_link_get(links, MIN(i + RECORDS_AHEAD, end - 1)), l;
		uint64_t ts_ns;

		__builtin_prefetch(&e[soon.event]);
		__builtin_prefetch(&e[soon.cause]);
		l = causal_link_get(links, i);
		ts_ns = e[l.event].r.ts;
		if (e[l.cause].r.ts >= ts_ns) {
			causal_link_cut(links, i);
			l.cause = l.event;
		}
		if (ts_ns >= x->from_ns && ts_ns < x->to_ns && may_hold_up(x, task, &l, &last))
			links->v.v[part->first + part->n++] = links->v.v[i];
	}
}

static void keep_parts(void *arg)
{
	struct linking *k = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&k->next_part, 1, __ATOMIC_RELAXED)) < k->parts.n)
		keep_messages(k->x, k->task, &k->links->to[k->task], &k->parts.v[i]);
}

static int add_messages(struct linking *k, uint32_t task)
{
	const struct causal_link_list *links = &k->links->to[task];

	k->task = task;
	k->parts.n = 0;
	k->next_part = 0;
	for (size_t at = 0; at < links->v.n; at += LINK_PART)
		if (VEC_PUSH(&k->parts, (struct part){ at, MIN(links->v.n - at, (size_t)LINK_PART) }))
			return -ENOMEM;
	if (k->both && k->parts.n > 1)
		k->both(keep_parts, keep_parts, k);
	else
		keep_parts(k);
	for (size_t i = 0; i < k->parts.n; i++) {
		const struct part *part = &k->parts.v[i];

		for (size_t at = part->first; at < part->first + part->n; at++) {
			struct causal_link l = causal_link_get(links, at);

			k->x->arrivals[k->x->n_arrivals++] = (struct arrival){
				.from = l.from, .to = task, .event = l.event, .cause = l.cause
			};
		}
	}
	return 0;
}

static void add_exits(struct linking *k, uint32_t task)
{
	for (size_t i = BISECT(j, 0, k->exits.n, k->exits.v[j].parent >= task);
	     i < k->exits.n && k->exits.v[i].parent == task; i++) {
		const struct exited *d = &k->exits.v[i];

		k->x->arrivals[k->x->n_arrivals++] = (struct arrival){
			.from = d->task, .to = task, .event = GRAPH_NONE, .cause = d->cause
		};
	}
}

static int add_arrivals(struct linking *k, uint32_t task)
{
	struct whatif *x = k->x;
	size_t first = x->n_arrivals;
	int r = 0;

	if (k->links && task < k->links->n_tasks) {
		r = add_messages(k, task);
		/* links and arrivals together need much memory */
		causal_link_list_done(&k->links->to[task]);
	}
	add_exits(k, task);
	x->arrivals_of[task] = (struct arrivals_of){ first, x->n_arrivals };
	if (!r)
		r = sort_arrivals(x, x->arrivals + first, x->n_arrivals - first);
	for (size_t i = first; i < x->n_arrivals && !r; i++) {
		const struct arrival *soon = &x->arrivals[MIN(i + RECORDS_AHEAD, x->n_arrivals - 1)];

		if (soon->event != GRAPH_NONE)
			__builtin_prefetch(&x->g->w->events[soon->cause]);
		find_task(k, x->arrivals[i].from);
		r = add_look(k, x->g->n_intervals + i, left_ns(x, &x->arrivals[i]));
	}
	return r;
}

uint64_t look_ns(const struct whatif *x, uint32_t look)
{
	size_t arrival = look - x->g->n_intervals;

	if (look < x->g->n_intervals)
		return x->causes[x->cause_of[look] - 1].acted_ns;
	if (arrival < x->n_arrivals)
		return left_ns(x, &x->arrivals[arrival]);
	return x->g->tasks[arrival - x->n_arrivals].born_ns;
}

/* If tasks wait for each other in a cycle, the replay begins with the victim. */
static bool is_of_victim(const struct whatif *x, uint32_t look)
{
	return look < x->g->n_intervals && x->g->intervals[look].task == x->task;
}

static int order(const struct whatif *x, uint32_t a, uint64_t a_ns, uint32_t b, uint64_t b_ns)
{
	if (a_ns != b_ns)
		return a_ns < b_ns ? -1 : 1;
	if (is_of_victim(x, a) != is_of_victim(x, b))
		return is_of_victim(x, a) ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int look_cmp(const void *a, const void *b, void *arg)
{
	const uint32_t *x = a, *y = b;

	return order(arg, *x, look_ns(arg, *x), *y, look_ns(arg, *y));
}

#define FEW_LOOKS 16

static void sort_slice(struct whatif *x, uint32_t *v, size_t n)
{
	uint64_t ns[FEW_LOOKS];

	if (n > FEW_LOOKS) {
		qsort_r(v, n, sizeof(*v), look_cmp, x);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t look = v[i];
		uint64_t at_ns = look_ns(x, look);
		size_t at = i;

		for (; at && order(x, v[at - 1], ns[at - 1], look, at_ns) > 0; at--) {
			ns[at] = ns[at - 1];
			v[at] = v[at - 1];
		}
		ns[at] = at_ns;
		v[at] = look;
	}
}

static int sort_looks(struct linking *k)
{
	struct whatif *x = k->x;
	uint32_t *v = malloc((x->looks.n + 1) * sizeof(*v)), *end = k->slice_end;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < k->n_slices; i++)
		end[i + 1] += end[i];
	/* end[i] is the begin of slice i. The loop moves it to the end of the slice. */
	for (size_t i = 0; i < x->looks.n; i++) {
		size_t soon = x->looks.v[MIN(i + RECORDS_AHEAD, x->looks.n - 1)] - x->g->n_intervals;

		if (soon < x->n_arrivals)
			__builtin_prefetch(&x->g->w->events[x->arrivals[soon].cause]);
		v[end[slice_of(k, look_ns(x, x->looks.v[i]))]++] = x->looks.v[i];
	}
	for (size_t i = 0, at = 0; i < k->n_slices; at = end[i++])
		sort_slice(x, v + at, end[i] - at);
	free(x->looks.v);
	x->looks.v = v;
	return 0;
}

static int link_all(struct linking *k)
{
	struct whatif *x = k->x;
	size_t n = k->exits.n;
	int r = 0;

	for (size_t t = 0; k->links && t < k->links->n_tasks; t++)
		n += k->links->to[t].v.n;
	if (x->g->n_intervals + n + x->g->n_tasks > UINT32_MAX)
		return -E2BIG;
	x->arrivals = malloc((n + 1) * sizeof(*x->arrivals));
	if (!x->arrivals || slices_init(k, (n + x->n_causes) / 2 + 1))
		return -ENOMEM;
	k->found[x->task] = true;
	k->queue[k->n_queue++] = x->task;
	for (size_t i = 0; i < k->n_queue && !r; i++) {
		r = add_waits(k, k->queue[i]);
		if (!r)
			r = add_arrivals(k, k->queue[i]);
		if (was_born(x, k->queue[i]))
			find_task(k, x->g->tasks[k->queue[i]].parent);
	}
	for (size_t i = 0; i < k->n_queue && !r; i++)
		if (was_born(x, k->queue[i]))
			r = add_look(k, x->g->n_intervals + x->n_arrivals + k->queue[i],
				     x->g->tasks[k->queue[i]].born_ns);
	return r ? r : sort_looks(k);
}

int link_tasks(struct whatif *x, struct causal_links *links, graph_both_fn both)
{
	_cleanup_free_ bool *found = calloc(x->g->n_tasks, sizeof(*found));
	_cleanup_free_ uint32_t *queue = malloc(x->g->n_tasks * sizeof(*queue));
	struct linking k = { .x = x, .links = links, .both = both, .found = found, .queue = queue };
	int r = found && queue ? find_exits(&k) : -ENOMEM;

	if (!r)
		r = link_all(&k);
	VEC_FREE(&k.exits);
	VEC_FREE(&k.parts);
	free(k.slice_end);
	return r;
}
