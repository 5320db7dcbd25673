// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/analysis.h"

#include "report/jobs_behind.h"
#include "report/limit.h"
#include "report/shedding.h"
#include "report/cgroup_name.h"
#include "report/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

bool render_is_sure(enum edge_kind edge, enum edge_strength strength)
{
	return strength == EDGE_STRONG || edge == EDGE_LOCK || edge == EDGE_KERNEL_LOCK;
}

static json_int_t mono(const struct graph *g, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &g->w->offsets);
}

static json_t *stack_json(const struct graph *g, uint64_t id)
{
	const struct window_stack *s = id ? window_stack(g->w, id) : NULL;
	json_t *a = json_array();

	for (int i = 0; s && i < s->n_frames; i++)
		json_array_append_new(a, text_json(s->frames[i]));
	return a;
}

static json_t *resource_json(enum resource_kind kind, const char *name)
{
	return json_pack("{s:s, s:o}", "kind", resource_kind_word(kind), "name", text_json(name ? name : ""));
}

static json_t *placed(json_t *task, const struct graph *g, const struct link *k)
{
	struct cgroup_name p = graph_place(g, k->task, k->to_ns);
	const char *cmdline = graph_cmdline(g, k->task, k->to_ns);

	if (task && cmdline[0])
		json_object_set_new(task, "cmdline", text_json(cmdline));
	return render_cgroup_name(task, &p);
}

static json_t *before_json(const struct link *k)
{
	return k->before_ns ? json_integer((json_int_t)k->before_ns) : NULL;
}

static json_t *pool_json(const struct graph *g, const struct link *k)
{
	uint32_t task = graph_task_at(g, k->pool_pid, k->to_ns);

	return k->pool ? json_pack("{s:I, s:I, s:o}", "workers", (json_int_t)k->pool, "pid",
				   (json_int_t)k->pool_pid, "comm",
				   text_json(task == GRAPH_NONE ? "?" : graph_comm(g, task, k->to_ns)))
		       : NULL;
}

static json_t *limit_json(const struct link *k)
{
	return limit_is_own(k) ? json_pack("{s:I, s:I}", "waits", (json_int_t)k->waits, "timeouts",
					   (json_int_t)k->timeouts)
			       : NULL;
}

static json_t *edge_json(enum edge_kind edge, enum edge_strength strength)
{
	return json_pack("{s:s, s:s}", "kind", edge_kind_name(edge), "strength",
			 strength == EDGE_STRONG ? "strong" : "weak");
}

static json_t *link_json(const struct graph *g, const struct link *k, bool last)
{
	json_t *edge = last ? json_pack("{s:s, s:s}", "kind", "none", "strength", "strong")
			    : edge_json(k->edge, k->strength);

	return placed(json_pack("{s:I, s:I, s:o, s:s, s:I, s:I, s:o*, s:o, s:o*, s:o*, s:o*, s:o, s:o}",
				"pid", (json_int_t)k->pid, "tid", (json_int_t)k->tid, "comm",
				text_json(k->comm), "state", link_state_word(k->state), "from_ns",
				mono(g, k->from_ns), "to_ns", mono(g, k->to_ns), "before_ns", before_json(k),
				"resource", resource_json(k->kind, k->resource), "limit", limit_json(k),
				"unaccepted", k->unaccepted ? json_true() : NULL, "pool", pool_json(g, k),
				"edge", edge, "stack", stack_json(g, k->stack)),
		      g, k);
}

static json_t *writer_json(const struct graph *g, const struct writer *w)
{
	return w->tid ? json_pack("{s:I, s:I, s:o, s:o}", "pid", (json_int_t)g->tasks[w->task].tgid, "tid",
				  (json_int_t)w->tid, "comm", text_json(w->comm), "edge",
				  edge_json(w->edge, w->strength))
		      : NULL;
}

