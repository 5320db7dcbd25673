// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

/*
 * The replay goes through the range once, in order of time, for all questions together: the order does not
 * depend on the questions. A task stays behind until its shift (whatif.h) is needed: advance() takes it to
 * the present moment. Each look (link.h) is such a moment. The shift that it finds is kept in a slot until
 * the task that depends on it gets there.
 */

/* shift_of_busy() returns this in place of the shift of a task if two things are true: at one moment of the
 * trace, this task and others wait for each other in a cycle, and the what-if question takes away a
 * task of this cycle. Then there is no cycle in the replay, and in the replay no other task of the
 * cycle has to wait for this task. */
#define SHIFT_FREE INT64_MAX

struct replay_task {
	uint32_t next;  /* the first interval that is not replayed to its end */
	size_t arrival; /* the first arrival that is not replayed */
	bool begun;
	bool busy;
};

#define SLOT_NONE UINT32_MAX
#define SLOT_USED (UINT32_MAX - 1) /* nothing will need the shifts any more */

struct replay {
	struct whatif *x;
	struct taken taken;
	size_t n; /* questions */
	uint64_t now_ns;
	struct replay_task *tasks;
	/* [task * n + question]: the shift at the start of the task's interval `next`. While the task runs,
	 * arrivals make this shift smaller. */
	int64_t *shifts;
	uint32_t *slot_of_wait;    /* [cause]: its slot, SLOT_NONE or SLOT_USED */
	uint32_t *slot_of_arrival; /* [arrival]: the same */
	VEC(int64_t) slots;        /* [slot * n + question] */
	VEC(uint32_t) unused;      /* slots */
	size_t *near;
	int err;
	uint32_t depth;
	uint32_t stack[WHATIF_MAX_DEPTH]; /* tasks with `busy` set; each waits for the next */
};

static void shift_now(struct replay *k, uint32_t task, int64_t *ret);

static bool in(uint32_t set, size_t question)
{
	return set >> question & 1;
}

static uint32_t end_of(const struct graph *g, uint32_t task)
{
	return g->tasks[task].first_interval + g->tasks[task].n_intervals;
}

/* Sets ret[] to the shifts of the task at at_ns, which a look has kept in the slot. If there is no look yet,
 * sets ret[] to the shifts of the present moment, because at_ns is not earlier. */
static void shift_at_look(struct replay *k, uint32_t slot, uint32_t task, uint64_t at_ns, int64_t *ret)
{
	if (slot != SLOT_NONE)
		memcpy(ret, k->slots.v + slot * k->n, k->n * sizeof(*ret));
	else if (at_ns <= k->x->from_ns)
		memset(ret, 0, k->n * sizeof(*ret));
	else
		shift_now(k, task, ret);
}

static void free_slot(struct replay *k, uint32_t *slot)
{
	if (*slot < SLOT_USED && VEC_PUSH(&k->unused, *slot))
		k->err = -ENOMEM;
	*slot = SLOT_USED;
}

/* In the replay too, the arrival cannot come before its sender has acted. So it limits the shift of the
 * receiving task. If a question takes away the receiving task, the limit grows with the time. shift[]: the
 * shifts at the moment at_ns. The questions in `ignore` have no such limit. */
static void hold_back(struct replay *k, uint32_t task, size_t arrival, uint64_t at_ns, uint32_t ignore,
		      int64_t *shift)
{
	const struct arrival *a = &k->x->arrivals[arrival];
	uint32_t taken = k->taken.tasks[task];
	uint64_t left = left_ns(k->x, a), arrived = arrived_ns(k->x, a);
	int64_t theirs[TAKEN_MAX];

	ignore |= taken_arrival(&k->taken, task, a);
	shift_at_look(k, k->slot_of_arrival[arrival], a->from, left, theirs);
	for (size_t i = 0; i < k->n; i++) {
		int64_t most = theirs[i] + (int64_t)((in(taken, i) ? at_ns : arrived) - left);

		if (theirs[i] != SHIFT_FREE && !in(ignore, i))
			shift[i] = MIN(shift[i], most);
	}
}

/* The task runs in its interval `next`, which begins at a. */
static void receive(struct replay *k, uint32_t task, uint64_t a, uint64_t t)
{
	struct replay_task *rt = &k->tasks[task];
	const struct arrival *v = k->x->arrivals;

	for (; rt->arrival < k->x->arrivals_of[task].end && arrived_ns(k->x, &v[rt->arrival]) < t;
	     rt->arrival++) {
		hold_back(k, task, rt->arrival, a, 0, k->shifts + task * k->n);
		free_slot(k, &k->slot_of_arrival[rt->arrival]);
	}
}

