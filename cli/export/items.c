// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

bool export_is_of(const struct export *x, uint32_t a, uint32_t b)
{
	return (a != GRAPH_NONE && x->tasks[a]) || (b != GRAPH_NONE && x->tasks[b]);
}

bool export_stopped(const struct export *x)
{
	return x->f == stdout ? cli_output_broken() : x->f && ferror(x->f);
}

const char *export_name(const struct graph *g, uint32_t task, uint64_t ts_ns, char buf[EXPORT_NAME_MAX])
{
	describe_clean(graph_comm(g, task, ts_ns), buf, EXPORT_NAME_MAX);
	return buf;
}

const char *export_last_name(const struct export *x, uint32_t task, char buf[EXPORT_NAME_MAX])
{
	return export_name(x->g, task, MIN(x->g->tasks[task].exit_ns, x->to_ns) - 1, buf);
}

const char *export_who(const struct graph *g, uint32_t task, uint64_t ts_ns, char buf[EXPORT_NAME_MAX])
{
	char name[EXPORT_NAME_MAX];

	snprintf(buf, EXPORT_NAME_MAX, "%.*s[%u]", CT_COMM_LEN * 4, export_name(g, task, ts_ns, name),
		 g->tasks[task].tid);
	return buf;
}

const char *export_path_title(const struct export *x, char buf[EXPORT_TITLE_MAX])
{
	char who[EXPORT_NAME_MAX];

	snprintf(buf, EXPORT_TITLE_MAX, "critical path of %s",
		 export_who(x->g, x->path->frames[0].task, x->to_ns - 1, who));
	return buf;
}

static void find_folded(struct export_item *item)
{
	struct interval_sums sums;

	item->state = "folded";
	item->time = time_kind_name(TIME_SHORT);
	if (!interval_sums(item->s, item->from_ns, item->to_ns, &sums))
		return;
	item->running_ns = sums.ran_ns;
	item->runnable_ns = sums.queued_ns;
	item->waiting_ns = item->to_ns - item->from_ns - sums.ran_ns - sums.queued_ns;
}

static void find_state(const struct export *x, struct export_item *item)
{
	uint64_t ns = item->to_ns - item->from_ns;

	switch ((enum interval_state)item->s->state) {
	case INTERVAL_RUNNING:
		item->state = item->time = "running";
		item->running_ns = ns;
		item->cpu = item->s->cpu;
		return;
	case INTERVAL_RUNNABLE:
		item->state = item->time = "runnable";
		item->runnable_ns = ns;
		return;
	case INTERVAL_BLOCKED:
		blame_wait(x->g, (uint32_t)(item->s - x->g->intervals), x->to_ns, &item->blame);
		item->state = "blocked";
		item->time = time_kind_name((enum time_kind)item->blame.time);
		item->waiting_ns = ns;
		item->blocked = true;
		return;
	case INTERVAL_FOLDED:
		find_folded(item);
		return;
	case INTERVAL_UNKNOWN:
		break;
	}
	item->state = item->time = "unknown";
}

void export_progress(const struct export *x, const char *what, size_t done, size_t all)
{
	/* On a terminal, the export itself would be mixed with the line. */
	if (all < EXPORT_LARGE || done % EXPORT_LARGE || (x->f == stdout && cli_is_terminal()))
		return;
	cli_progress((void *)(uintptr_t)what, (unsigned)(100 * done / all));
}

void export_progress_end(const struct export *x, size_t all)
{
	if (all >= EXPORT_LARGE && !(x->f == stdout && cli_is_terminal()))
		cli_progress(NULL, 100);
}

void export_items(const struct export *x, export_item_fn fn, void *arg)
{
	const struct graph *g = x->g;

	for (uint32_t task = 0; task < g->n_tasks && !export_stopped(x); task++) {
		const struct graph_task *t = &g->tasks[task];
		uint32_t end = t->first_interval + t->n_intervals;
		uint32_t i = x->tasks[task] ? graph_interval_at(g, task, x->from_ns) : end;

		for (; i < end && g->intervals[i].from_ns < x->to_ns && !export_stopped(x); i++) {
			const struct interval *s = &g->intervals[i];
			struct export_item item = { .s = s,
						    .from_ns = MAX(s->from_ns, x->from_ns),
						    .to_ns = MIN(s->to_ns, x->to_ns),
						    .cpu = FORMAT_CPU_NONE };

			export_progress(x, "Writing intervals", i, g->n_intervals);
			if (item.from_ns >= item.to_ns)
				continue;
			find_state(x, &item);
			fn(arg, &item);
		}
	}
	export_progress_end(x, g->n_intervals);
}

void export_edges(const struct export *x, export_edge_fn fn, void *arg)
{
	const struct causal *c = x->c;

	for (size_t i = 0; i < c->n_edges && !export_stopped(x); i++) {
		const struct edge *e = &c->edges[i];
		struct export_edge edge = { .e = e,
					    .from = e->from == GRAPH_NONE ? GRAPH_NONE
									  : c->segments[e->from].task,
					    .to = c->segments[e->to].task,
					    .left_ns = edge_left_ns(c, e),
					    .arrived_ns = edge_arrived_ns(c, e) };

		export_progress(x, "Writing edges", i, c->n_edges);
		if (edge.arrived_ns < x->from_ns || edge.arrived_ns >= x->to_ns)
			continue;
		if (x->tasks[edge.to] || (edge.from != GRAPH_NONE && x->tasks[edge.from]))
			fn(arg, &edge);
	}
	export_progress_end(x, c->n_edges);
}

bool export_is_arrow(const struct export *x, const struct export_edge *edge)
{
	return edge->from != GRAPH_NONE && edge->from != edge->to && edge->left_ns >= x->from_ns;
}

int export_flame(const struct export *x, struct flame *ret)
{
	int r = flame_init(ret);

	for (uint32_t i = 0; i < x->g->n_tasks && !r; i++) {
		if (!x->tasks[i])
			continue;
		if (x->g->n_intervals >= EXPORT_LARGE)
			cli_progress_count("Tasks", i, x->g->n_tasks);
		r = flame_add(ret, x->g, x->kind, i, x->from_ns, x->to_ns);
	}
	export_progress_end(x, x->g->n_intervals);
	return r ? cli_error("out of memory; narrow the window with --from and --to") : CLI_OK;
}
