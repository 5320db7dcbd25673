// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "analysis/patterns/collect.h"
#include "analysis/patterns/patterns.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void free_collected(struct collected **c)
{
	collected_free(*c);
}

static void free_patterns(struct patterns **p)
{
	patterns_free(*p);
}

static struct collected *collect_for(struct question *q, const struct graph *g)
{
	uint32_t task = question_task(q, g, q->w->to_ns);
	struct collected *c;

	assert_true(task < g->n_tasks);
	assert_int_equal(collect(g, task, q->w->from_ns, q->w->to_ns, &c), 0);
	return c;
}

void ask_patterns(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_collected) struct collected *c = collect_for(q, g);
	_cleanup_(free_patterns) struct patterns *p = NULL;
	char ns[TEXT_TIME_MAX];

	assert_int_equal(patterns_find(&c->sequence, 2, &p), 0);
	fprintf(q->out, "%s %zu\n", collect_action_name(c->action), p->n_transactions);
	for (size_t i = 0; i < p->n; i++) {
		fprintf(q->out, "  %s", p->v[i].grows ? "+" : "");
		for (size_t k = 0; k < p->n_transactions; k++)
			fprintf(q->out, "%s%u", k ? "," : "", p->v[i].counts[k]);
		fprintf(q->out, " %s: %s\n", text_put_time(p->v[i].ns, ns), p->v[i].text);
	}
}

void ask_events(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_collected) struct collected *c = collect_for(q, g);
	const struct sequence *s = &c->sequence;
	char ns[TEXT_TIME_MAX];

	for (size_t i = 0; i < s->strands.n; i++) {
		if (s->strands.v[i].n)
			fprintf(q->out, "%u:\n", s->strands.v[i].transaction);
		for (size_t k = 0; k < s->strands.v[i].n; k++) {
			const struct sequence_event *e = &s->events.v[s->strands.v[i].first + k];
			const struct sequence_symbol *symbol = &s->symbols.v[e->symbol];

			fprintf(q->out, "  %s %s", text_put_time(e->ns, ns), symbol->text);
			if (symbol->n_variants > 1)
				fprintf(q->out, " (%s, %u)", symbol->example, symbol->n_variants);
			fputc('\n', q->out);
		}
	}
}
