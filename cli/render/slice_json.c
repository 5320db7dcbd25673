// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/causal.h"

#include <stdlib.h>

static json_t *segment_json(const struct causal *c, uint32_t segment)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	json_t *o;

	if (!f)
		return NULL;
	render_segment_json(f, c, segment);
	fclose(f);
	o = text ? json_loadb(text, size, 0, NULL) : NULL;
	free(text);
	return o;
}

static json_t *edge_json(const struct causal *c, uint32_t edge)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f;
	json_t *o;

	if (edge == GRAPH_NONE)
		return json_null();
	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	render_edge_json(f, c, &c->edges[edge], NULL);
	fclose(f);
	o = text ? json_loadb(text, size, 0, NULL) : NULL;
	free(text);
	return o;
}

static json_t *index_json(uint32_t i)
{
	return i == GRAPH_NONE ? json_null() : json_integer(i);
}

static json_t *step_json(const struct causal *c, const struct slice_step *x)
{
	return json_pack("{s:o, s:o, s:o, s:I, s:f}", "segment", segment_json(c, x->segment), "edge",
			 edge_json(c, x->edge), "parent", index_json(x->parent), "at_ns",
			 (json_int_t)clock_mono_ns(x->at_ns, &c->g->w->offsets), "score", (double)x->score);
}

static const char *decider_name(uint8_t decider)
{
	return decider == SLICE_BY_PERSON ? "person" : decider == SLICE_BY_RULE ? "rule" : "rank";
}

static json_t *choice_json(const struct causal *c, const struct slice *s, const struct slice_choice *x)
{
	json_t *options = json_array();

	for (uint32_t i = 0; i < x->n_options; i++) {
		const struct slice_option *o = &s->options[x->first_option + i];

		json_array_append_new(options,
				      json_pack("{s:o, s:f, s:o, s:b}", "edge", edge_json(c, o->edge),
						"score", (double)o->score, "similarity",
						o->similarity < 0 ? json_null() : json_real(o->similarity),
						"ruled_out", o->ruled_out));
	}
	return json_pack("{s:I, s:o, s:s, s:o}", "step", (json_int_t)x->step, "chosen", index_json(x->chosen),
			 "by", decider_name(x->decider), "options", options);
}

json_t *render_slice_json(const struct causal *c, const struct slice *s, enum slice_direction direction)
{
	json_t *steps = json_array(), *choices = json_array();

	for (size_t i = 0; i < s->n_steps; i++)
		json_array_append_new(steps, step_json(c, &s->steps[i]));
	for (size_t i = 0; i < s->n_choices; i++)
		json_array_append_new(choices, choice_json(c, s, &s->choices[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:f, s:I, s:I, s:I}", "schema",
			 "ctrace.slice/1", "direction", direction == SLICE_BACKWARD ? "backward" : "forward",
			 "policy", causal_policy_name(c->policy), "steps", steps, "choices", choices, "end",
			 slice_end_name(s->end), "end_edge", edge_json(c, s->end_edge), "score",
			 (double)s->score, "asked", (json_int_t)s->asked, "refused", (json_int_t)s->refused,
			 "earlier", (json_int_t)s->earlier);
}
