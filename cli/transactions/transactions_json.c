// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/transactions/transactions.h"

#include <stdlib.h>

#include "analysis/transactions/attributes.h"
#include "cli/cli.h"
#include "cli/render/requests.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "report/quantiles.h"

static json_int_t mono(const struct transactions_view *v, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &v->t->g->w->offsets);
}

static json_t *id_json(const struct transaction *x)
{
	char id[TRANSACTION_ID_MAX];

	return x->source == TRANSACTION_MARK && x->id ? json_string(transaction_id(x, id)) : json_null();
}

static json_t *slowest_json(const struct transactions_view *v, const struct transaction *x)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "from_ns", mono(v, x->from_ns), "to_ns",
			 mono(v, x->to_ns), "id", id_json(x), "begin",
			 render_json_task(v->t->g, x->begin_task, x->from_ns), "end",
			 render_json_task(v->t->g, x->end_task, x->to_ns));
}

static json_t *outliers_json(const struct transaction_group *group)
{
	if (!group->sd_limit_ns)
		return json_null();
	return json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "sd", "limit_ns", (json_int_t)group->sd_limit_ns,
			 "count", (json_int_t)group->n_sd, "mad", "limit_ns", (json_int_t)group->mad_limit_ns,
			 "count", (json_int_t)group->n_mad);
}

static json_t *group_json(const struct transactions_view *v, const struct transaction_group *group)
{
	json_t *parts = json_array(), *slowest = json_array();

	for (size_t i = 0; i < group->n_parts; i++) {
		const struct group_part *p = &group->parts[i];

		json_array_append_new(parts, json_pack("{s:o, s:s, s:f, s:f, s:f}", "role",
						       text_json(v->t->roles.v.v[p->role]), "time",
						       time_kind_name(p->time), "mean_ns", p->mean_ns,
						       "share", p->share, "variance", p->variance));
	}
	for (size_t i = 0; i < group->n_slowest; i++)
		json_array_append_new(slowest, slowest_json(v, &v->t->v[group->slowest[i]]));
	return json_pack("{s:o*, s:I, s:o, s:f, s:f, s:I, s:o, s:o, s:o, s:o}", "shape",
			 group->shape == GRAPH_NONE ? NULL : text_json(v->t->shapes.v.v[group->shape]),
			 "count", (json_int_t)group->count, "latency_ns",
			 render_json_quantiles(&group->latency), "mean_ns", group->mean_ns, "sd_ns",
			 group->sd_ns, "mad_ns", (json_int_t)group->mad_ns, "outliers", outliers_json(group),
			 "parts", parts, "reasons", render_json_reasons(group->reasons, group->n_reasons),
			 "slowest", slowest);
}

static json_t *attribute_json(const struct transactions_view *v, const struct transaction_attribute *a)
{
	json_t *levels = json_array();

	for (size_t i = 0; i < a->n_levels; i++) {
		const struct attribute_level *x = &a->levels[i];
		char words[ATTRIBUTE_WORDS_MAX];

		json_array_append_new(levels,
				      json_pack("{s:o, s:I, s:f}", "text",
						text_json(attribute_words(v->t, a->what, x->value, words)),
						"count", (json_int_t)x->count, "mean_ns", x->mean_ns));
	}
	return json_pack("{s:s, s:f, s:b, s:o}", "attribute", attribute_name(a->what), "variance",
			 a->variance, "by_chance", (int)a->by_chance, "levels", levels);
}

static json_t *type_json(const struct transactions_view *v, const struct transaction_type *type)
{
	json_t *shapes = json_array(), *attributes = json_array();

	for (size_t i = 0; i < type->n_attributes; i++)
		json_array_append_new(attributes, attribute_json(v, &type->attributes[i]));
	for (size_t i = 0; i < type->n_shapes; i++)
		json_array_append_new(shapes, group_json(v, &type->shapes[i]));
	return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:I}", "transaction",
			 text_json(type->name), "source", transaction_source_name(type->source),
			 "without_end", (json_int_t)type->n_open, "without_begin", (json_int_t)type->n_cut,
			 "without_update", (json_int_t)type->n_silent, "shared", (json_int_t)type->n_shared,
			 "divided", (json_int_t)type->n_divided, "truncated", (json_int_t)type->n_truncated,
			 "all", group_json(v, &type->all), "attributes", attributes, "shapes", shapes,
			 "more_shapes", (json_int_t)type->n_more_shapes);
}

int render_transactions_json(const struct transactions_view *v)
{
	const struct transactions *t = v->t;
	json_t *types = json_array();
	bool lacks = t->services && t->services->lacks & CT_LACK_MESSAGES;

	for (size_t i = 0; i < t->n_types && (!v->limit || i < v->limit); i++)
		json_array_append_new(types, type_json(v, &t->types[i]));
	return text_print_json(json_pack("{s:s, s:I, s:I, s:b, s:o}", "schema", "ctrace.transactions/1",
					 "from_ns", mono(v, t->from_ns), "to_ns", mono(v, t->to_ns),
					 "lower_bound", (int)lacks, "types", types));
}

static json_t *transaction_json(const struct transactions_view *v, const struct transaction *x)
{
	const struct transactions *t = v->t;
	const struct transaction_group *all = &t->types[x->type].all;
	uint64_t ns = x->to_ns ? x->to_ns - x->from_ns : 0;
	json_t *parts = json_array(), *outlier = json_array(), *o;

	for (size_t i = 0; i < x->n_parts; i++) {
		const struct transaction_part *p = &t->parts[x->first_part + i];

		json_array_append_new(parts,
				      json_pack("{s:o, s:s, s:I}", "role", text_json(t->roles.v.v[p->role]),
						"time", time_kind_name(p->time), "ns", (json_int_t)p->ns));
	}
	if (all->sd_limit_ns && ns > all->sd_limit_ns)
		json_array_append_new(outlier, json_string("sd"));
	if (all->mad_limit_ns && ns > all->mad_limit_ns)
		json_array_append_new(outlier, json_string("mad"));
	o = json_pack("{s:o, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "transaction",
		      text_json(t->types[x->type].name), "source", transaction_source_name(x->source), "id",
		      id_json(x), "from_ns", mono(v, x->from_ns), "to_ns",
		      x->to_ns ? json_integer(mono(v, x->to_ns)) : json_null(), "begin",
		      render_json_task(t->g, x->begin_task, x->from_ns), "end",
		      x->to_ns ? render_json_task(t->g, x->end_task, x->to_ns) : json_null(), "shape",
		      x->shape == GRAPH_NONE ? json_null() : text_json(t->shapes.v.v[x->shape]), "parts",
		      parts, "outlier", outlier);
	if (x->source == TRANSACTION_INPUT && o) {
		json_object_set_new(o, "taken_ns", json_integer(mono(v, x->start_ns)));
		json_object_set_new(o, "without_update", json_boolean(x->silent));
		json_object_set_new(o, "shared", json_boolean(x->shared));
	}
	return o;
}

int render_transactions_list(FILE *f, const struct transactions_view *v)
{
	for (size_t i = 0; i < v->t->n; i++) {
		json_t *o = transaction_json(v, &v->t->v[i]);
		_cleanup_free_ char *line = o ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

		json_decref(o);
		if (!line)
			return cli_error("out of memory");
		fprintf(f, "%s\n", line);
	}
	return CLI_OK;
}
