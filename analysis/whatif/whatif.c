// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/whatif.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/whatif/replay.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

int whatif_saved(struct whatif *x, const struct whatif_without *v, size_t n, uint64_t *ret_ns)
{
	return replay_saved(x, &(struct question){ v, n }, 1, ret_ns);
}

uint64_t whatif_refused(const struct whatif *x)
{
	return x->refused;
}

int whatif_link(struct whatif *x, struct causal_links *links, graph_both_fn both)
{
	return link_tasks(x, links, both);
}

int whatif_new(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct whatif **ret)
{
	struct whatif *x;

	if (task == GRAPH_NONE || task >= g->n_tasks || from_ns >= to_ns)
		return -EINVAL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	*x = (struct whatif){ .g = g, .task = task, .from_ns = from_ns, .to_ns = to_ns };
	x->cause_of = calloc(g->n_intervals + 1, sizeof(*x->cause_of));
	x->arrivals_of = calloc(g->n_tasks, sizeof(*x->arrivals_of));
	x->causes = malloc((g->n_waits + 1) * sizeof(*x->causes));
	if (!x->cause_of || !x->arrivals_of || !x->causes) {
		whatif_free(x);
		return -ENOMEM;
	}
	*ret = x;
	return 0;
}

#define PREPARE_PART 1024

struct preparing {
	struct whatif *x;
	const bool *stop; /* as in whatif_prepare() */
};

static bool may_go_on(const struct preparing *k)
{
	return !k->stop || !__atomic_load_n(k->stop, __ATOMIC_RELAXED);
}

static void prepare_parts(void *arg)
{
	struct preparing *k = arg;
	struct whatif *x = k->x;
	const struct interval *s = x->g->intervals;
	size_t n;

	while (may_go_on(k) && (n = __atomic_fetch_add(&x->next_part, 1, __ATOMIC_RELAXED)) < x->parts.n) {
		uint32_t end = x->parts.v[n].end;

		for (uint32_t i = x->parts.v[n].first; i < end && s[i].from_ns < x->to_ns; i++)
			if (s[i].state == INTERVAL_BLOCKED)
				whatif_cause(x, i);
	}
}

static int prepare_task(struct whatif *x, uint32_t task)
{
	const struct graph *g = x->g;
	uint32_t end = g->tasks[task].first_interval + g->tasks[task].n_intervals;
	int r = 0;

	for (uint32_t i = graph_interval_at(g, task, x->from_ns), to; i < end && !r; i = to) {
		to = end - i > PREPARE_PART ? i + PREPARE_PART : end;
		if (g->intervals[i].from_ns >= x->to_ns)
			break;
		r = VEC_PUSH(&x->parts, (struct some_intervals){ i, to });
	}
	return r;
}

static int prepare_path(struct whatif *x, const struct path *p)
{
	_cleanup_free_ bool *on_path = calloc(x->g->n_tasks, sizeof(*on_path));
	int r = on_path ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < p->n_frames; i++)
		on_path[p->frames[i].task] = true;
	for (uint32_t t = 0; !r && t < x->g->n_tasks; t++)
		if (on_path[t])
			r = prepare_task(x, t);
	return r;
}

void whatif_prepare(struct whatif *x, const struct path *p, graph_both_fn both, const bool *stop)
{
	struct preparing k = { .x = x, .stop = stop };
	int r = x->parts.n ? 0 : prepare_path(x, p);

	if (!r && both)
		both(prepare_parts, prepare_parts, &k);
	else if (!r)
		prepare_parts(&k);
}

void whatif_free(struct whatif *x)
{
	if (!x)
		return;
	free(x->cause_of);
	free(x->arrivals_of);
	free(x->causes);
	free(x->arrivals);
	VEC_FREE(&x->looks);
	VEC_FREE(&x->parts);
	free(x);
}
