// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/timeline/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "lib/huge.h"

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

static bool is_run(const struct graph *g, const struct interval *s)
{
	return s->state == INTERVAL_RUNNING && s->cpu < g->n_cpus;
}

static int graph_cpus(struct graph *g, const struct builder *b)
{
	g->n_cpus = MIN(g->w->n_cpus, (uint32_t)GRAPH_CPUS_MAX);
	for (size_t i = 0; i < b->intervals.n; i++)
		if (b->intervals.v[i].state == INTERVAL_RUNNING && b->intervals.v[i].cpu < GRAPH_CPUS_MAX)
			g->n_cpus = MAX(g->n_cpus, (uint32_t)b->intervals.v[i].cpu + 1);
	g->runs = calloc((size_t)g->n_cpus + 1, sizeof(*g->runs));
	g->n_runs = calloc((size_t)g->n_cpus + 1, sizeof(*g->n_runs));
	if (!g->runs || !g->n_runs)
		return -ENOMEM;
	for (size_t i = 0; i < b->intervals.n; i++)
		if (is_run(g, &b->intervals.v[i]))
			g->n_runs[b->intervals.v[i].cpu]++;
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

static bool is_disk_wait(const struct graph *g, const struct interval *s)
{
	enum ct_obj_kind kind = CT_OBJ_KIND(s->obj);

	return s->state == INTERVAL_BLOCKED && s->st & CT_ST_DISK &&
	       (kind == CT_OBJ_FILE || kind == CT_OBJ_BLOCKDEV) && !g->tasks[s->task].kthread;
}

static int graph_disk_waits(struct graph *g)
{
	size_t n = 0;

	if (!g->n_disk_waits)
		return 0;
	g->disk_waits = malloc(g->n_disk_waits * sizeof(*g->disk_waits));
	if (!g->disk_waits)
		return -ENOMEM;
	for (size_t i = 0; i < g->n_intervals; i++)
		if (is_disk_wait(g, &g->intervals[i]))
			g->disk_waits[n++] = (uint32_t)i;
	return 0;
}

/* graph_intervals() gives memory back each time it has copied this number of intervals */
#define GIVE_BACK 65536

static int graph_intervals(struct graph *g, struct builder *b, const uint32_t *renumber, bool lean)
{
	_cleanup_free_ uint32_t *end = calloc(g->n_tasks + 1, sizeof(*end));
	_cleanup_free_ size_t *run_end = calloc((size_t)g->n_cpus + 1, sizeof(*run_end));
	size_t look = b->looks.n;
	uint32_t at = 0;

	g->intervals = malloc((b->intervals.n + 1) * sizeof(*g->intervals));
	if (!end || !run_end || !g->intervals)
		return -ENOMEM;
	/* Small pages save memory here, but all later passes over the intervals take a little longer. After
	 * graph_build(), the caller needs more memory than graph_build() does, so there they save nothing. */
	if (lean)
		huge_avoid(g->intervals, b->intervals.n * sizeof(*g->intervals));
	else
		huge_advise(g->intervals, b->intervals.n * sizeof(*g->intervals));
	memcpy(run_end, g->n_runs, g->n_cpus * sizeof(*run_end));
	VEC_SORT(&b->looks, look_cmp);
	for (size_t i = 0; i < b->intervals.n; i++)
		g->tasks[renumber[b->intervals.v[i].task]].n_intervals++;
	for (size_t i = 0; i < g->n_tasks; i++) {
		g->tasks[i].first_interval = at;
		end[i] = at += g->tasks[i].n_intervals;
	}
	g->n_intervals = b->intervals.n;
	/* backward, so that the builder's array can shrink meanwhile */
	for (size_t i = b->intervals.n; i-- > 0;) {
		uint32_t task = renumber[b->intervals.v[i].task];
		struct interval *to = &g->intervals[--end[task]];

		*to = b->intervals.v[i];
		to->task = task;
		if (look && b->looks.v[look - 1].interval == i)
			b->looks.v[--look].interval = end[task];
		if (is_run(g, to))
			g->runs[to->cpu][--run_end[to->cpu]] = end[task];
		g->n_disk_waits += is_disk_wait(g, to);
		if (i && i % GIVE_BACK == 0) {
			struct interval *less = realloc(b->intervals.v, i * sizeof(*less));

			if (less)
				b->intervals.v = less;
		}
	}
	VEC_SORT(&b->looks, look_cmp);
	g->n_looks = b->looks.n;
	g->looks = TAKE_PTR(b->looks.v);
	return 0;
}

struct building {
	struct graph *g;
	struct builder b;
	struct window *lean; /* as in build() */
	int index_err, timelines_err;
};

static void build_index(void *arg)
{
	struct building *k = arg;

	k->index_err = index_records(k->g);
}

static int make_timelines(struct building *k, uint32_t *renumber)
{
	struct graph *g = k->g;
	int r = graph_tasks(g, &k->b, renumber);

	if (!r)
		r = graph_cpus(g, &k->b);
	if (!r)
		r = graph_intervals(g, &k->b, renumber, k->lean != NULL);
	VEC_FREE(&k->b.intervals);
	if (!r)
		r = graph_disk_waits(g);
	return r ? r : index_waits(g);
}

static void build_timelines(void *arg)
{
	struct building *k = arg;
	_cleanup_free_ uint32_t *renumber = NULL;

	k->timelines_err = timeline_replay(&k->b, k->lean);
	if (k->timelines_err)
		return;
	renumber = calloc(k->b.now.n + 1, sizeof(*renumber));
	k->timelines_err = renumber ? make_timelines(k, renumber) : -ENOMEM;
}

/* graph_build_lean() removes records from the window during the replay. So it makes the indices of the
 * records after the replay. */
static int build_parts(struct building *k, graph_both_fn both)
{
	if (both) {
		both(build_index, build_timelines, k);
	} else {
		build_timelines(k);
		if (!k->timelines_err)
			build_index(k);
	}
	return k->timelines_err ? k->timelines_err : k->index_err;
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

static int build(const struct window *w, struct window *lean, graph_both_fn both, struct graph **ret)
{
	size_t n_records = w->n_events;
	struct graph *g = calloc(1, sizeof(*g));
	struct building k = { .g = g, .b = { .w = w }, .lean = lean };
	int r = -ENOMEM;

	if (!g)
		return -ENOMEM;
	g->w = w;
	g->scans = calloc(1, sizeof(*g->scans));
	k.b.tids = calloc(1, sizeof(*k.b.tids));
	if (g->scans && k.b.tids)
		r = build_parts(&k, both);
	if (!r)
		r = build_end(g);
	g->dropped = k.b.dropped.v;
	g->n_dropped = k.b.dropped.n;
	builder_done(&k.b);
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
	return build(w, NULL, NULL, ret);
}

int graph_build_both(const struct window *w, graph_both_fn both, struct graph **ret)
{
	return build(w, NULL, both, ret);
}

int graph_build_lean(struct window *w, struct graph **ret)
{
	return build(w, w, NULL, ret);
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
