// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/timeline/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "lib/memory.h"

struct task_key {
	uint32_t old;
	uint32_t tid;
};

/* The tasks of one tid came into builder.now one after the other. */
static int task_key_cmp(const void *a, const void *b)
{
	const struct task_key *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->old < y->old ? -1 : x->old > y->old;
}

/* Sets from_ns and ancestor of each task, and g->first_of. If a birth was not recorded, born_ns may be
 * smaller than that of an earlier task with the same tid. from_ns never falls. */
static void graph_lives(struct graph *g, struct builder *b)
{
	for (size_t i = g->n_tasks; i-- > 0;) {
		struct graph_task *t = &g->tasks[i];

		if (t->born_ns)
			t->from_ns = t->born_ns;
		if (i + 1 < g->n_tasks && t[1].tid == t->tid)
			t->from_ns = MIN(t->from_ns, t[1].from_ns);
		/* the table has this tid, so tids_set() needs no memory */
		if (t->tid < TIDS_MAX)
			(void)tids_set(b->tids, t->tid, (uint32_t)i);
	}
	g->first_of = TAKE_PTR(b->tids);
	for (size_t i = 0; i < g->n_tasks; i++)
		g->tasks[i].ancestor = graph_task_at(g, g->tasks[i].ptgid, g->tasks[i].born_ns);
}

/* No task of an old trace has CT_TF_TRACER, so the name decides. The META blob of such a trace has no
 * entry "machine", so w->machine is MACHINE_THIS. */
static bool is_old_tracer(const struct window *w, const struct window_task *leader)
{
	return w->machine == MACHINE_THIS && leader && !strcmp(leader->comm, "ctraced");
}

static int graph_tasks(struct graph *g, struct builder *b, uint32_t *renumber)
{
	_cleanup_free_ struct task_key *keys = calloc(b->now.n + 1, sizeof(*keys));

	g->tasks = calloc(b->now.n + 1, sizeof(*g->tasks));
	if (!keys || !g->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < b->now.n; i++)
		keys[i] = (struct task_key){ (uint32_t)i, b->now.v[i].tid };
	qsort(keys, b->now.n, sizeof(*keys), task_key_cmp);
	for (size_t i = 0; i < b->now.n; i++)
		renumber[keys[i].old] = (uint32_t)i;
	for (size_t i = 0; i < b->now.n; i++) {
		const struct task_now *t = &b->now.v[keys[i].old];
		const struct window_task *leader,
			*who = window_task_at(g->w, t->tid,
					      t->exit_ns != UINT64_MAX ? t->exit_ns : g->w->to_ns);
		struct graph_task *to = &g->tasks[i];

		to->tid = t->tid;
		to->born_ns = t->born_ns;
		to->from_ns = t->from_ns;
		to->exit_ns = t->exit_ns;
		to->exit_code = t->exit_code;
		to->prio = t->prio;
		to->parent = t->parent == GRAPH_NONE ? GRAPH_NONE : renumber[t->parent];
		to->tgid = t->tgid ? t->tgid : t->tid;
		if (who) {
			to->tgid = who->tgid;
			to->ptgid = who->ppid;
			to->kthread = who->flags & CT_TF_KTHREAD;
			leader = window_task_at(g->w, who->tgid, who->ts_ns);
			to->tracer = who->flags & CT_TF_TRACER || is_old_tracer(g->w, leader);
			/* a start before the end of the task with this tid before: that of this one */
			if (!to->born_ns && who->start_ns > g->w->state_ns &&
			    (!i || to[-1].tid != to->tid || who->start_ns >= to[-1].exit_ns))
				to->born_ns = who->start_ns;
		}
	}
	g->n_tasks = b->now.n;
	graph_lives(g, b);
	return 0;
}

/* Gives each task a place for its intervals. */
static void graph_places(struct graph *g, const struct builder *b, const uint32_t *renumber)
{
	uint32_t at = 0;

	for (size_t i = 0; i < g->n_tasks; i++)
		g->tasks[renumber[i]].n_intervals = b->now.v[i].n_intervals;
	for (size_t i = 0; i < g->n_tasks; i++) {
		g->tasks[i].first_interval = at;
		at += g->tasks[i].n_intervals;
	}
}

static int graph_cpus(struct graph *g)
{
	g->n_cpus = GRAPH_CPUS_MAX;
	while (g->n_cpus > MIN(g->w->n_cpus, (uint32_t)GRAPH_CPUS_MAX) && !g->n_runs[g->n_cpus - 1])
		g->n_cpus--;
	g->runs = calloc((size_t)g->n_cpus + 1, sizeof(*g->runs));
	if (!g->runs)
		return -ENOMEM;
	for (uint32_t c = 0; c < g->n_cpus; c++) {
		g->runs[c] = malloc((g->n_runs[c] + 1) * sizeof(**g->runs));
		if (!g->runs[c])
			return -ENOMEM;
	}
	return 0;
}

