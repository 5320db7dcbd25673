// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/taken.h"

#include <errno.h>
#include <stdlib.h>

#include "graph/path/path.h"
#include "lib/cleanup.h"

static void take_tasks(struct taken *t, const struct whatif_without *v, uint32_t set)
{
	const struct graph_task *tasks = t->x->g->tasks;

	t->any_tasks |= set;
	if (v->kind == WHATIF_TASK)
		t->tasks[v->task] |= set;
	for (size_t i = 0; v->kind == WHATIF_PROCESS && i < t->x->g->n_tasks; i++)
		if (tasks[i].tgid == tasks[v->task].tgid)
			t->tasks[i] |= set;
}

static int take(struct taken *t, const struct whatif_without *v, uint32_t set)
{
	struct taken_thing thing = { .v = v, .set = set };

	switch (v->kind) {
	case WHATIF_WAITS:
		thing.cause = whatif_cause(t->x, v->interval);
		return VEC_PUSH(&t->waits, thing);
	case WHATIF_WAIT:
		return VEC_PUSH(&t->waits, thing);
	case WHATIF_RESOURCE:
		t->times[v->time] |= set;
		return 0;
	case WHATIF_TASK:
	case WHATIF_PROCESS:
		take_tasks(t, v, set);
		return 0;
	case WHATIF_OBJECT:
		return VEC_PUSH(&t->objects, thing);
	}
	return 0;
}

int taken_init(struct taken *t, struct whatif *x, const struct question *v, size_t n)
{
	int r = 0;

	*t = (struct taken){ .x = x, .tasks = calloc(x->g->n_tasks, sizeof(*t->tasks)) };
	if (!t->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < v[i].n && !r; j++)
			r = take(t, &v[i].v[j], 1u << i);
	return r;
}

void taken_done(struct taken *t)
{
	free(t->tasks);
	VEC_FREE(&t->waits);
	VEC_FREE(&t->objects);
}

static bool on_device(const struct graph *g, uint64_t obj, uint64_t device)
{
	const struct window_object *o = CT_OBJ_KIND(device) == CT_OBJ_BLOCKDEV ? graph_object(g, obj) : NULL;

	return o && o->dev && CT_OBJ_ID(CT_OBJ_BLOCKDEV, o->dev) == device;
}

uint32_t taken_object(const struct taken *t, uint64_t obj)
{
	uint32_t set = 0;

	for (size_t i = 0; i < t->objects.n && obj; i++) {
		uint64_t object = t->objects.v[i].v->obj;

		if (object == obj || on_device(t->x->g, obj, object))
			set |= t->objects.v[i].set;
	}
	return set;
}

uint32_t taken_wait(const struct taken *t, uint32_t interval)
{
	const struct interval *s = t->x->g->intervals;
	struct cause c = whatif_cause(t->x, interval);
	uint32_t set = t->times[c.time] | taken_object(t, c.obj);

	for (size_t i = 0; i < t->waits.n; i++) {
		const struct taken_thing *w = &t->waits.v[i];

		if (w->v->interval == interval ||
		    (w->v->kind == WHATIF_WAITS && s[w->v->interval].task == s[interval].task &&
		     w->cause.obj == c.obj && w->cause.task == c.task && w->cause.edge == c.edge &&
		     w->cause.kind == c.kind))
			set |= w->set;
	}
	return set;
}

/* Returns 0 if the arrival has no object. Slow, because the function reads a record of the
 * window. */
static uint64_t arrival_obj(const struct whatif *x, const struct arrival *a)
{
	return a->event == GRAPH_NONE ? 0 : x->g->w->events[a->event].r.obj;
}

uint32_t taken_arrival(const struct taken *t, uint32_t task, const struct arrival *a)
{
	uint32_t set = t->objects.n ? taken_object(t, arrival_obj(t->x, a)) : 0;

	for (size_t i = 0; i < t->waits.n; i++) {
		const struct taken_thing *w = &t->waits.v[i];

		if (w->v->kind == WHATIF_WAITS && t->x->g->intervals[w->v->interval].task == task &&
		    (w->cause.task == a->from || (w->cause.obj && w->cause.obj == arrival_obj(t->x, a))))
			set |= w->set;
	}
	return set;
}

void taken_rivals(const struct taken *t, uint32_t set, uint32_t interval, uint64_t from_ns, uint64_t to_ns,
		  size_t *near, int64_t *ns)
{
	const struct graph *g = t->x->g;
	uint32_t cpu = path_cpu_wanted(g, interval);
	uint64_t at = from_ns;

	if (cpu >= g->n_cpus)
		return;
	near[cpu] = path_run_near(g, cpu, from_ns, near[cpu]);
	for (size_t i = near[cpu]; i < g->n_runs[cpu]; i++) {
		const struct interval *run = graph_run(g, cpu, i);
		uint64_t from = MAX(at, run->from_ns), to = MIN(to_ns, run->to_ns);

		if (run->from_ns >= to_ns)
			break;
		if (from >= to)
			continue;
		taken_add(set & t->tasks[run->task], (int64_t)(to - from), ns);
		at = to;
	}
}
