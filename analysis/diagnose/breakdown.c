// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/breakdown.h"

#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/hash.h"

uint64_t breakdown_frame_key(const struct graph *g, const struct path_frame *f)
{
	if (f->blame.edge != EDGE_EXIT)
		return f->task;
	return hash_text(HASH_START, graph_comm(g, f->task, f->to_ns)) | 1ULL << 63;
}

static struct group *group_of(struct breakdown *l, enum group_type type, uint64_t key,
			      enum resource_kind kind, uint64_t obj)
{
	struct map *by = type == GROUP_TASK ? &l->by_key : &l->by_obj;
	uint64_t h = type == GROUP_TASK ? key : hash_add(hash_add(hash_add(HASH_START, obj), type), kind), at;

	for (; map_get(by, h, &at); h++) {
		struct group *gr = &l->v.v[at];

		if (type == GROUP_TASK || (gr->type == type && gr->obj == obj && gr->kind == kind))
			return gr;
	}
	if (VEC_PUSH(&l->v, (struct group){ .type = type,
					    .key = key,
					    .kind = kind,
					    .obj = obj,
					    .from_ns = UINT64_MAX,
					    .interval = GRAPH_NONE,
					    .last = { .interval = GRAPH_NONE } }))
		return NULL;
	if (map_set(by, h, l->v.n - 1))
		return NULL;
	return &l->v.v[l->v.n - 1];
}

bool breakdown_by_timer(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];

	return s->state == INTERVAL_BLOCKED && s->wake != GRAPH_NONE &&
	       edge_by_timer(g, s, &g->w->events[s->wake]);
}

static void group_add(const struct graph *g, struct group *gr, uint64_t from, uint64_t to, uint32_t interval,
		      const struct blame *b, uint32_t frame)
{
	struct wait_so_far *last = &gr->last;

	gr->total_ns += to - from;
	gr->from_ns = MIN(gr->from_ns, from);
	gr->to_ns = MAX(gr->to_ns, to);
	if (interval == GRAPH_NONE || interval != last->interval) {
		*last = (struct wait_so_far){ .interval = interval };
		gr->waits += interval != GRAPH_NONE;
		gr->timeouts += interval != GRAPH_NONE && edge_is_timed_out(g, &g->intervals[interval]);
	}
	if (b && (b->strength == EDGE_STRONG || b->edge == EDGE_LOCK || b->edge == EDGE_KERNEL_LOCK) &&
	    interval != GRAPH_NONE && !last->sure) {
		last->sure = true;
		gr->sure++;
	}
	last->ns += to - from;
	if (to - from > last->piece_ns) {
		last->piece_ns = to - from;
		last->frame = frame;
		if (b)
			last->blame = *b;
	}
	if (last->ns > gr->longest_ns) {
		gr->longest_ns = last->ns;
		gr->interval = interval;
		gr->frame = last->frame;
		gr->blame = last->blame;
	}
}

static int breakdown_piece(const struct graph *g, struct breakdown *l, const struct path *p,
			   const struct path_piece *x)
{
	const struct blame *b = x->blame == GRAPH_NONE ? NULL : &p->leaf_blames[x->blame];
	struct interval_sums sums = { 0 };
	struct group *gr;

	if (x->time == TIME_SHORT)
		interval_sums(&g->intervals[x->interval], x->from_ns, x->to_ns, &sums);
	l->total_ns += x->to_ns - x->from_ns;
	l->from_ns = MIN(l->from_ns, x->from_ns);
	l->to_ns = MAX(l->to_ns, x->to_ns);
	l->running_ns += x->time == TIME_RUNNING ? x->to_ns - x->from_ns : sums.ran_ns;
	l->runnable_ns += x->time == TIME_RUNNABLE ? x->to_ns - x->from_ns : sums.queued_ns;
	if (x->time == TIME_RUNNING || x->time == TIME_RUNNABLE)
		gr = group_of(l, GROUP_CPU, GRAPH_NONE, RESOURCE_NONE, 0);
	else if (x->time == TIME_SHORT)
		gr = group_of(l, GROUP_FOLDED, GRAPH_NONE, RESOURCE_NONE, 0);
	else if (!b)
		gr = group_of(l, GROUP_UNKNOWN, GRAPH_NONE, RESOURCE_NONE, 0);
	else if (x->cycle)
		gr = group_of(l, GROUP_LEAF, b->task, RESOURCE_NONE, b->obj);
	else
		gr = group_of(l, GROUP_LEAF, GRAPH_NONE, b->kind, b->kind == RESOURCE_TIMER ? 0 : b->obj);
	if (!gr)
		return -ENOMEM;
	l->folded_ran_ns += sums.ran_ns;
	l->folded_queued_ns += sums.queued_ns;
	l->switches += sums.switches;
	gr->cycle |= x->cycle;
	group_add(g, gr, x->from_ns, x->to_ns, b ? x->interval : GRAPH_NONE, b, GRAPH_NONE);
	return 0;
}

