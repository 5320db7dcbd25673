/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slow.h - the replay (whatif.h) as recursion: the shift of a task at a moment is what the task and the tasks
 * on which it depends did before. It follows the definition, and does not care about time or memory. */
#ifndef CTRACE_TEST_WHATIF_SLOW_H
#define CTRACE_TEST_WHATIF_SLOW_H

#include "analysis/whatif/replay.h"

struct slow {
	struct whatif *x;
	struct taken t; /* of one question */
	int64_t *after; /* [interval]: the shift at its end; -1: not yet known */
	size_t *near;
	VEC(struct slow_asked {
		uint32_t task;
		uint64_t ns;
	})
	asked; /* the questions that have no answer yet */
	bool cycle;
};

static int64_t slow_shift(struct slow *k, uint32_t task, uint64_t t);

static void slow_arrivals(struct slow *k, uint32_t task, bool exits, uint64_t from, uint64_t to, uint64_t t,
			  int64_t *shift)
{
	const struct whatif *x = k->x;

	for (size_t i = x->arrivals_of[task].first; i < x->arrivals_of[task].end; i++) {
		const struct arrival *a = &x->arrivals[i];
		uint64_t ns = arrived_ns(x, a), left = left_ns(x, a);
		int64_t theirs;

		if (ns >= to)
			return;
		if ((a->event == GRAPH_NONE) != exits || ns < from || taken_arrival(&k->t, task, a))
			continue;
		theirs = slow_shift(k, a->from, left);
		*shift = MIN(*shift, theirs + (int64_t)((k->t.tasks[task] ? t : ns) - left));
	}
}

static int64_t slow_wait(struct slow *k, uint32_t interval, uint64_t a, uint64_t t, int64_t shift)
{
	uint32_t task = k->x->g->intervals[interval].task;
	struct cause c = whatif_cause(k->x, interval);
	uint64_t woke = MIN(c.woke_ns, t), over = MAX(a, woke);
	bool taken = k->t.tasks[task];
	int64_t theirs, now;

	if (taken_wait(&k->t, interval))
		return shift + (int64_t)(t - a);
	if (c.task == GRAPH_NONE)
		return shift + (taken ? (int64_t)(t - a) : 0);
	theirs = slow_shift(k, c.task, MIN(c.acted_ns, woke));
	now = MIN(shift + (int64_t)(over - a), theirs + (int64_t)(over - woke));
	if (c.timed_out)
		now = MAX(now, shift);
	now += taken ? (int64_t)(t - over) : 0;
	slow_arrivals(k, task, true, a + 1, t + 1, t, &now);
	return now;
}

static int64_t slow_in(struct slow *k, uint32_t interval, uint64_t t, int64_t shift)
{
	const struct interval *s = &k->x->g->intervals[interval];
	uint64_t a = MAX(s->from_ns, k->x->from_ns);
	bool taken = k->t.tasks[s->task];

	if (t <= a)
		return shift;
	if (s->state == INTERVAL_BLOCKED)
		return slow_wait(k, interval, a, t, shift);
	if (s->state == INTERVAL_RUNNABLE && !taken && !k->t.times[TIME_RUNNABLE]) {
		taken_rivals(&k->t, k->t.any_tasks, interval, a, t, k->near, &shift);
		return shift;
	}
	taken |= s->state == INTERVAL_RUNNABLE;
	shift += taken ? (int64_t)(t - a) : 0;
	if (s->state == INTERVAL_RUNNING)
		slow_arrivals(k, s->task, false, a, t, t, &shift);
	return shift;
}

/* Returns the shift before the interval `next`, which may be the end of the task. */
static int64_t slow_before(struct slow *k, uint32_t task, uint32_t next)
{
	const struct graph *g = k->x->g;
	const struct graph_task *t = &g->tasks[task];
	uint32_t end = t->first_interval + t->n_intervals,
		 first = MIN(graph_interval_at(g, task, k->x->from_ns), end);

	if (next == first && was_born(k->x, task))
		return slow_shift(k, t->parent, t->born_ns);
	if (next == first)
		return k->t.tasks[task] && first < end && g->intervals[first].from_ns > k->x->from_ns
			       ? (int64_t)(g->intervals[first].from_ns - k->x->from_ns)
			       : 0;
	if (k->after[next - 1] < 0)
		k->after[next - 1] =
			slow_in(k, next - 1, g->intervals[next - 1].to_ns, slow_before(k, task, next - 1));
	return k->after[next - 1];
}

static int64_t slow_shift(struct slow *k, uint32_t task, uint64_t t)
{
	const struct graph *g = k->x->g;
	uint32_t i = graph_interval_at(g, task, t),
		 end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	int64_t shift;

	if (t <= k->x->from_ns)
		return 0;
	for (size_t j = 0; j < k->asked.n; j++)
		k->cycle |= k->asked.v[j].task == task && k->asked.v[j].ns == t;
	if (k->cycle || VEC_PUSH(&k->asked, (struct slow_asked){ task, t })) {
		k->cycle = true;
		return 0;
	}
	if (was_born(k->x, task) && t < g->tasks[task].born_ns) {
		shift = slow_shift(k, g->tasks[task].parent, t);
	} else {
		shift = slow_before(k, task, MIN(i, end));
		shift = i == GRAPH_NONE ? shift : slow_in(k, i, t, shift);
	}
	k->asked.n--;
	return MIN(shift, (int64_t)(t - k->x->from_ns));
}

/* Sets *ret_ns to what replay_saved() should find for one question. Returns false if tasks wait for each
 * other in a cycle at one moment. Then the result is not defined. */
static bool slow_saved(struct whatif *x, const struct question *v, uint64_t *ret_ns)
{
	struct slow k = { .x = x,
			  .after = malloc((x->g->n_intervals + 1) * sizeof(*k.after)),
			  .near = calloc((size_t)x->g->n_cpus + 1, sizeof(*k.near)) };

	assert_true(k.after && k.near);
	memset(k.after, 0xff, x->g->n_intervals * sizeof(*k.after));
	assert_int_equal(taken_init(&k.t, x, v, 1), 0);
	*ret_ns = (uint64_t)slow_shift(&k, x->task, x->to_ns);
	taken_done(&k.t);
	VEC_FREE(&k.asked);
	free(k.after);
	free(k.near);
	return !k.cycle;
}

#endif
