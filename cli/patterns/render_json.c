// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/patterns/render.h"

#include "cli/text.h"
#include "lib/cleanup.h"

static json_t *counts_json(const struct patterns *all, const struct pattern *p)
{
	json_t *v = json_array();

	for (size_t i = 0; i < all->n_transactions && i < PATTERNS_COUNTS; i++)
		json_array_append_new(v, json_integer(p->counts[i]));
	return v;
}

static json_t *pattern_json(const struct patterns *all, const struct pattern *p)
{
	double events = (double)p->events / (double)MAX(all->n_events, (size_t)1);
	double ns = (double)p->ns / (double)MAX(all->ns, (uint64_t)1);

	return json_pack(
		"{s:o, s:o, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:b, s:I, s:I, s:f, s:f, s:I, s:o, s:o}",
		"text", text_json(p->text), "key", text_json(p->key), "total", (json_int_t)p->total, "min",
		(json_int_t)p->min, "max", (json_int_t)p->max, "in_a_row", (json_int_t)p->in_a_row, "first",
		p->first, "last", p->last, "correlation", p->correlation, "grows", (int)p->grows, "events",
		(json_int_t)p->events, "ns", (json_int_t)p->ns, "share_events", events, "share_ns", ns,
		"variants", (json_int_t)p->n_variants, "example",
		p->example[0] ? text_json(p->example) : json_null(), "counts", counts_json(all, p));
}

static json_t *action_json(const struct patterns_view *v)
{
	const struct graph_task *t = &v->g->tasks[v->task];

	return json_pack("{s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I}", "kind",
			 collect_action_name(v->collected->action), "pid", (json_int_t)t->tgid, "tid",
			 (json_int_t)t->tid, "comm", text_json(graph_comm(v->g, v->task, v->to_ns)),
			 "from_ns", (json_int_t)clock_mono_ns(v->from_ns, &v->g->w->offsets), "to_ns",
			 (json_int_t)clock_mono_ns(v->to_ns, &v->g->w->offsets), "transactions",
			 (json_int_t)v->patterns->n_transactions, "events", (json_int_t)v->patterns->n_events,
			 "ns", (json_int_t)v->patterns->ns, "tasks", (json_int_t)v->collected->n_tasks,
			 "lower_bound", (int)!!(v->collected->lacks & CT_LACK_MESSAGES), "refused",
			 (json_int_t)v->patterns->refused);
}

int render_patterns_json(const struct patterns_view *v, size_t top)
{
	const struct patterns *all = v->patterns;
	json_t *patterns = json_array();

	for (size_t i = 0; i < all->n && i < top; i++)
		json_array_append_new(patterns, pattern_json(all, &all->v[i]));
	return text_print_json(json_pack("{s:s, s:o, s:o, s:I}", "schema", "ctrace.patterns/1", "action",
					 action_json(v), "patterns", patterns, "left_out",
					 (json_int_t)(all->n + all->left_out - MIN(all->n, top))));
}

int render_patterns_changes_json(const struct patterns_view *before, const struct patterns_view *now,
				 const struct pattern_change *changes, size_t n, size_t top)
{
	json_t *v = json_array();

	for (size_t i = 0; i < n && i < top; i++) {
		const struct pattern_change *c = &changes[i];

		json_array_append_new(
			v, json_pack("{s:f, s:f, s:o, s:o}", "was", c->was, "is", c->is, "before",
				     c->before ? pattern_json(before->patterns, c->before) : json_null(),
				     "now", c->now ? pattern_json(now->patterns, c->now) : json_null()));
	}
	return text_print_json(json_pack("{s:s, s:o, s:o, s:o, s:I}", "schema", "ctrace.patterns/1", "before",
					 action_json(before), "action", action_json(now), "changes", v,
					 "left_out", (json_int_t)(n - MIN(n, top))));
}
