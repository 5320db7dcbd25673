// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/parts.h"
#include "analysis/picture/thin.h"
#include "lib/cleanup.h"
#include "lib/map.h"

struct source {
	const struct graph *g;
	uint32_t first;
	size_t n;
	uint64_t from_ns, to_ns;
	struct map kept;  /* its keys are the intervals that are never joined */
	struct map known; /* from an interval to a pointer to its struct blame, if the path has one */
};

static void source_done(struct source *s)
{
	map_done(&s->kept);
	map_done(&s->known);
}

static struct source source_of(const struct graph *g, uint32_t task, const struct picture *p)
{
	const struct graph_task *t = &g->tasks[task];
	struct source s = { .g = g, .from_ns = p->from_ns, .to_ns = p->to_ns };
	uint32_t i = graph_interval_at(g, task, p->from_ns);

	if (i == GRAPH_NONE)
		return s;
	s.first = i;
	while (i < t->first_interval + t->n_intervals && g->intervals[i].from_ns < p->to_ns)
		i++;
	s.n = i - s.first;
	return s;
}

static uint64_t clipped_ns(const struct source *s, const struct interval *x)
{
	uint64_t from = MAX(x->from_ns, s->from_ns), to = MIN(x->to_ns, s->to_ns);

	return to > from ? to - from : 0;
}

static uint64_t length(const void *arg, size_t i)
{
	const struct source *s = arg;

	return map_get(&s->kept, s->first + i, NULL) ? THIN_KEEP
						     : clipped_ns(s, &s->g->intervals[s->first + i]);
}

struct wait {
	uint32_t interval;
	uint64_t ns;
};

static int by_length(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->interval > y->interval) - (x->interval < y->interval);
}

static bool is_of_link(const struct link *k, const struct interval *x)
{
	return x->state == INTERVAL_BLOCKED && x->wait == k->wait && x->from_ns < k->to_ns &&
	       x->to_ns > k->from_ns;
}

/* Keeps the longest waits of the links about this task, at most PICTURE_KEPT of each link. */
static int keep_waits(struct source *s, const struct diagnosis *d, uint32_t task)
{
	VEC(struct wait) waits = { 0 };
	int r = 0;

	for (size_t k = 0; k < d->n_chain && !r; k++) {
		if (d->chain[k].task != task || !d->chain[k].wait)
			continue;
		waits.n = 0;
		for (size_t i = 0; i < s->n && !r; i++) {
			const struct interval *x = &s->g->intervals[s->first + i];

			if (is_of_link(&d->chain[k], x))
				r = VEC_PUSH(&waits,
					     (struct wait){ s->first + (uint32_t)i, x->to_ns - x->from_ns });
		}
		VEC_SORT(&waits, by_length);
		for (size_t i = 0; i < MIN(waits.n, (size_t)PICTURE_KEPT) && !r; i++)
			r = map_set(&s->kept, waits.v[i].interval, 1);
	}
	VEC_FREE(&waits);
	return r;
}

/* The path knows more about a wait than blame_wait(): it also knows the work before the wait. */
static int know_path(struct source *s, const struct path *path, uint32_t task)
{
	int r = 0;

	for (size_t i = 1; i < path->n_frames && !r; i++) {
		const struct path_frame *f = &path->frames[i];

		if (f->interval != GRAPH_NONE && path->frames[f->parent].task == task)
			r = map_set(&s->known, f->interval, (uintptr_t)&f->blame);
	}
	for (size_t i = 0; i < path->n_pieces && !r; i++) {
		const struct path_piece *x = &path->pieces[i];

		if (x->blame != GRAPH_NONE && x->interval != GRAPH_NONE &&
		    path->frames[x->frame].task == task && !map_get(&s->known, x->interval, NULL))
			r = map_set(&s->known, x->interval, (uintptr_t)&path->leaf_blames[x->blame]);
	}
	return r;
}

static enum time_kind time_of(const struct interval *x)
{
	switch ((enum interval_state)x->state) {
	case INTERVAL_RUNNING:
		return TIME_RUNNING;
	case INTERVAL_RUNNABLE:
		return TIME_RUNNABLE;
	case INTERVAL_FOLDED:
		return TIME_SHORT;
	case INTERVAL_BLOCKED:
	case INTERVAL_UNKNOWN:
		break;
	}
	return TIME_UNKNOWN;
}

static void add_sums(struct span *ret, const struct source *s, const struct interval *x)
{
	struct interval_sums sums;

	if (x->state == INTERVAL_RUNNING)
		ret->ran_ns += clipped_ns(s, x);
	else if (x->state == INTERVAL_RUNNABLE)
		ret->queued_ns += clipped_ns(s, x);
	else if (x->state == INTERVAL_FOLDED &&
		 interval_sums(x, MAX(x->from_ns, s->from_ns), MIN(x->to_ns, s->to_ns), &sums)) {
		ret->ran_ns += sums.ran_ns;
		ret->queued_ns += sums.queued_ns;
	}
}

static int blame_one(const struct source *s, struct lane *l, struct span *x)
{
	struct blame b;
	uint64_t known;

	if (map_get(&s->known, x->interval, &known))
		b = *(const struct blame *)(uintptr_t)known;
	else
		blame_wait(s->g, x->interval, s->to_ns, &b);
	x->time = b.time;
	x->blame = (uint32_t)l->blames.n;
	return VEC_PUSH(&l->blames, b);
}

static int fill(const struct source *s, struct lane *l)
{
	uint64_t at_ns = s->from_ns; /* in a damaged file, intervals may overlap */
	int r = 0;

	for (size_t i = 0, end; i < s->n && !r; i = end) {
		const struct interval *x = &s->g->intervals[s->first + i];
		struct span sp = { .interval = s->first + (uint32_t)i, .blame = GRAPH_NONE };

		end = thin_group(length, s, s->n, i, l->finest_ns);
		sp.n = (uint32_t)(end - i);
		sp.from_ns = MAX(x->from_ns, at_ns);
		sp.to_ns = MIN(s->g->intervals[s->first + end - 1].to_ns, s->to_ns);
		sp.time = sp.n > 1 ? TIME_SHORT : time_of(x);
		sp.kept = map_get(&s->kept, sp.interval, NULL);
		for (size_t k = i; k < end && sp.time == TIME_SHORT; k++)
			add_sums(&sp, s, &s->g->intervals[s->first + k]);
		if (sp.to_ns <= sp.from_ns)
			continue;
		at_ns = sp.to_ns;
		if (sp.n == 1 && x->state == INTERVAL_BLOCKED)
			r = blame_one(s, l, &sp);
		if (!r)
			r = VEC_PUSH(&l->spans, sp);
	}
	return r;
}

int spans_fill(const struct graph *g, const struct diagnosis *d, const struct path *path, struct picture *p,
	       struct lane *l)
{
	_cleanup_(source_done) struct source s = source_of(g, l->task, p);
	int r = keep_waits(&s, d, l->task);

	if (!r)
		r = know_path(&s, path, l->task);
	l->n_intervals = s.n;
	l->finest_ns = r ? 0 : thin_finest(length, &s, s.n, PICTURE_SPANS + s.kept.n);
	return r ? r : fill(&s, l);
}
