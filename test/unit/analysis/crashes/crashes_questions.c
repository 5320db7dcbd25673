// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/crashes/crashes.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void free_crashes(struct crashes **cs)
{
	crashes_free(*cs);
}

static void put_step(const struct question *q, const struct crashes *cs, const struct slice_step *x)
{
	const struct edge *e = &cs->c->edges[x->edge];

	fputs("  <- ", q->out);
	question_put_task(q, cs->g, cs->c->segments[x->segment].task);
	fprintf(q->out, " %s %s at ", edge_kind_name(e->kind), edge_strength_name(e->strength));
	question_put_time(q, x->at_ns);
	fputc('\n', q->out);
}

static void put_crash(const struct question *q, const struct crashes *cs, const struct crash *c)
{
	fprintf(q->out, "%s ", crash_how_name(c->how));
	question_put_time(q, c->at_ns);
	fprintf(q->out, " %s%s%s%s%s\n", c->task_known ? "task" : "process",
		c->confirmed ? "" : " unconfirmed", c->dumped ? " dumped" : "", c->stack ? " stack" : "",
		crash_path_certain(cs, c) ? " certain" : "");
	fprintf(q->out, "  %s\n", c->text);
	for (size_t i = 1; c->path && i < c->path->n_steps; i++)
		put_step(q, cs, &c->path->steps[i]);
}

void ask_crashes(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_crashes) struct crashes *cs = NULL;

	assert_int_equal(crashes_find(g, q->w->from_ns, q->w->to_ns, &cs), 0);
	for (size_t i = 0; i < cs->n; i++)
		put_crash(q, cs, &cs->v[i]);
	if (cs->lossy)
		fputs("records are missing\n", q->out);
	if (cs->refused)
		fprintf(q->out, "refused %zu\n", cs->refused);
}
