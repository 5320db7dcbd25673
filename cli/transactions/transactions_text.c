// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/transactions/transactions.h"

#include <inttypes.h>

#include "analysis/thresholds.h"
#include "analysis/transactions/attributes.h"
#include "cli/cli.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/walltime.h"

/* Limits of the output. With --all, they do not hold. */
#define TYPES_SHOWN 8    /* --limit replaces this one, also with --all */
#define ROWS_SHOWN  4    /* reasons, sources of variance, attributes and paths of each type */
#define SHARE_SHOWN 0.02 /* smaller reasons, sources of variance and attributes are not shown */

const char *transaction_id(const struct transaction *x, char buf[TRANSACTION_ID_MAX])
{
	snprintf(buf, TRANSACTION_ID_MAX, x->hashed ? "%#" PRIx64 : "%" PRIu64, x->id);
	if (!x->id)
		buf[0] = '\0';
	return buf;
}

#define CLEAN_MAX 4096

static const char *clean(const char *name, char buf[CLEAN_MAX])
{
	describe_clean(name, buf, CLEAN_MAX);
	return buf;
}

static void show_reasons(FILE *f, const struct transactions_view *v, const struct transaction_group *group,
			 const char *indent)
{
	size_t n = v->all ? group->n_reasons : MIN(group->n_reasons, (size_t)ROWS_SHOWN);

	for (size_t i = 0; i < n; i++) {
		const struct service_reason *r = &group->reasons[i];

		if (!v->all && r->share_p99 < SHARE_SHOWN)
			break;
		fprintf(f, "%s%-9s %3.0f %% of p99, %3.0f %% of p50  %s\n", indent,
			i ? "" : "Time:", r->share_p99 * 100, r->share_p50 * 100, r->text);
	}
}

static void show_variance(FILE *f, const struct transactions_view *v, const struct transaction_group *group,
			  const char *indent)
{
	size_t n = v->all ? group->n_parts : MIN(group->n_parts, (size_t)ROWS_SHOWN);

	for (size_t i = 0; i < n; i++) {
		const struct group_part *p = &group->parts[i];
		char mean[TEXT_NUMBER_MAX], role[CLEAN_MAX];

		if (!v->all && p->variance < SHARE_SHOWN)
			break;
		fprintf(f, "%s%-9s %3.0f %% of the variance  %s %s, %s on average\n", indent,
			i ? "" : "Varies:", p->variance * 100 + 0.0, clean(v->t->roles.v.v[p->role], role),
			time_kind_name(p->time), text_duration((uint64_t)p->mean_ns, mean));
	}
}

/* Shows the value whose transactions take the longest, and all others together. */
static void show_attribute(FILE *f, const struct transactions_view *v, const struct transaction_attribute *a)
{
	const struct attribute_level *worst = &a->levels[0];
	char mean[2][TEXT_NUMBER_MAX], n[2][TEXT_NUMBER_MAX], words[ATTRIBUTE_WORDS_MAX], buf[CLEAN_MAX];
	size_t others = 0;
	double sum_ns = 0;

	for (size_t i = 1; i < a->n_levels; i++) {
		others += a->levels[i].count;
		sum_ns += a->levels[i].mean_ns * (double)a->levels[i].count;
	}
	fprintf(f, "%3.0f %% of the variance  %s on average %s (%s), %s otherwise (%s)%s\n",
		a->variance * 100, text_duration((uint64_t)worst->mean_ns, mean[0]),
		clean(attribute_words(v->t, a->what, worst->value, words), buf),
		text_count(worst->count, n[0]), text_duration((uint64_t)(sum_ns / (double)others), mean[1]),
		text_count(others, n[1]), a->by_chance ? ", perhaps by chance" : "");
}

static void show_attributes(FILE *f, const struct transactions_view *v, const struct transaction_type *type)
{
	size_t n = v->all ? type->n_attributes : MIN(type->n_attributes, (size_t)ROWS_SHOWN);

	for (size_t i = 0; i < n; i++) {
		const struct transaction_attribute *a = &type->attributes[i];

		if (!v->all && (a->by_chance || a->variance < SHARE_SHOWN))
			break;
		fprintf(f, "    %-9s ", i ? "" : "Differs:");
		show_attribute(f, v, a);
	}
}

static void show_outliers(FILE *f, const struct transaction_group *group, const char *indent)
{
	char n[2][TEXT_NUMBER_MAX], ns[2][TEXT_NUMBER_MAX];

	if (!group->n_sd && !group->n_mad)
		return;
	fprintf(f, "%s%-9s %s above %s (mean + %d sd), %s above %s (median + %d MAD)\n", indent,
		"Outliers:", text_count(group->n_sd, n[0]), text_duration(group->sd_limit_ns, ns[0]),
		TRANSACTION_SD, text_count(group->n_mad, n[1]), text_duration(group->mad_limit_ns, ns[1]),
		TRANSACTION_MAD);
}

static void show_latency(FILE *f, const struct transaction_group *group)
{
	char p[4][TEXT_NUMBER_MAX];

	fprintf(f, "p50 %s, p95 %s, p99 %s, max %s", text_duration(group->latency.p50, p[0]),
		text_duration(group->latency.p95, p[1]), text_duration(group->latency.p99, p[2]),
		text_duration(group->latency.max, p[3]));
}