static json_t *losses_json(const struct graph *g, uint64_t from_ns, uint64_t to_ns)
{
	const struct window *w = g->w;
	struct shedding shed = { 0 };
	json_t *gaps = json_array();
	json_int_t records = 0;

	for (size_t i = window_next_words(w, 0); i < w->n_events; i = window_next_words(w, i + 1)) {
		const struct window_event *e = &w->events[i];
		const uint64_t *x = window_words(w, e);

		if (e->r.kind != CT_GAP || x[0] >= to_ns || x[1] < from_ns)
			continue;
		records += ct_gap_records(&e->r);
		if (json_array_size(gaps) < 1000)
			json_array_append_new(gaps, json_pack("{s:I, s:s, s:I, s:I, s:I}", "cpu",
							      (json_int_t)e->r.tid, "cause",
							      describe_loss(ct_gap_cause(&e->r)), "records",
							      (json_int_t)ct_gap_records(&e->r), "from_ns",
							      mono(g, x[0]), "to_ns", mono(g, x[1])));
	}
	shedding_look(&shed, w, from_ns, to_ns);
	return json_pack("{s:I, s:o, s:o*}", "records", records, "gaps", gaps, "shed", shedding_json(&shed));
}

static json_t *comparison_json(const struct graph *g, const struct missing_wake *m)
{
	const struct missing_wake_step *named = missing_wake_named(m);
	const struct graph_task *t = &g->tasks[named->task];
	const struct graph *good = m->good ? m->good : g;
	char obj[DESCRIBE_MAX];
	struct cgroup_name name;
	json_t *missing;

	name = graph_place(g, named->task, m->wait_to_ns);
	describe_object(good->w, named->obj, obj, sizeof(obj));
	missing = json_pack("{s:I, s:I, s:o, s:s, s:o, s:o, s:o}", "pid", (json_int_t)t->tgid, "tid",
			    (json_int_t)t->tid, "comm",
			    text_json(graph_comm(g, named->task, MIN(m->wait_to_ns, t->exit_ns - 1))), "edge",
			    edge_kind_name(named->edge), "object", text_json(obj), "last_ns",
			    named->last_ns ? json_integer(mono(g, named->last_ns)) : json_null(), "text",
			    text_json(m->text));
	render_cgroup_name(missing, &name);
	return json_pack("{s:{s:I, s:I, s:f, s:I}, s:o}", "reference", "from_ns", mono(good, m->ref_from_ns),
			 "to_ns", mono(good, good->intervals[m->reference].to_ns), "similarity",
			 (double)(int)(m->similarity * 100) / 100, "occurrences", (json_int_t)m->occurrences,
			 "missing", missing);
}

static json_t *against_json(const struct graph *g, const struct against *a)
{
	json_t *tasks = json_array();

	for (uint32_t i = 0; a->result == AGAINST_SEVERAL && i < a->n_tasks && i < AGAINST_TASKS; i++) {
		const struct graph_task *t = &g->tasks[a->tasks[i]];
		const char *comm = graph_comm(g, a->tasks[i], MIN(g->w->to_ns, t->exit_ns - 1));

		json_array_append_new(tasks, json_pack("{s:I, s:I, s:o}", "pid", (json_int_t)t->tgid, "tid",
						       (json_int_t)t->tid, "comm", text_json(comm)));
	}
	return json_pack("{s:o, s:s, s:o, s:o}", "trace", text_json(a->name), "result",
			 against_word(a->result), "tasks", tasks, "text",
			 a->text ? text_json(a->text) : json_null());
}

