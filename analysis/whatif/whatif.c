// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/whatif/whatif.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/whatif/replay.h"
#include "lib/cleanup.h"

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
	size_t n_waits = 0;
	struct whatif *x;

	if (task == GRAPH_NONE || task >= g->n_tasks || from_ns >= to_ns)
		return -EINVAL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	*x = (struct whatif){ .g = g, .task = task, .from_ns = from_ns, .to_ns = to_ns };
	x->cause_of = calloc(g->n_intervals + 1, sizeof(*x->cause_of));
	x->arrivals_of = calloc(g->n_tasks, sizeof(*x->arrivals_of));
	for (size_t i = 0; i < g->n_intervals; i++)
		n_waits += g->intervals[i].state == INTERVAL_BLOCKED;
	x->causes = malloc((n_waits + 1) * sizeof(*x->causes));
	if (!x->cause_of || !x->arrivals_of || !x->causes) {
		whatif_free(x);
		return -ENOMEM;
	}
	*ret = x;
	return 0;
}

void whatif_prepare(struct whatif *x, const struct path *p)
{
	_cleanup_free_ bool *on_path = calloc(x->g->n_tasks, sizeof(*on_path));

	for (size_t i = 0; on_path && i < p->n_frames; i++)
		on_path[p->frames[i].task] = true;
	for (uint32_t t = 0; on_path && t < x->g->n_tasks; t++) {
		const struct graph_task *task = &x->g->tasks[t];
		uint32_t end = task->first_interval + task->n_intervals,
			 i = on_path[t] ? graph_interval_at(x->g, t, x->from_ns) : end;

		for (; i < end && x->g->intervals[i].from_ns < x->to_ns; i++)
			if (x->g->intervals[i].state == INTERVAL_BLOCKED)
				whatif_cause(x, i);
	}
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
	free(x);
}