static void show_shapes(FILE *f, const struct transactions_view *v, const struct transaction_type *type)
{
	size_t n = v->all ? type->n_shapes : MIN(type->n_shapes, (size_t)ROWS_SHOWN);
	char count[TEXT_NUMBER_MAX], path[CLEAN_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct transaction_group *shape = &type->shapes[i];
		const char *text = v->t->shapes.v.v[shape->shape];

		fprintf(f, "    %-9s %s: %s\n", i ? "" : "Paths:", text_count(shape->count, count),
			*text ? clean(text, path) : "only small parts");
		fprintf(f, "%15s", "");
		show_latency(f, shape);
		fputc('\n', f);
		if (!v->all)
			continue;
		show_reasons(f, v, shape, "               ");
		show_variance(f, v, shape, "               ");
		show_outliers(f, shape, "               ");
	}
	if (type->n_shapes > n || type->n_more_shapes)
		fprintf(f, "%15s%zu more path%s%s\n", "", type->n_shapes - n + type->n_more_shapes,
			text_s(type->n_shapes - n + type->n_more_shapes),
			v->all ? "" : ": show them with --all");
}

static void show_slowest(FILE *f, const struct transactions_view *v, const struct transaction_type *type)
{
	const struct graph *g = v->t->g;
	size_t n = v->all ? type->all.n_slowest : MIN(type->all.n_slowest, (size_t)1);

	for (size_t i = 0; i < n; i++) {
		const struct transaction *x = &v->t->v[type->all.slowest[i]];
		char took[TEXT_NUMBER_MAX], at[WALLTIME_MAX], id[TRANSACTION_ID_MAX], comm[64];
		uint32_t task = transaction_task(x);

		fprintf(f, "    %-9s %s at %s",
			i ? "" : "Slowest:", text_duration(x->to_ns - x->from_ns, took),
			walltime_clock(x->from_ns, &g->w->offsets, 3, at));
		if (task != GRAPH_NONE) {
			describe_clean(graph_comm(g, task, x->from_ns), comm, sizeof(comm));
			fprintf(f, ", %s[%u]", comm, g->tasks[task].tid);
		}
		if (x->source == TRANSACTION_MARK && x->id)
			fprintf(f, ", id %s", transaction_id(x, id));
		fputc('\n', f);
	}
}

static void show_head(FILE *f, const struct transactions_view *v, const struct transaction_type *type)
{
	char n[7][TEXT_NUMBER_MAX], mean[TEXT_NUMBER_MAX], sd[TEXT_NUMBER_MAX], name[CLEAN_MAX];

	fprintf(f, "\n%s  (%s)\n    %s transaction%s", clean(type->name, name),
		transaction_source_name(type->source), text_count(type->all.count, n[0]),
		text_s(type->all.count));
	if (type->all.count) {
		fprintf(f, "; ");
		show_latency(f, &type->all);
		fprintf(f, "; mean %s, sd %s", text_duration((uint64_t)type->all.mean_ns, mean),
			text_duration((uint64_t)type->all.sd_ns, sd));
	}
	if (type->n_open)
		fprintf(f, "; %s without an end", text_count(type->n_open, n[1]));
	if (type->n_silent)
		fprintf(f, "; %s without an update of the display", text_count(type->n_silent, n[5]));
	if (type->n_shared)
		fprintf(f, "; %s perhaps with the update of another event", text_count(type->n_shared, n[6]));
	if (type->n_cut)
		fprintf(f, "; %s without a begin", text_count(type->n_cut, n[2]));
	if (type->n_divided < type->all.count)
		fprintf(f, "; paths and variance of %s of them", text_count(type->n_divided, n[3]));
	if (type->n_truncated)
		fprintf(f, "; %s %s cut off", text_count(type->n_truncated, n[4]),
			type->n_truncated == 1 ? "path is" : "paths are");
	fputc('\n', f);
}

static void show_next(FILE *f, const struct transactions_view *v)
{
	const struct transaction_type *type = &v->t->types[tablearg_row(v->order, 0)];
	const struct transaction *x;
	char path[CLI_WORD_MAX];

	if (!type->all.n_slowest)
		return;
	x = &v->t->v[type->all.slowest[0]];
	if (x->end_task == GRAPH_NONE || x->source == TRANSACTION_REQUEST)
		return;
	fprintf(f, "\nNext: ctrace path %s --tid %u --from boot:%" PRIu64 " --to boot:%" PRIu64 "\n",
		cli_path_word(v->path, path), v->t->g->tasks[x->end_task].tid, x->from_ns, x->to_ns);
}

int render_transactions(FILE *f, const struct transactions_view *v)
{
	const struct transactions *t = v->t;
	size_t n = MIN(t->n_types, v->limit ? v->limit : v->all ? t->n_types : (size_t)TYPES_SHOWN);

	for (size_t i = 0; i < n; i++) {
		const struct transaction_type *type = &t->types[tablearg_row(v->order, i)];

		show_head(f, v, type);
		show_reasons(f, v, &type->all, "    ");
		show_variance(f, v, &type->all, "    ");
		show_attributes(f, v, type);
		show_outliers(f, &type->all, "    ");
		show_shapes(f, v, type);
		show_slowest(f, v, type);
	}
	if (t->n_types > n)
		fprintf(f, "\n%zu more type%s: show them with --limit\n", t->n_types - n,
			text_s(t->n_types - n));
	if (n)
		show_next(f, v);
	else
		fprintf(f, "No transactions in this time.\n");
	return CLI_OK;
}
