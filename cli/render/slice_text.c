// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/render/causal.h"
#include "cli/text.h"
#include "report/plain.h"
#include "report/walltime.h"
#include "trace/words/describe.h"

static void print_way(FILE *f, const struct causal *c, const struct edge *e)
{
	char name[DESCRIBE_MAX] = "";
	uint64_t object = edge_object(c, e);

	if (object)
		describe_object(c->g->w, object, name, sizeof(name));
	fprintf(f, "%s%s%s", edge_kind_name(e->kind), name[0] ? " " : "", name);
}

static void print_segment(FILE *f, const struct causal *c, const struct slice_step *x)
{
	const struct segment *s = &c->segments[x->segment];
	char who[RENDER_WHO_MAX], wall[WALLTIME_MAX], ns[TEXT_NUMBER_MAX], comm[64];

	fprintf(f, "%s  %s%s%s, work of %s", walltime_clock(x->at_ns, &c->g->w->offsets, 6, wall),
		cli_sgr(f, "1"), render_who(c, x->segment, who), cli_sgr(f, "0"),
		text_duration(s->to_ns - s->from_ns, ns));
	if (s->behalf != GRAPH_NONE) {
		describe_clean(graph_comm(c->g, s->behalf, s->from_ns), comm, sizeof(comm));
		fprintf(f, " for %s[%" PRIu32 "]", comm, c->g->tasks[s->behalf].tid);
	}
}

static void print_step(FILE *f, const struct causal *c, const struct slice *s, size_t i,
		       enum slice_direction direction)
{
	const struct slice_step *x = &s->steps[i];
	const struct edge *e = x->edge == GRAPH_NONE ? NULL : &c->edges[x->edge];
	char text[EDGE_EXPLAIN_MAX];

	fprintf(f, "%4zu. ", i + 1);
	print_segment(f, c, x);
	if (!e) {
		fputc('\n', f);
		return;
	}
	if (direction == SLICE_BACKWARD)
		fprintf(f, ", led to %" PRIu32 ": ", x->parent + 1);
	else
		fprintf(f, ", led to by %" PRIu32 ": ", x->parent + 1);
	print_way(f, c, e);
	fprintf(f, ", %s\n", plain_strength((enum edge_strength)e->strength));
	edge_explain(c, e, text, sizeof(text));
	fprintf(f, "        %s\n", text);
}

static void print_option(FILE *f, const struct causal *c, const struct slice_option *o,
			 enum slice_direction direction)
{
	const struct edge *e = &c->edges[o->edge];
	uint32_t other = direction == SLICE_BACKWARD ? e->from : e->to;
	char who[RENDER_WHO_MAX];

	if (other == GRAPH_NONE) {
		fputs(render_outside(e), f);
	} else {
		fprintf(f, "%s by ", render_who(c, other, who));
		print_way(f, c, e);
	}
	fprintf(f, " (%s, %.0f %%", plain_strength((enum edge_strength)e->strength), 100 * (double)o->score);
	if (o->similarity >= 0)
		fprintf(f, ", stacks %.0f %% alike", 100 * (double)o->similarity);
	fprintf(f, "%s)", o->ruled_out ? ", ruled out" : "");
}

static const char *decider_words(uint8_t decider)
{
	return decider == SLICE_BY_PERSON ? "you said"
	       : decider == SLICE_BY_RULE ? "a rule said"
					  : "the way through it ranks first";
}

static void print_choice(FILE *f, const struct causal *c, const struct slice *s, const struct slice_choice *x,
			 enum slice_direction direction)
{
	const struct slice_option *options = s->options + x->first_option;

	fprintf(f, "  at %" PRIu32 ": ", x->step + 1);
	if (x->chosen == GRAPH_NONE)
		fputs("none was followed", f);
	else
		print_option(f, c, &options[x->chosen], direction);
	fprintf(f, "; %s\n", decider_words(x->decider));
	for (uint32_t i = 0; i < x->n_options; i++) {
		if (i == x->chosen)
			continue;
		fputs("        not ", f);
		print_option(f, c, &options[i], direction);
		fputc('\n', f);
	}
}

static void print_end(FILE *f, const struct causal *c, const struct slice *s)
{
	switch (s->end) {
	case SLICE_END_ROOT:
		fputs("It begins there: no recorded event led to it.\n", f);
		break;
	case SLICE_END_OUTSIDE:
		fprintf(f, "It begins with %s.\n",
			s->end_edge == GRAPH_NONE ? "something outside"
						  : render_outside(&c->edges[s->end_edge]));
		break;
	case SLICE_END_REFUSED:
		fputs("It ends there: all further candidates are ruled out.\n", f);
		break;
	case SLICE_END_LIMIT:
		fputs("It was not followed further: this is the largest number of steps.\n", f);
		break;
	case SLICE_END_STOPPED:
		fputs("It was not followed further, as you asked.\n", f);
		break;
	case SLICE_END_DONE:
		fputs("This is everything that it certainly led to.\n", f);
		break;
	}
}

static void print_earlier(FILE *f, const struct causal *c, const struct slice *s)
{
	const struct segment *segment = &c->segments[s->steps[0].segment];
	char wall[WALLTIME_MAX];

	fprintf(f,
		"Not listed: what the same work had led to before that moment (%" PRIu32
		"); it began at %s.\n",
		s->earlier, walltime_text(segment->from_ns, &c->g->w->offsets, 6, wall));
}

void render_slice(FILE *f, const struct causal *c, const struct slice *s, enum slice_direction direction)
{
	char wall[WALLTIME_MAX], who[RENDER_WHO_MAX];
	const struct slice_step *first = &s->steps[0];

	fprintf(f, "%s %s at %s (policy %s, score %.2f):\n",
		direction == SLICE_BACKWARD ? "What led to the work of" : "What was caused by the work of",
		render_who(c, first->segment, who), walltime_text(first->at_ns, &c->g->w->offsets, 6, wall),
		causal_policy_name(c->policy), (double)s->score);
	for (size_t i = 0; i < s->n_steps && !cli_output_broken(); i++)
		print_step(f, c, s, i, direction);
	print_end(f, c, s);
	if (s->earlier)
		print_earlier(f, c, s);
	if (s->n_choices)
		fputs("Decided on the way:\n", f);
	for (size_t i = 0; i < s->n_choices; i++)
		print_choice(f, c, s, &s->choices[i], direction);
	if (s->refused)
		fprintf(f, "%" PRIu32 " other candidates were not followed: there were too many.\n",
			s->refused);
}
