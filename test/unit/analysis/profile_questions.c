/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analysis/delta/delta.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void free_profile(struct profile **p)
{
	profile_free(*p);
}

static struct profile *next_profile(const struct question *q, const struct graph *g)
{
	uint32_t task = question_task(q, g, q->w->to_ns);
	uint64_t from, to, sum = 0;
	struct profile *p;

	text_range(q->l, text_line_next(q->l, "a range"), &from, &to);
	if (q->l->error[0])
		return NULL;
	assert_int_equal(profile_new(g, task, from, to, &p), 0);
	for (size_t i = 0; i < p->n_parts; i++)
		sum += p->parts[i].ns;
	assert_int_equal(sum, to - from);
	assert_int_equal(p->total_ns, to - from);
	return p;
}

void ask_profile(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_profile) struct profile *p = next_profile(q, g);

	for (size_t i = 0; p && i < p->n_parts; i++) {
		const struct profile_part *x = &p->parts[i];

		question_put_time(q, x->ns);
		fprintf(q->out, " %s %llu: %s\n", part_class_name(x->class), (unsigned long long)x->count,
			x->text);
		assert_int_equal(part_class_of(part_class_name(x->class)), x->class);
	}
}

void ask_wakes(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_profile) struct profile *p = next_profile(q, g);

	for (size_t i = 0; p && i < p->n_parts; i++) {
		const struct profile_part *x = &p->parts[i];

		if (!x->wakes)
			continue;
		fprintf(q->out, "%llu, then ", (unsigned long long)x->wakes);
		question_put_time(q, x->queued_ns);
		fprintf(q->out, " for a CPU: %s\n", x->text);
	}
}

void ask_keys(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_profile) struct profile *p = next_profile(q, g);

	for (size_t i = 0; p && i < p->n_parts; i++)
		fprintf(q->out, "%s%s%s\n", p->parts[i].key, *p->parts[i].detail ? " @ " : "",
			p->parts[i].detail);
}

void ask_delta(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_profile) struct profile *old = next_profile(q, g);
	_cleanup_(free_profile) struct profile *new = old ? next_profile(q, g) : NULL;
	struct delta *d;

	if (!new)
		return;
	assert_int_equal(delta_new((const struct profile *const[]){ old }, 1,
				   (const struct profile *const[]){ new }, 1, DELTA_P50, &d),
			 0);
	fprintf(q->out, "%s\n", d->sentence);
	for (size_t i = 0; i < d->n_rows; i++)
		fprintf(q->out, "%+lld us %s: %s\n", (long long)d->rows[i].difference_ns / 1000,
			part_class_name(d->rows[i].class), d->rows[i].text);
	delta_free(d);
}

void ask_command(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint64_t from, to;
	uint32_t task = profile_command(g, &from, &to);

	question_put_task(q, g, task);
	if (task == GRAPH_NONE) {
		fputc('\n', q->out);
		return;
	}
	fputc(' ', q->out);
	question_put_time(q, from);
	fputs("..", q->out);
	if (to == UINT64_MAX)
		fputs("open", q->out);
	else
		question_put_time(q, to);
	fputc('\n', q->out);
}
