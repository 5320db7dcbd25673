// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/crashes/render.h"

#include "report/cgroup_name.h"
#include "cli/text.h"
#include "trace/words/describe.h"

static json_t *mono(const struct crashes *cs, uint64_t ns)
{
	return ns == UINT64_MAX ? json_null()
				: json_integer((json_int_t)clock_mono_ns(ns, &cs->g->w->offsets));
}

static json_t *task_json(const struct crashes *cs, uint32_t task, uint64_t ns)
{
	const struct graph_task *t = &cs->g->tasks[task];
	struct cgroup_name p = graph_place(cs->g, task, ns);
	json_t *o = json_pack("{s:I, s:I, s:o}", "pid", (json_int_t)t->tgid, "tid", (json_int_t)t->tid,
			      "comm", text_json(graph_comm(cs->g, task, ns)));

	return render_cgroup_name(o, &p);
}

static json_t *stack_json(const struct crashes *cs, const struct crash *c)
{
	const struct window_stack *s = c->stack ? window_stack(cs->g->w, c->stack) : NULL;
	json_t *frames = s ? json_array() : json_null();

	for (uint16_t i = 0; s && i < s->n_frames; i++)
		json_array_append_new(frames, text_json(s->frames[i]));
	return frames;
}

static json_t *edge_json(const struct crashes *cs, uint32_t edge)
{
	const struct edge *e = edge == GRAPH_NONE ? NULL : &cs->c->edges[edge];
	char object[DESCRIBE_MAX] = "", text[EDGE_EXPLAIN_MAX];

	if (!e)
		return json_null();
	if (edge_object(cs->c, e))
		describe_object(cs->g->w, edge_object(cs->c, e), object, sizeof(object));
	edge_explain(cs->c, e, text, sizeof(text));
	return json_pack("{s:s, s:s, s:o, s:o}", "kind", edge_kind_name(e->kind), "strength",
			 edge_strength_name(e->strength), "object", text_json(object), "text",
			 text_json(text));
}

static json_t *step_json(const struct crashes *cs, const struct slice_step *x)
{
	const struct segment *s = &cs->c->segments[x->segment];
	json_t *o = task_json(cs, s->task, x->at_ns);

	if (!o)
		return NULL;
	json_object_set_new(o, "at_ns", mono(cs, x->at_ns));
	json_object_set_new(o, "behalf",
			    s->behalf == GRAPH_NONE ? json_null() : task_json(cs, s->behalf, s->from_ns));
	json_object_set_new(o, "edge", edge_json(cs, x->edge));
	return o;
}

static json_t *path_json(const struct crashes *cs, const struct crash *c)
{
	json_t *steps;

	if (!c->path)
		return json_null();
	steps = json_array();
	for (size_t i = 0; i < c->path->n_steps; i++)
		json_array_append_new(steps, step_json(cs, &c->path->steps[i]));
	return json_pack("{s:o, s:s, s:f, s:o}", "steps", steps, "end", slice_end_name(c->path->end), "score",
			 (double)c->path->score, "end_edge", edge_json(cs, c->path->end_edge));
}

static json_t *certain_json(const struct crashes *cs, const struct crash *c)
{
	return json_pack("{s:b, s:b, s:b, s:b}", "end", c->confirmed, "task", c->task_known, "stack",
			 c->stack != 0, "path", crash_path_certain(cs, c));
}

static json_t *crash_json(const struct crashes *cs, const struct crash *c)
{
	const char *signal = describe_signal(c->signal), *words = crash_code_words(c),
		   *cmdline = graph_cmdline(cs->g, c->task, c->at_ns);
	json_t *o = task_json(cs, c->task, c->at_ns - 1);

	if (!o)
		return NULL;
	if (cmdline[0])
		json_object_set_new(o, "cmdline", text_json(cmdline));
	json_object_set_new(o, "how", json_string(crash_how_name(c->how)));
	json_object_set_new(o, "signal", c->signal ? json_integer(c->signal) : json_null());
	json_object_set_new(o, "signal_name", signal ? json_string(signal) : json_null());
	json_object_set_new(o, "reason", words ? json_string(words) : json_null());
	json_object_set_new(o, "status", c->signal ? json_null() : json_integer(c->status));
	json_object_set_new(o, "core_dumped", json_boolean(c->dumped));
	json_object_set_new(o, "at_ns", mono(cs, c->at_ns));
	json_object_set_new(o, "end_ns", mono(cs, c->end_ns));
	json_object_set_new(o, "sender",
			    c->sender == GRAPH_NONE
				    ? json_null()
				    : task_json(cs, c->sender, cs->g->w->events[c->sent].r.ts));
	json_object_set_new(o, "text", text_json(c->text));
	json_object_set_new(o, "certain", certain_json(cs, c));
	json_object_set_new(o, "stack", stack_json(cs, c));
	json_object_set_new(o, "path", path_json(cs, c));
	return o;
}

json_t *render_crashes_json(const struct crashes *cs, size_t limit)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < cs->n && (!limit || i < limit); i++)
		json_array_append_new(rows, crash_json(cs, &cs->v[i]));
	return json_pack("{s:s, s:o, s:I, s:b}", "schema", "ctrace.crashes/1", "crashes", rows, "refused",
			 (json_int_t)cs->refused, "records_missing", cs->lossy);
}
