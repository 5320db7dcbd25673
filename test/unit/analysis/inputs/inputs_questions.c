/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/inputs/inputs.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"
#include "trace/words/describe.h"

static void put_input(const struct question *q, const struct graph *g, const struct input *in)
{
	char at[TEXT_TIME_MAX];

	fprintf(q->out, "%s of %s[%u] at %s", describe_input((enum ct_input)in->what),
		graph_comm(g, in->task, in->taken_ns), g->tasks[in->task].tid,
		text_put_time(in->from_ns, at));
	if (in->taken_ns != in->from_ns)
		fprintf(q->out, ", taken at %s", text_put_time(in->taken_ns, at));
	if (in->shown_ns)
		fprintf(q->out, ": shown at %s by %s[%u]", text_put_time(in->shown_ns, at),
			graph_comm(g, in->sender, in->shown_ns), g->tasks[in->sender].tid);
	else
		fprintf(q->out, ": no update");
	fprintf(q->out, "%s%s\n", in->shared ? ", perhaps of another event" : "", in->open ? ", open" : "");
}

void ask_inputs(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	input_list inputs = { 0 };

	assert_int_equal(inputs_find(g, 1u << CT_INPUT_KEY | 1u << CT_INPUT_BUTTON, &inputs), 0);
	for (size_t i = 0; i < inputs.n; i++)
		put_input(q, g, &inputs.v[i]);
	if (!inputs.n)
		fprintf(q->out, "none\n");
	VEC_FREE(&inputs);
}
