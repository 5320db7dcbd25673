// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "cli/check/report_counts.h"
#include "cli/text.h"
#include "lib/cleanup.h"

static json_t *ns_json(double ns)
{
	return json_integer((json_int_t)round(ns));
}

static json_t *clocks_json(const struct baseline_clocks *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(list, json_integer((json_int_t)c->v[i]));
	return list;
}

static json_t *side_json(double ns, size_t runs, const struct baseline *side)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "runs", (json_int_t)runs, "value_ns", ns_json(ns),
			 "traced_clock_ns", clocks_json(&side->traced), "untraced_clock_ns",
			 clocks_json(&side->untraced));
}

static json_t *text_or_null(const char *s)
{
	return s[0] ? text_json(s) : json_null();
}

static json_t *machine_json(const struct baseline_machine *m)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", text_or_null(m->kernel), "arch",
			 text_or_null(m->arch), "cpus",
			 m->cpus ? json_integer((json_int_t)m->cpus) : json_null(), "model",
			 text_or_null(m->model), "governor", text_or_null(m->governor), "cgroup",
			 text_or_null(m->cgroup));
}

static json_t *parts_json(const struct check_view *v)
{
	int64_t recording = report_recording_ns(v);
	json_t *parts = json_array();

	for (size_t i = 0; v->delta && i < v->delta->n_rows; i++) {
		const struct delta_row *r = &v->delta->rows[i];

		json_array_append_new(parts, json_pack("{s:o, s:s, s:I}", "text", text_json(r->text), "kind",
						       part_class_name(r->class), "difference_ns",
						       (json_int_t)r->difference_ns));
	}
	if (recording)
		json_array_append_new(
			parts, json_pack("{s:s, s:s, s:I}", "text", report_recording_text(recording), "kind",
					 REPORT_RECORDING_KIND, "difference_ns", (json_int_t)recording));
	return parts;
}

static json_t *order_json(double trend_p, int warm_up)
{
	return json_pack("{s:f, s:i}", "trend_p", trend_p, "warm_up_runs", warm_up);
}

/* Returns NULL if out of memory. */
static json_t *with(json_t *doc, json_t *more)
{
	if (!more || json_object_update(doc, more)) {
		json_decref(doc);
		doc = NULL;
	}
	json_decref(more);
	return doc;
}

static json_t *outliers_json(const struct outliers *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->v.n; i++) {
		const struct outlier *o = &all->v.v[i];
		const struct delta_row *cause = outlier_cause(o);
		json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:o}", "side", o->is_new ? "new" : "old", "run",
					(json_int_t)o->run, "value_ns", (json_int_t)o->delta->new.value_ns,
					"difference_ns", (json_int_t)o->delta->difference_ns, "cause",
					cause ? json_pack("{s:o, s:s, s:I}", "text", text_json(cause->text),
							  "kind", part_class_name(cause->class),
							  "difference_ns", (json_int_t)cause->difference_ns)
					      : json_null());

		json_array_append_new(list, row);
	}
	return list;
}

static json_t *with_options(const struct check_view *v, json_t *doc)
{
	const struct own_queue *q = &v->out->queue;

	if (doc && v->counts)
		doc = with(doc, json_pack("{s:s, s:o}", "time_result", report_time_result(v), "patterns",
					  counts_json(v)));
	if (doc && v->new->unit[0])
		doc = with(doc, json_pack("{s:o}", "unit", text_json(v->new->unit)));
	if (doc && v->outliers->v.n)
		doc = with(doc, json_pack("{s:o}", "outliers", outliers_json(v->outliers)));
	if (doc && v->out->longest_trace)
		doc = with(doc, json_pack("{s:o}", "longest_trace", text_json(v->out->longest_trace)));
	if (doc && v->plan->own && q->counted)
		doc = with(doc, json_pack("{s:[o, o]}", "queue_ns", ns_json(q->old_ns), ns_json(q->new_ns)));
	return doc;
}

json_t *report_json(const struct check_view *v)
{
	const struct check_outcome *out = v->out;
	const struct decision *d = &out->decision;
	bool old = out->decided;

	json_t *doc = json_pack(
		"{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:s, s:o, s:o, s:o, s:o, s:{s:o, s:o}}",
		"schema", "ctrace.check/1", "result", report_result(v), "text", text_json(v->sentence),
		"metric", metric_name(v->metric), "old",
		old ? side_json(d->old_ns, out->n_old, v->old) : json_null(), "new",
		side_json(report_new_ns(v), out->n_new, v->new), "difference_ns",
		old ? ns_json(report_difference_ns(v)) : json_null(), "interval_ns",
		old ? json_pack("[o, o]", ns_json(d->low_ns), ns_json(d->high_ns)) : json_null(),
		"detectable_ns", old ? ns_json(d->detectable_ns) : json_null(), "runs_needed",
		old && d->runs_needed ? json_integer((json_int_t)d->runs_needed) : json_null(), "p_value",
		old ? json_real(d->p) : json_null(), "max_regress", v->plan->max_regress, "timing",
		v->plan->own                  ? "own"
		: out->timing == CHECK_TRACED ? "traced"
					      : "untraced",
		"parts", parts_json(v), "tracer_cost_ns",
		out->cost.known ? ns_json(out->cost.ns) : json_null(), "order",
		old ? json_pack("{s:o, s:o}", "old", order_json(d->old_trend_p, d->old_warm_up), "new",
				order_json(d->new_trend_p, d->new_warm_up))
		    : json_null(),
		"command", text_json(v->new->command), "machine", "old",
		old ? machine_json(&v->old->machine) : json_null(), "new", machine_json(&v->new->machine));

	return with_options(v, doc);
}
