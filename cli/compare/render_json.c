// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/render.h"

#include <math.h>

#include "cli/cli.h"
#include "cli/text.h"

static json_t *side_json(const struct delta_side *s)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "runs", (json_int_t)s->runs, "value_ns",
			 (json_int_t)s->value_ns, "min_ns", (json_int_t)s->min_ns, "max_ns",
			 (json_int_t)s->max_ns);
}

static json_t *text_or_null(const char *s)
{
	return s[0] ? text_json(s) : json_null();
}

static json_t *machine_json(const struct baseline *b)
{
	const struct baseline_machine *m = &b->machine;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "kernel", text_or_null(m->kernel), "arch",
		text_or_null(m->arch), "cpus", m->cpus ? json_integer((json_int_t)m->cpus) : json_null(),
		"model", text_or_null(m->model), "governor", text_or_null(m->governor), "cgroup",
		text_or_null(m->cgroup), "allowed_cpus",
		m->allowed_cpus ? json_integer((json_int_t)m->allowed_cpus) : json_null(), "mixed", b->mixed);
}

/* A count is a mean. Two decimals keep the document short. */
static double rounded(double count)
{
	return round(count * 100) / 100;
}

static json_t *row_json(const void *view, size_t i)
{
	const struct delta_row *r = &((const struct compare_view *)view)->delta->rows[i];

	return json_pack("{s:o, s:o, s:o, s:s, s:I, s:I, s:I, s:f, s:f}", "text", text_json(r->text), "key",
			 text_json(r->key), "detail", text_json(r->detail), "kind", part_class_name(r->class),
			 "old_ns", (json_int_t)r->old_ns, "new_ns", (json_int_t)r->new_ns, "difference_ns",
			 (json_int_t)r->difference_ns, "old_count", rounded(r->old_count), "new_count",
			 rounded(r->new_count));
}

static json_t *warnings_json(const struct compare_view *v)
{
	struct warnings w = { .n = 0 };
	json_t *a = json_array();

	warnings_compare(&w, v->old, v->new);
	for (size_t i = 0; i < w.n; i++)
		if (json_array_append_new(a, text_json(w.v[i]))) {
			json_decref(a);
			return NULL;
		}
	return a;
}

int render_compare_json(const struct compare_view *v)
{
	const struct delta *d = v->delta;
	json_t *doc = json_pack("{s:s, s:o, s:s, s:o, s:o, s:I, s:I, s:o, s:{s:o, s:o}, s:{s:o, s:o}}",
				"schema", "ctrace.compare/1", "text", text_json(d->sentence), "metric",
				metric_name(d->metric), "old", side_json(&d->old), "new", side_json(&d->new),
				"difference_ns", (json_int_t)d->difference_ns, "environment_ns",
				(json_int_t)d->environment_ns, "warnings", warnings_json(v), "command", "old",
				text_or_null(v->old->command), "new", text_or_null(v->new->command),
				"machine", "old", machine_json(v->old), "new", machine_json(v->new));

	if (doc && v->new->unit[0] && json_object_set_new(doc, "unit", text_json(v->new->unit))) {
		json_decref(doc);
		doc = NULL;
	}
	return text_print_json_items(doc, "parts", d->n_rows, row_json, v);
}