/* Takes the reference to queues, which may be NULL. */
static json_t *diagnosis_json(const struct graph *g, const struct diagnosis *d, json_t *queues)
{
	const struct link *v = &d->chain[0], *root = &d->chain[d->n_chain - 1];
	json_t *chain = json_array(), *choices = json_array(), *time = json_object();
	json_t *victim = json_pack("{s:I,s:I,s:o}", "pid", (json_int_t)v->pid, "tid", (json_int_t)v->tid,
				   "comm", text_json(v->comm));
	json_t *cause =
		json_pack("{s:I,s:I,s:o,s:s,s:o,s:o,s:o}", "pid", (json_int_t)root->pid, "tid",
			  (json_int_t)root->tid, "comm", text_json(root->comm), "state",
			  link_state_word(root->state), "resource", resource_json(root->kind, root->resource),
			  "text", text_json(d->root_text), "stack", stack_json(g, root->stack));

	placed(victim, g, v);
	placed(cause, g, root);
	for (size_t i = 0; i < d->n_chain; i++)
		json_array_append_new(chain, link_json(g, &d->chain[i], i + 1 == d->n_chain));
	for (size_t i = 0; i < d->n_choices; i++)
		json_array_append_new(choices, text_json(d->choices[i].text));
	for (int i = 0; i < TIME_KINDS; i++) {
		char key[32];

		if (i == TIME_SHORT && !d->time_ns[i])
			continue;
		snprintf(key, sizeof(key), "%s_ns", time_kind_name((enum time_kind)i));
		json_object_set_new(time, key, json_integer((json_int_t)d->time_ns[i]));
	}
	return json_pack(
		"{s:s, s:o, s:{s:I,s:I,s:s}, s:s, s:s, s:s, s:o, s:o, s:o, s:o*, s:o, s:o, s:o, s:o*, s:o*, s:s*, s:o*}",
		"schema", "ctrace.diagnosis/1", "victim", victim, "window", "from_ns", mono(g, d->from_ns),
		"to_ns", mono(g, d->to_ns), "clock", "monotonic", "verdict", verdict_name(d->verdict),
		"cause", cause_word(d->cause), "confidence", d->strong ? "strong" : "weak", "text",
		text_json(d->sentence), "root_cause", cause, "chain", chain, "writer",
		writer_json(g, &d->writer), "time", time, "choices", choices, "losses",
		losses_json(g, d->from_ns, d->to_ns), "comparison",
		d->comparison ? comparison_json(g, d->comparison) : NULL, "against",
		d->against ? against_json(g, d->against) : NULL, "watch", d->watch, "queues", queues);
}

json_t *render_diagnosis_json(const struct graph *g, const struct diagnosis *d)
{
	json_t *queues;

	return render_jobs_behind_json(g, d, &queues) ? NULL : diagnosis_json(g, d, queues);
}

json_t *render_hangs_json(const struct graph *g, const struct hangs *h)
{
	json_t *rows = json_array(), *doc;

	for (size_t i = 0; i < h->n; i++) {
		const struct hang *x = &h->v[i];
		const struct link *k = &x->diagnosis->chain[0];

		json_array_append_new(
			rows,
			placed(json_pack("{s:o, s:I, s:I, s:o, s:I, s:I, s:o*, s:s, s:s, s:o, s:b, s:o}",
					 "number",
					 x->number && !h->missing ? json_integer(x->number) : json_null(),
					 "pid", (json_int_t)k->pid, "tid", (json_int_t)k->tid, "comm",
					 text_json(k->comm), "from_ns", mono(g, x->from_ns), "to_ns",
					 mono(g, x->to_ns), "before_ns", before_json(k), "verdict",
					 verdict_name(x->diagnosis->verdict), "cause",
					 cause_word(x->diagnosis->cause), "text",
					 text_json(x->diagnosis->sentence), "alarm", x->alarm, "same_as",
					 x->first_row == i ? json_null()
							   : json_integer((json_int_t)x->first_row)),
			       g, k));
	}
	doc = json_pack("{s:s, s:o}", "schema", "ctrace.hangs/1", "hangs", rows);
	if (doc && h->missing)
		json_object_set_new(doc, "interrupted",
				    json_pack("{s:I, s:I}", "diagnosed", (json_int_t)h->n, "candidates",
					      (json_int_t)(h->n + h->missing)));
	return doc;
}
