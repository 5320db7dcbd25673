/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/flame/flame.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void put_stack(const struct question *q, const struct flame *f, uint32_t node)
{
	if (f->nodes.v[node].parent) {
		put_stack(q, f, f->nodes.v[node].parent);
		fputs("; ", q->out);
	}
	if (f->nodes.v[node].other && !f->nodes.v[f->nodes.v[node].parent].other)
		fputs("<- ", q->out);
	fputs(flame_text(f, node), q->out);
}

void ask_flame(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	const char *word = text_line_next(q->l, "a kind");
	enum flame_kind kind = flame_kind_of(word);
	uint32_t task = question_task(q, g, q->w->to_ns);
	uint64_t from, to, sum = 0, samples = 0;
	struct flame f;

	text_range(q->l, text_line_next(q->l, "a range"), &from, &to);
	if (q->l->error[0])
		return;
	assert_true(kind < FLAME_KINDS);
	assert_int_equal(flame_init(&f), 0);
	f.keep = true;
	assert_int_equal(flame_add(&f, g, kind, task, from, to), 0);
	for (uint32_t i = 1; i < f.nodes.n; i++) {
		const struct flame_node *n = &f.nodes.v[i];

		assert_true(n->parent < i);
		assert_int_equal(n->depth, f.nodes.v[n->parent].depth + 1);
		sum += n->self_ns;
		if (!n->self_ns)
			continue;
		question_put_time(q, n->self_ns);
		fputs(" ", q->out);
		put_stack(q, &f, i);
		fputs("\n", q->out);
	}
	for (size_t i = 0; i < f.samples.n; i++)
		samples += f.samples.v[i].ns;
	assert_int_equal(sum, f.total_ns);
	assert_int_equal(samples, f.total_ns);
	assert_int_equal(f.refused, 0);
	flame_done(&f);
}
