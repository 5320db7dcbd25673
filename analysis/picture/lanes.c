// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/picture/parts.h"
#include "lib/cleanup.h"
#include "lib/map.h"

static int add(struct picture *p, uint32_t task, enum lane_why why, uint32_t link)
{
	return VEC_PUSH(&p->lanes, (struct lane){ .task = task, .why = why, .link = link });
}

static int add_chain(const struct diagnosis *d, struct picture *p)
{
	int r = 0;

	for (uint32_t i = 0; i < d->n_chain && !r; i++)
		if (picture_lane(p, d->chain[i].task) == GRAPH_NONE)
			r = add(p, d->chain[i].task, LANE_CHAIN, i);
	return r;
}

struct score {
	uint32_t task;
	uint64_t n;
};
typedef VEC(struct score) scores;

static int by_score(const void *a, const void *b)
{
	const struct score *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Adds n to the score of the task. at: the index of each task in *s. */
static int count(scores *s, struct map *at, uint32_t task, uint64_t n)
{
	uint64_t i;

	if (map_get(at, task, &i)) {
		s->v[i].n += n;
		return 0;
	}
	return map_set(at, task, s->n) || VEC_PUSH(s, (struct score){ task, n }) ? -ENOMEM : 0;
}

static int add_path(const struct path *path, struct picture *p)
{
	_cleanup_(map_done) struct map at = { 0 };
	scores s = { 0 };
	size_t added = 0;
	int r = 0;

	for (size_t i = 0; i < path->n_pieces && !r; i++) {
		const struct path_piece *x = &path->pieces[i];
		uint32_t task = path->frames[x->frame].task;

		r = count(&s, &at, task, x->to_ns - x->from_ns);
	}
	VEC_SORT(&s, by_score);
	for (size_t i = 0; i < s.n && !r; i++) {
		uint32_t lane = picture_lane(p, s.v[i].task);

		if (lane == GRAPH_NONE && (added == PICTURE_PATH || p->lanes.n == PICTURE_LANES)) {
			p->n_left_out++;
			continue;
		}
		if (lane == GRAPH_NONE) {
			r = add(p, s.v[i].task, LANE_PATH, 0);
			lane = (uint32_t)p->lanes.n - 1;
			added++;
		}
		if (!r)
			p->lanes.v[lane].path_ns = s.v[i].n;
	}
	VEC_FREE(&s);
	return r;
}

/* Counts the wake-ups between a task that has a lane and a task that has none. Only the tid says whether
 * a task has a lane. So a later task with a reused tid counts as the task of the lane. */
static int count_wakes(const struct graph *g, const struct picture *p, scores *s)
{
	_cleanup_(map_done) struct map lanes = { 0 }, at = { 0 };
	const struct window *w = g->w;
	int r = 0;

	for (size_t i = 0; i < p->lanes.n && !r; i++)
		r = map_set(&lanes, g->tasks[p->lanes.v[i].task].tid, 1);
	for (size_t i = window_lower_bound(w, p->from_ns); i < w->n_events && !r; i++) {
		const struct ct_rec *x = &w->events[i].r;
		uint32_t other;
		bool wakee;

		if (x->ts >= p->to_ns)
			break;
		if (x->kind != CT_WAKE || !ct_wake_by_task(x))
			continue;
		wakee = map_get(&lanes, x->tid, NULL);
		if (wakee == map_get(&lanes, ct_wake_waker(x), NULL))
			continue;
		other = graph_task_at(g, wakee ? ct_wake_waker(x) : x->tid, x->ts);
		if (other != GRAPH_NONE)
			r = count(s, &at, other, 1);
	}
	return r;
}

static int add_near(const struct graph *g, struct picture *p)
{
	scores s = { 0 };
	int r = count_wakes(g, p, &s);

	VEC_SORT(&s, by_score);
	for (size_t i = 0; i < s.n && !r; i++) {
		const struct graph_task *t = &g->tasks[s.v[i].task];

		if (t->tracer || t->kthread || !t->n_intervals || picture_lane(p, s.v[i].task) != GRAPH_NONE)
			continue;
		if (p->lanes.n >= PICTURE_LANES) {
			p->n_left_out++;
			continue;
		}
		r = add(p, s.v[i].task, LANE_NEAR, 0);
		if (!r)
			p->lanes.v[p->lanes.n - 1].wakes = (uint32_t)MIN(s.v[i].n, (uint64_t)UINT32_MAX);
	}
	VEC_FREE(&s);
	return r;
}

int lanes_choose(const struct graph *g, const struct diagnosis *d, const struct path *path, struct picture *p)
{
	int r = add_chain(d, p);

	if (!r)
		r = add_path(path, p);
	return r ? r : add_near(g, p);
}