/* Returns the first arrival of the task that comes after the exits until t. */
static size_t after_exits(const struct replay *k, uint32_t task, uint64_t t)
{
	size_t i = k->tasks[task].arrival;
	const struct arrival *v = k->x->arrivals;

	while (i < k->x->arrivals_of[task].end && v[i].event == GRAPH_NONE && arrived_ns(k->x, &v[i]) <= t)
		i++;
	return i;
}

static void after_wait(struct replay *k, uint32_t interval, uint64_t a, uint64_t t, int64_t *shift)
{
	uint32_t cause = k->x->cause_of[interval] - 1, task = k->x->g->intervals[interval].task;
	const struct cause *c = &k->x->causes[cause];
	uint32_t gone = taken_wait(&k->taken, interval), taken = k->taken.tasks[task];
	uint64_t woke = MIN(c->woke_ns, t);
	/* a wake-up may come while the task is still on its way into the wait */
	uint64_t over = MAX(a, woke);
	int64_t theirs[TAKEN_MAX];

	if (c->task == GRAPH_NONE) {
		taken_add(gone | taken, (int64_t)(t - a), shift);
		return;
	}
	shift_at_look(k, k->slot_of_wait[cause], c->task, MIN(c->acted_ns, woke), theirs);
	for (size_t i = 0; i < k->n; i++) {
		int64_t now = (int64_t)(over - a) + shift[i];

		if (in(gone, i)) {
			shift[i] += (int64_t)(t - a);
			continue;
		}
		if (theirs[i] != SHIFT_FREE)
			now = MIN(now, (int64_t)(over - woke) + theirs[i]);
		if (c->timed_out)
			now = MAX(now, shift[i]);
		shift[i] = now + (in(taken, i) ? (int64_t)(t - over) : 0);
	}
	for (size_t i = k->tasks[task].arrival, end = after_exits(k, task, t); i < end; i++)
		hold_back(k, task, i, t, gone, shift);
}

static void free_wait(struct replay *k, uint32_t interval, uint64_t t)
{
	uint32_t task = k->x->g->intervals[interval].task;

	for (size_t end = after_exits(k, task, t); k->tasks[task].arrival < end; k->tasks[task].arrival++)
		free_slot(k, &k->slot_of_arrival[k->tasks[task].arrival]);
	free_slot(k, &k->slot_of_wait[k->x->cause_of[interval] - 1]);
}

/* Before: the shifts at a. After: the shifts at t. Both are in the interval. */
static void shift_in(struct replay *k, uint32_t interval, uint64_t a, uint64_t t, int64_t *shift)
{
	const struct interval *s = &k->x->g->intervals[interval];
	uint32_t taken = k->taken.tasks[s->task];

	if (t <= a)
		return;
	switch (s->state) {
	case INTERVAL_RUNNABLE:
		taken |= k->taken.times[TIME_RUNNABLE];
		if (k->taken.any_tasks & ~taken)
			taken_rivals(&k->taken, k->taken.any_tasks & ~taken, interval, a, t, k->near, shift);
		break;
	case INTERVAL_BLOCKED:
		after_wait(k, interval, a, t, shift);
		return;
	default:
		break;
	}
	taken_add(taken, (int64_t)(t - a), shift);
}

static void begin(struct replay *k, uint32_t task)
{
	const struct graph *g = k->x->g;
	struct replay_task *rt = &k->tasks[task];
	int64_t *shift = k->shifts + task * k->n;

	rt->begun = true;
	rt->arrival = k->x->arrivals_of[task].first;
	rt->next = graph_interval_at(g, task, k->x->from_ns);
	if (rt->next == GRAPH_NONE)
		rt->next = end_of(g, task);
	if (was_born(k->x, task))
		shift_now(k, g->tasks[task].parent, shift);
	else if (rt->next < end_of(g, task) && g->intervals[rt->next].from_ns > k->x->from_ns)
		/* the time from the start of the range to the task's first interval is saved, too */
		taken_add(k->taken.tasks[task], (int64_t)(g->intervals[rt->next].from_ns - k->x->from_ns),
			  shift);
	for (size_t i = 0; i < k->n; i++)
		if (shift[i] == SHIFT_FREE)
			shift[i] = 0;
}

