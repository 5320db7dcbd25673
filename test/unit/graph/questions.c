// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/graph/questions.h"

struct graph *question_graph(const struct question *q)
{
	struct graph *g;

	assert_int_equal(graph_build(q->w, &g), 0);
	return g;
}

void question_free_graph(struct graph **g)
{
	graph_free(*g);
}

void question_put_time(const struct question *q, uint64_t ns)
{
	char buf[TEXT_TIME_MAX];

	fputs(text_put_time(ns, buf), q->out);
}

void question_put_task(const struct question *q, const struct graph *g, uint32_t task)
{
	char buf[TEXT_NAME_MAX];

	fputs(task == GRAPH_NONE ? "nobody" : text_put_task(q->w, g->tasks[task].tid, 0, buf), q->out);
}

uint32_t question_task(const struct question *q, const struct graph *g, uint64_t ns)
{
	const char *word = text_line_next(q->l, "a task");
	uint32_t task = graph_task_at(g, text_task(q->t, q->l, word), ns);

	if (task == GRAPH_NONE)
		text_line_fail(q->l, "the graph has no task \"%s\"", word);
	return task;
}

uint64_t question_time(const struct question *q)
{
	return text_time(q->l, text_line_next(q->l, "a time"));
}
