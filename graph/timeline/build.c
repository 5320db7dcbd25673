// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/timeline/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

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

struct building {
	struct graph *g;
	struct builder b;
	struct window *lean, *frugal; /* as in build() */
	graph_both_fn both;           /* may be NULL */
	uint32_t *renumber;
	struct placing *placing;
	struct index_lists *lists;
	int index_err, timelines_err;
};

static void build_index(void *arg)
{
	struct building *k = arg;

	k->index_err = index_collect(k->g, &k->lists);
}

static void build_timelines(void *arg)
{
	struct building *k = arg;
	int r = timeline_replay(&k->b, k->lean);

	k->renumber = r ? NULL : calloc(k->b.now.n + 1, sizeof(*k->renumber));
	if (!r && !k->renumber)
		r = -ENOMEM;
	k->timelines_err = r ? r : graph_tasks(k->g, &k->b, k->renumber);
}

static void build_intervals(void *arg)
{
	struct building *k = arg;
	int r = place_intervals(k->placing);

	k->timelines_err = r ? r : index_waits(k->g);
	index_some(k->lists);
}

static void build_others(void *arg)
{
	struct building *k = arg;

	place_others(k->placing);
	index_some(k->lists);
}

static void build_one(void (*a)(void *arg), void (*b)(void *arg), void *arg)
{
	a(arg);
	b(arg);
}

/* graph_build_lean() removes records from the window during the replay. So it makes the indices of the
 * records after the replay. */
static int build_parts(struct building *k)
{
	int r;

	if (k->both)
		k->both(build_index, build_timelines, k);
	else
		build_timelines(k);
	if (k->frugal)
		window_drop_cpus(k->frugal);
	r = k->timelines_err ? k->timelines_err : k->index_err;
	if (!r)
		r = place_new(k->g, &k->b, k->renumber, &k->placing);
	if (!r) {
		(k->both ? k->both : build_one)(build_intervals, build_others, k);
		r = k->timelines_err;
	}
	if (!r && !k->both) {
		build_index(k);
		index_some(k->lists);
		r = k->index_err;
	}
	return index_settle(k->g, k->lists, r);
}

static int build_end(struct graph *g)
{
	int r = index_tasks(g);

	g->repeats = r ? NULL : calloc(g->n_tasks + 1, sizeof(*g->repeats));
	g->gone = r ? NULL : calloc(g->w->n_objects + 1, sizeof(*g->gone));
	g->received = r ? NULL : calloc(1, sizeof(*g->received));
	return r || (g->repeats && g->gone && g->received) ? r : -ENOMEM;
}

static void builder_done(struct builder *b)
{
	for (size_t cpu = 0; b->runs && cpu < GRAPH_CPUS_MAX; cpu++)
		VEC_FREE(&b->runs[cpu]);
	free(b->runs);
	VEC_FREE(&b->intervals);
	VEC_FREE(&b->blocks);
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
	k.b.runs = calloc(GRAPH_CPUS_MAX, sizeof(*k.b.runs));
	k.b.tids = calloc(1, sizeof(*k.b.tids));
	if (g->scans && k.b.runs && k.b.tids)
		r = build_parts(&k);
	if (!r)
		r = build_end(g);
	g->dropped = k.b.dropped.v;
	g->n_dropped = k.b.dropped.n;
	builder_done(&k.b);
	place_free(k.placing);
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
	if (g->received)
		free(*g->received);
	free(g->received);
	free(g->tasks);
	tids_free(g->first_of);
	free(g->intervals);
	free(g->scans);
	free(g);
}