static bool has_begun_next(const struct replay *k, uint32_t task)
{
	uint32_t next = k->tasks[task].next;

	return k->tasks[task].begun && next < end_of(k->x->g, task) &&
	       k->x->g->intervals[next].from_ns < k->now_ns;
}

/* Replays all intervals of the task that have ended by now. */
static void advance(struct replay *k, uint32_t task)
{
	const struct interval *s = k->x->g->intervals;
	struct replay_task *rt = &k->tasks[task];

	if (!rt->begun && !(was_born(k->x, task) && k->x->g->tasks[task].born_ns > k->now_ns))
		begin(k, task);
	for (; has_begun_next(k, task); rt->next++) {
		uint64_t a = MAX(s[rt->next].from_ns, k->x->from_ns), t = MIN(s[rt->next].to_ns, k->now_ns);

		if (s[rt->next].state == INTERVAL_RUNNING)
			receive(k, task, a, t);
		if (s[rt->next].to_ns > k->now_ns)
			return;
		shift_in(k, rt->next, a, t, k->shifts + task * k->n);
		if (s[rt->next].state == INTERVAL_BLOCKED)
			free_wait(k, rt->next, t);
	}
}

/* The task is on k->stack already. If it has a present interval, all tasks from it to the top of the stack
 * wait for each other in a cycle. */
static void shift_of_busy(const struct replay *k, uint32_t task, int64_t *ret)
{
	uint32_t next = k->tasks[task].next, free = 0, gone = 0, on = k->depth;
	const struct interval *s = &k->x->g->intervals[next];
	uint64_t waited = 0;

	/* if a task or a wait of the cycle is taken away, there is no cycle in the replay */
	do {
		free |= k->taken.tasks[k->stack[--on]];
	} while (k->stack[on] != task);
	if (!has_begun_next(k, task)) {
		free = 0;
	} else if (s->state == INTERVAL_BLOCKED) {
		gone = taken_wait(&k->taken, next);
		waited = MIN(s->to_ns, k->now_ns) - MAX(s->from_ns, k->x->from_ns);
	}
	for (size_t i = 0; i < k->n; i++)
		ret[i] = in(free & ~gone, i)
				 ? SHIFT_FREE
				 : k->shifts[task * k->n + i] + (in(gone, i) ? (int64_t)waited : 0);
}

static void push(struct replay *k, uint32_t task)
{
	k->stack[k->depth++] = task;
	k->tasks[task].busy = true;
	advance(k, task);
}

static void pop(struct replay *k)
{
	k->tasks[k->stack[--k->depth]].busy = false;
}

/* Sets ret[] to the present shifts of the task. */
static void shift_now(struct replay *k, uint32_t task, int64_t *ret)
{
	uint64_t from_ns = k->x->from_ns;
	uint32_t next;

	if (k->tasks[task].busy) {
		shift_of_busy(k, task, ret);
		return;
	}
	if (k->depth >= WHATIF_MAX_DEPTH) {
		__atomic_fetch_add(&k->x->refused, 1, __ATOMIC_RELAXED);
		memset(ret, 0, k->n * sizeof(*ret));
		return;
	}
	push(k, task);
	if (!k->tasks[task].begun) /* before its birth, it depends on its creator */
		shift_now(k, k->x->g->tasks[task].parent, ret);
	else
		memcpy(ret, k->shifts + task * k->n, k->n * sizeof(*ret));
	next = k->tasks[task].next;
	if (has_begun_next(k, task))
		shift_in(k, next, MAX(k->x->g->intervals[next].from_ns, from_ns), k->now_ns, ret);
	pop(k);
	for (size_t i = 0; i < k->n; i++)
		ret[i] = MIN(ret[i], (int64_t)(k->now_ns - from_ns));
}

static void catch_up(struct replay *k, uint32_t task)
{
	push(k, task);
	pop(k);
}

static uint32_t new_slot(struct replay *k)
{
	size_t slot;

	if (k->unused.n)
		return k->unused.v[--k->unused.n];
	slot = k->slots.n / k->n;
	if (VEC_RESERVE(&k->slots, k->slots.n + k->n)) {
		k->err = -ENOMEM;
		return SLOT_NONE;
	}
	k->slots.n += k->n;
	return (uint32_t)slot;
}