int breakdown_fill(const struct graph *g, struct breakdown *l, const struct path *p, const bool *in)
{
	l->from_ns = UINT64_MAX;
	for (size_t i = 0; i < p->n_pieces; i++)
		if (in[p->pieces[i].frame] && breakdown_piece(g, l, p, &p->pieces[i]))
			return -ENOMEM;
	for (uint32_t i = 1; i < p->n_frames; i++) {
		const struct path_frame *f = &p->frames[i];
		struct group *gr;

		if (!in[f->parent])
			continue;
		gr = group_of(l, GROUP_TASK, breakdown_frame_key(g, f), RESOURCE_NONE, 0);
		if (!gr)
			return -ENOMEM;
		group_add(g, gr, f->from_ns, f->to_ns, f->interval, &f->blame, i);
		gr->task = p->frames[gr->frame].task;
		l->total_ns += f->to_ns - f->from_ns;
		l->from_ns = MIN(l->from_ns, f->from_ns);
		l->to_ns = MAX(l->to_ns, f->to_ns);
	}
	return 0;
}

int breakdown_run_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint64_t *ret)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->samples, g->tasks[task].tid, from_ns, &n);
	struct map times = { 0 };
	uint64_t best = 0, best_n = 0;
	int err = 0;

	n = BISECT(i, 0, n, g->w->events[r[i].event].r.ts >= to_ns);
	for (size_t i = 0; i < n && !err; i++) {
		uint64_t stack = window_words(g->w, &g->w->events[r[i].event])[0], same = 0;

		map_get(&times, stack, &same);
		err = stack ? map_set(&times, stack, same + 1) : 0;
	}
	for (size_t i = 0; i < n && !err; i++) {
		uint64_t stack = window_words(g->w, &g->w->events[r[i].event])[0], same = 0;

		if (map_get(&times, stack, &same) && same > best_n) {
			best_n = same;
			best = stack;
		}
	}
	map_done(&times);
	if (!err)
		*ret = best;
	return err;
}

uint64_t breakdown_wait_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			      const struct interval *like)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t first = graph_interval_at(g, task, from_ns);
	uint64_t best = 0, best_ns = 0;

	/* A task may have a million intervals, but only few of them have an inspection. */
	for (size_t i = BISECT(k, 0, g->n_looks, g->looks[k].interval >= first); i < g->n_looks; i++) {
		const struct interval_look *l = &g->looks[i];
		const struct interval *s = &g->intervals[l->interval];

		if (l->interval >= t->first_interval + t->n_intervals || s->from_ns >= to_ns)
			break;
		if (l->visit == GRAPH_NONE || (like && s->wait != like->wait) ||
		    s->to_ns - s->from_ns <= best_ns)
			continue;
		best_ns = s->to_ns - s->from_ns;
		best = graph_visit_stack(g, s);
	}
	return best;
}

void breakdown_done(struct breakdown *l)
{
	VEC_FREE(&l->v);
	map_done(&l->by_key);
	map_done(&l->by_obj);
}
