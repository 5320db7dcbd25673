/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis/transactions/attributes.h"
#include "analysis/transactions/transactions.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void free_transactions(struct transactions **t)
{
	transactions_free(*t);
}

static char *field(const struct question *q, const char *key, enum transaction_source source,
		   enum transaction_source *ret)
{
	const char *value = text_line_field(q->l, key);

	if (!value)
		return NULL;
	*ret = source;
	return strdup(value);
}

static void take_rules(const struct question *q, const struct graph *g, struct transaction_rules *rules)
{
	struct transaction_rule r = { .source = TRANSACTION_SOURCES };

	r.program = field(q, "program", TRANSACTION_PROCESS, &r.source);
	r.cmdline = field(q, "cmdline", TRANSACTION_PROCESS, &r.source);
	r.mark = field(q, "mark", TRANSACTION_MARK, &r.source);
	r.until = field(q, "until", TRANSACTION_MARK, &r.source);
	r.service = field(q, "service", TRANSACTION_REQUEST, &r.source);
	r.address = field(q, "address", TRANSACTION_REQUEST, &r.source);
	r.queue = field(q, "queue", TRANSACTION_JOB, &r.source);
	r.input = field(q, "input", TRANSACTION_INPUT, &r.source);
	r.timer = field(q, "timer", TRANSACTION_TIMER, &r.source);
	r.name = field(q, "name", r.source, &r.source);
	if (r.source == TRANSACTION_SOURCES)
		assert_int_equal(transaction_rules_default(g, rules), 0);
	else
		assert_int_equal(VEC_PUSH(&rules->v, r), 0);
}

static void check_transactions(const struct transactions *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct transaction *x = &t->v[i];
		uint64_t sum = 0;

		for (size_t k = 0; k < x->n_parts; k++)
			sum += t->parts[x->first_part + k].ns;
		assert_true(x->shape == GRAPH_NONE || sum == x->to_ns - x->from_ns);
	}
}

static void check_group(const struct transaction_group *group)
{
	double share = 0, variance = 0;

	for (size_t i = 0; i < group->n_parts; i++) {
		share += group->parts[i].share;
		variance += group->parts[i].variance;
	}
	assert_true(!group->n_parts || fabs(share - 1) < 1e-9);
	assert_true(fabs(variance) < 1e-9 || fabs(variance - 1) < 1e-9);
}

static void put(const struct question *q, const char *word, uint64_t ns)
{
	char buf[TEXT_TIME_MAX];

	fprintf(q->out, " %s %s", word, text_put_time(ns, buf));
}

static void put_group(const struct question *q, const struct transactions *t,
		      const struct transaction_group *group)
{
	check_group(group);
	fprintf(q->out, "%zu", group->count);
	put(q, "p50", group->latency.p50);
	put(q, "p99", group->latency.p99);
	put(q, "max", group->latency.max);
	if (group->shape != GRAPH_NONE) {
		fprintf(q->out, ": %s\n", t->shapes.v.v[group->shape]);
		return;
	}
	put(q, "mean", (uint64_t)group->mean_ns);
	put(q, "sd", (uint64_t)(group->sd_ns / 1000) * 1000);
	fputc('\n', q->out);
	if (group->sd_limit_ns) {
		fprintf(q->out, "  outliers %zu of", group->n_sd);
		put(q, "sd", group->sd_limit_ns / 1000 * 1000);
		fprintf(q->out, ", %zu of", group->n_mad);
		put(q, "mad", group->mad_limit_ns);
		fputc('\n', q->out);
	}
	for (size_t i = 0; i < group->n_parts; i++)
		fprintf(q->out, "  part %s %s: time %.0f variance %.0f\n", t->roles.v.v[group->parts[i].role],
			time_kind_name(group->parts[i].time), group->parts[i].share * 100,
			group->parts[i].variance * 100 + 0.0);
	for (size_t i = 0; i < group->n_reasons; i++)
		fprintf(q->out, "  %.0f %.0f %s: %s\n", group->reasons[i].share_p50 * 100,
			group->reasons[i].share_p99 * 100, group->reasons[i].kind, group->reasons[i].text);
}

static void put_attribute(const struct question *q, const struct transactions *t,
			  const struct transaction_attribute *a)
{
	char buf[ATTRIBUTE_WORDS_MAX];
	size_t count = 0;

	fprintf(q->out, "  %s: variance %.0f%s:", attribute_name(a->what), a->variance * 100,
		a->by_chance ? " by chance" : "");
	for (size_t i = 0; i < a->n_levels; i++) {
		const struct attribute_level *x = &a->levels[i];

		fprintf(q->out, "%s %zu", i ? "," : "", x->count);
		put(q, attribute_words(t, a->what, x->value, buf), (uint64_t)(x->mean_ns / 1000) * 1000);
		count += x->count;
	}
	assert_true(count > 0 && a->n_levels > 1);
	fputc('\n', q->out);
}

static void put_type(const struct question *q, const struct transactions *t,
		     const struct transaction_type *type)
{
	fprintf(q->out, "%s %s: ", transaction_source_name(type->source), type->name);
	if (type->n_open)
		fprintf(q->out, "open %zu ", type->n_open);
	if (type->n_silent)
		fprintf(q->out, "silent %zu ", type->n_silent);
	if (type->n_shared)
		fprintf(q->out, "shared %zu ", type->n_shared);
	if (type->n_cut)
		fprintf(q->out, "cut %zu ", type->n_cut);
	put_group(q, t, &type->all);
	for (size_t i = 0; i < type->n_attributes; i++)
		put_attribute(q, t, &type->attributes[i]);
	for (size_t i = 0; i < type->n_shapes; i++) {
		fprintf(q->out, "  shape ");
		put_group(q, t, &type->shapes[i]);
	}
}

void ask_transactions(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_transactions) struct transactions *t = NULL;
	_cleanup_(transaction_rules_done) struct transaction_rules rules = { 0 };
	struct transactions_filter filter = { .touching = text_line_skip(q->l, "touching") };
	uint64_t from_ns = q->w->from_ns, to_ns = q->w->to_ns;

	if (filter.touching)
		text_range(q->l, text_line_next(q->l, "a range"), &from_ns, &to_ns);
	take_rules(q, g, &rules);
	assert_int_equal(transactions_find(g, from_ns, to_ns, &rules, &filter, &t), 0);
	check_transactions(t);
	for (size_t i = 0; i < t->n_types; i++)
		put_type(q, t, &t->types[i]);
	if (!t->n_types)
		fprintf(q->out, "none\n");
}