/* Keeps the present shifts of `task` in a new slot, because the task `by` will need them. */
static void keep(struct replay *k, uint32_t by, uint32_t task, uint32_t *slot)
{
	int64_t theirs[TAKEN_MAX];

	catch_up(k, by);
	if (*slot == SLOT_USED)
		return;
	shift_now(k, task, theirs);
	*slot = new_slot(k);
	if (*slot != SLOT_NONE)
		memcpy(k->slots.v + *slot * k->n, theirs, k->n * sizeof(*theirs));
}

static void look(struct replay *k, uint32_t look)
{
	const struct whatif *x = k->x;
	size_t arrival = look - x->g->n_intervals;

	k->now_ns = look_ns(x, look);
	if (look < x->g->n_intervals) {
		uint32_t cause = x->cause_of[look] - 1;

		keep(k, x->g->intervals[look].task, x->causes[cause].task, &k->slot_of_wait[cause]);
	} else if (arrival < x->n_arrivals) {
		const struct arrival *a = &x->arrivals[arrival];

		keep(k, a->to, a->from, &k->slot_of_arrival[arrival]);
	} else {
		catch_up(k, (uint32_t)(arrival - x->n_arrivals));
	}
}

/* The loop over the looks asks for the memory of later looks in advance. */
#define ARRIVALS_AHEAD 24
#define RECORDS_AHEAD  12

static void ask_ahead(const struct replay *k, size_t i)
{
	const struct whatif *x = k->x;
	size_t far = x->looks.v[MIN(i + ARRIVALS_AHEAD, x->looks.n - 1)] - x->g->n_intervals;
	size_t soon = x->looks.v[MIN(i + RECORDS_AHEAD, x->looks.n - 1)] - x->g->n_intervals;

	if (far < x->n_arrivals) {
		__builtin_prefetch(&x->arrivals[far]);
		__builtin_prefetch(&k->slot_of_arrival[far]);
	}
	if (soon < x->n_arrivals && x->arrivals[soon].event != GRAPH_NONE) {
		__builtin_prefetch(&x->g->w->events[x->arrivals[soon].event]);
		__builtin_prefetch(&x->g->w->events[x->arrivals[soon].cause]);
	}
}

static int replay(struct replay *k, const struct question *v, uint64_t *ret_ns)
{
	struct whatif *x = k->x;
	int64_t saved[TAKEN_MAX];
	int r = taken_init(&k->taken, x, v, k->n);

	if (r)
		return r;
	for (size_t i = 0; i < x->looks.n && !k->err; i++) {
		ask_ahead(k, i);
		look(k, x->looks.v[i]);
	}
	k->now_ns = x->to_ns;
	shift_now(k, x->task, saved);
	for (size_t i = 0; i < k->n && !k->err; i++)
		ret_ns[i] = (uint64_t)saved[i];
	return k->err;
}

int replay_saved(struct whatif *x, const struct question *v, size_t n, uint64_t *ret_ns)
{
	size_t n_tasks = x->g->n_tasks, n_arrivals = x->n_arrivals;
	/* another thread may add causes that the replay does not need */
	size_t n_causes = __atomic_load_n(&x->n_causes, __ATOMIC_RELAXED);
	_cleanup_free_ struct replay *k = calloc(1, sizeof(*k));
	_cleanup_free_ struct replay_task *tasks = calloc(n_tasks, sizeof(*tasks));
	_cleanup_free_ int64_t *shifts = calloc(n_tasks * n + 1, sizeof(*shifts));
	_cleanup_free_ uint32_t *of_wait = malloc((n_causes + 1) * sizeof(*of_wait));
	_cleanup_free_ uint32_t *of_arrival = malloc((n_arrivals + 1) * sizeof(*of_arrival));
	_cleanup_free_ size_t *near = calloc((size_t)x->g->n_cpus + 1, sizeof(*near));
	int r;

	if (!k || !tasks || !shifts || !of_wait || !of_arrival || !near)
		return -ENOMEM;
	memset(of_wait, 0xff, n_causes * sizeof(*of_wait));
	memset(of_arrival, 0xff, n_arrivals * sizeof(*of_arrival));
	*k = (struct replay){ .x = x,
			      .n = n,
			      .tasks = tasks,
			      .shifts = shifts,
			      .slot_of_wait = of_wait,
			      .slot_of_arrival = of_arrival,
			      .near = near };
	r = replay(k, v, ret_ns);
	taken_done(&k->taken);
	VEC_FREE(&k->slots);
	VEC_FREE(&k->unused);
	return r;
}