static int look_cmp(const void *a, const void *b)
{
	uint32_t x = ((const struct interval_look *)a)->interval;
	uint32_t y = ((const struct interval_look *)b)->interval;

	return x < y ? -1 : x > y;
}

/* Each time this number of intervals is copied, their old memory is given back. */
#define GIVE_BACK 65536

/* One half of the builder's intervals, while they move to the graph's array. The first half fills the place
 * of each task from its begin, and the second half from its end, so two threads can move them. */
struct half {
	struct graph *g;
	struct builder *b;
	const uint32_t *renumber;
	size_t first, end; /* of the builder's intervals */
	/* The entries of builder.looks that are about this half, and did not get their new interval yet. */
	size_t look, look_end;
	uint32_t *at; /* [task]: the next place in graph.intervals; the second half goes down from it */
	size_t *run;  /* [cpu]: the same in graph.runs */
};

static void half_move(struct half *h, size_t from, uint32_t to, size_t run)
{
	struct graph *g = h->g;
	struct interval *s = &g->intervals[to];

	*s = h->b->intervals.v[from];
	s->task = h->renumber[s->task];
	if (timeline_is_run(s))
		g->runs[s->cpu][run] = to;
}

static void half_done(struct half *h)
{
	free(h->at);
	free(h->run);
}

static void move_first(struct half *h)
{
	struct builder *b = h->b;

	for (size_t i = 0; i < h->end; i++) {
		const struct interval *s = &b->intervals.v[i];
		uint32_t to = h->at[h->renumber[s->task]]++;

		half_move(h, i, to, timeline_is_run(s) ? h->run[s->cpu]++ : 0);
		if (h->look < h->look_end && b->looks.v[h->look].interval == i)
			b->looks.v[h->look++].interval = to;
		if (i % GIVE_BACK == 0)
			huge_give_back(b->intervals.v, i * sizeof(*b->intervals.v));
	}
}

static void move_second(struct half *h)
{
	struct builder *b = h->b;

	for (size_t i = h->end; i-- > h->first;) {
		const struct interval *s = &b->intervals.v[i];
		uint32_t to = --h->at[h->renumber[s->task]];

		half_move(h, i, to, timeline_is_run(s) ? --h->run[s->cpu] : 0);
		if (h->look < h->look_end && b->looks.v[h->look_end - 1].interval == i)
			b->looks.v[--h->look_end].interval = to;
		if (i % GIVE_BACK == 0)
			huge_give_back(b->intervals.v + i, (h->end - i) * sizeof(*b->intervals.v));
	}
}

struct building {
	struct graph *g;
	struct builder b;
	struct window *lean, *frugal; /* as in build() */
	graph_both_fn both;           /* may be NULL */
	uint32_t *renumber;
	struct half halves[2];
	int index_err, timelines_err;
};

static void build_index(void *arg)
{
	struct building *k = arg;

	k->index_err = index_records(k->g);
}

static void build_timelines(void *arg)
{
	struct building *k = arg;
	int r = timeline_replay(&k->b, k->lean);

	k->renumber = r ? NULL : calloc(k->b.now.n + 1, sizeof(*k->renumber));
	if (!r && !k->renumber)
		r = -ENOMEM;
	if (!r)
		r = graph_tasks(k->g, &k->b, k->renumber);
	if (!r)
		graph_places(k->g, &k->b, k->renumber);
	k->timelines_err = r ? r : graph_cpus(k->g);
}

static int halves_init(struct building *k)
{
	struct graph *g = k->g;
	struct builder *b = &k->b;
	size_t n = b->intervals.n, middle = n / 2, looks = 0;

	VEC_SORT(&b->looks, look_cmp);
	while (looks < b->looks.n && b->looks.v[looks].interval < middle)
		looks++;
	k->halves[0] = (struct half){ .end = middle, .look_end = looks };
	k->halves[1] = (struct half){ .first = middle, .end = n, .look = looks, .look_end = b->looks.n };
	for (size_t h = 0; h < ARRAY_SIZE(k->halves); h++) {
		struct half *x = &k->halves[h];

		x->g = g;
		x->b = b;
		x->renumber = k->renumber;
		x->at = malloc((g->n_tasks + 1) * sizeof(*x->at));
		x->run = calloc((size_t)g->n_cpus + 1, sizeof(*x->run));
		if (!x->at || !x->run)
			return -ENOMEM;
		for (size_t t = 0; t < g->n_tasks; t++)
			x->at[t] = g->tasks[t].first_interval + (h ? g->tasks[t].n_intervals : 0);
	}
	memcpy(k->halves[1].run, g->n_runs, g->n_cpus * sizeof(*g->n_runs));
	return 0;
}

static void first_half(void *arg)
{
	move_first(&((struct building *)arg)->halves[0]);
}

static void second_half(void *arg)
{
	move_second(&((struct building *)arg)->halves[1]);
}

static int build_intervals(struct building *k)
{
	struct graph *g = k->g;
	size_t n = k->b.intervals.n;
	int r = halves_init(k);

	g->intervals = r ? NULL : malloc((n + 1) * sizeof(*g->intervals));
	if (!r && g->intervals) {
		/* Small pages save memory here, but all later passes over the intervals take a little longer.
		 * After graph_build(), the caller needs more memory than graph_build() does, so there they
		 * save nothing. */
		if (k->lean)
			huge_avoid(g->intervals, n * sizeof(*g->intervals));
		else
			huge_advise(g->intervals, n * sizeof(*g->intervals));
		g->n_intervals = n;
		if (k->both) {
			k->both(first_half, second_half, k);
		} else {
			first_half(k);
			second_half(k);
		}
		VEC_SORT(&k->b.looks, look_cmp);
		g->n_looks = k->b.looks.n;
		g->looks = TAKE_PTR(k->b.looks.v);
	} else {
		r = -ENOMEM;
	}
	half_done(&k->halves[0]);
	half_done(&k->halves[1]);
	VEC_FREE(&k->b.intervals);
	return r ? r : index_waits(g);
}

/* graph_build_lean() removes records from the window during the replay. So it makes the indices of the
 * records after the replay. */
static int build_parts(struct building *k)
{
	int r;

	if (k->both) {
		k->both(build_index, build_timelines, k);
		if (k->frugal)
			window_drop_cpus(k->frugal);
		r = k->timelines_err ? k->timelines_err : k->index_err;
		return r ? r : build_intervals(k);
	}
	build_timelines(k);
	r = k->timelines_err ? k->timelines_err : build_intervals(k);
	if (r)
		return r;
	build_index(k);
	return k->index_err;
}

static int build_end(struct graph *g)
{
	int r = index_tasks(g);

	g->repeats = r ? NULL : calloc(g->n_tasks + 1, sizeof(*g->repeats));
	g->gone = r ? NULL : calloc(g->w->n_objects + 1, sizeof(*g->gone));
	return r || (g->repeats && g->gone) ? r : -ENOMEM;
}

static void builder_done(struct builder *b)
{
	VEC_FREE(&b->intervals);
	VEC_FREE(&b->now);
	VEC_FREE(&b->looks);
	VEC_FREE(&b->live);
	VEC_FREE(&b->on_cpu);
	tids_free(b->tids);
	map_done(&b->by_tid);
}

/* lean, frugal: as in graph_build_lean() and graph_build_frugal(), or NULL. */
static int build(const struct window *w, struct window *lean, struct window *frugal, graph_both_fn both,
		 struct graph **ret)
{
	size_t n_records = w->n_events;
	struct graph *g = calloc(1, sizeof(*g));
	struct building k = { .g = g, .b = { .w = w }, .lean = lean, .frugal = frugal, .both = both };
	int r = -ENOMEM;

	if (!g)
		return -ENOMEM;
	g->w = w;
	g->scans = calloc(1, sizeof(*g->scans));
	g->n_runs = k.b.n_runs = calloc(GRAPH_CPUS_MAX, sizeof(*g->n_runs));
	k.b.tids = calloc(1, sizeof(*k.b.tids));
	if (g->scans && g->n_runs && k.b.tids)
		r = build_parts(&k);
	if (!r)
		r = build_end(g);
	g->dropped = k.b.dropped.v;
	g->n_dropped = k.b.dropped.n;
	builder_done(&k.b);
	free(k.renumber);
	if (r) {
		graph_free(g);
		return r;
	}
	g->scans->left =
		GRAPH_SCAN_STEPS + GRAPH_SCAN_STEPS_EACH * ((uint64_t)n_records + w->n_objects + g->n_tasks);
	*ret = g;
	return 0;
}

int graph_build(const struct window *w, struct graph **ret)
{
	return build(w, NULL, NULL, NULL, ret);
}

int graph_build_both(const struct window *w, graph_both_fn both, struct graph **ret)
{
	return build(w, NULL, NULL, both, ret);
}

int graph_build_frugal(struct window *w, graph_both_fn both, struct graph **ret)
{
	return build(w, NULL, w, both, ret);
}

int graph_build_lean(struct window *w, struct graph **ret)
{
	return build(w, w, NULL, NULL, ret);
}

uint64_t graph_scans_refused(const struct graph *g)
{
	return __atomic_load_n(&g->scans->refused, __ATOMIC_RELAXED);
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	if (g->runs)
		for (uint32_t c = 0; c < g->n_cpus; c++)
			free(g->runs[c]);
	free(g->runs);
	free(g->n_runs);
	free(g->disk_waits);
	free(g->looks);
	free(g->dropped);
	index_drop(g);
	for (size_t i = 0; g->repeats && i < g->n_tasks; i++)
		free(g->repeats[i]);
	free(g->repeats);
	for (size_t i = 0; g->gone && i < g->w->n_objects; i++)
		free(g->gone[i]);
	free(g->gone);
	free(g->tasks);
	tids_free(g->first_of);
	free(g->intervals);
	free(g->scans);
	free(g);
}
