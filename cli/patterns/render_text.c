// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/patterns/render.h"

#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

#define COUNTS_SHOWN 8 /* transactions whose counts fit on a line */

/* Returns true if the window leaves out nothing of the life of the process that the trace has. */
static bool is_whole_life(const struct patterns_view *v)
{
	const struct graph_task *t = &v->g->tasks[v->task];
	const struct window *w = v->g->w;

	return v->from_ns <= MAX(t->born_ns, w->file_from_ns) && v->to_ns >= MIN(t->exit_ns, w->file_to_ns);
}

static void put_action(FILE *f, const struct patterns_view *v)
{
	char comm[CT_COMM_LEN * 2], n[TEXT_NUMBER_MAX], events[TEXT_NUMBER_MAX], took[TEXT_NUMBER_MAX];
	const struct graph_task *t = &v->g->tasks[v->task];

	describe_clean(graph_comm(v->g, v->task, v->to_ns), comm, sizeof(comm));
	if (v->collected->action == COLLECT_MARKS)
		fprintf(f, "%s marked transaction%s of", text_count(v->patterns->n_transactions, n),
			v->patterns->n_transactions == 1 ? "" : "s");
	else if (v->collected->action == COLLECT_REQUESTS)
		fprintf(f, "%s request%s to", text_count(v->patterns->n_transactions, n),
			v->patterns->n_transactions == 1 ? "" : "s");
	else
		fprintf(f, is_whole_life(v) ? "The whole life of" : "A part of the life of");
	fprintf(f, " %s[%u]: %s event%s, %s", comm, t->tgid, text_count(v->patterns->n_events, events),
		v->patterns->n_events == 1 ? "" : "s", text_duration(v->patterns->ns, took));
	if (v->collected->n_tasks > 1)
		fprintf(f, " (the sum of %u tasks, which may run side by side)", v->collected->n_tasks);
	fputc('\n', f);
}

static void put_counts(FILE *f, const struct patterns *all, const struct pattern *p)
{
	if (all->n_transactions > COUNTS_SHOWN) {
		if (p->grows)
			fprintf(f, "from %.3g to %.3g on average, ", p->first, p->last);
		fprintf(f, "%" PRIu64 " to %" PRIu64 " in each", p->min, p->max);
		return;
	}
	for (size_t i = 0; i < all->n_transactions; i++)
		fprintf(f, "%s%u", i ? ", " : "", p->counts[i]);
	if (all->n_transactions == 1)
		fprintf(f, " times");
}

static void put_pattern(FILE *f, const struct patterns *all, const struct pattern *p)
{
	char took[TEXT_NUMBER_MAX];
	double events = (double)p->events / (double)MAX(all->n_events, (size_t)1);
	double ns = (double)p->ns / (double)MAX(all->ns, (uint64_t)1);

	fprintf(f, "  ");
	put_counts(f, all, p);
	fprintf(f, ": %s\n", p->text);
	fprintf(f, "      %.0f %% of the events, %.0f %% of the time (%s)", events * 100, ns * 100,
		text_duration(p->ns, took));
	if (p->in_a_row > 1)
		fprintf(f, "; up to %" PRIu64 " in a row", p->in_a_row);
	if (p->n_variants > 1)
		fprintf(f, "; in %u%s variants, such as: %s", p->n_variants,
			p->n_variants == SEQUENCE_VARIANTS ? " or more" : "", p->example);
	fputc('\n', f);
}

static void put_sections(FILE *f, const struct patterns_view *v, size_t top)
{
	const struct patterns *all = v->patterns;
	size_t i = 0;

	if (all->n && all->v[0].grows)
		fprintf(f, "\nGrowing from one %s to the next:\n",
			v->collected->action == COLLECT_REQUESTS ? "request" : "transaction");
	for (; i < all->n && i < top && all->v[i].grows; i++)
		put_pattern(f, all, &all->v[i]);
	if (i < all->n && i < top)
		fprintf(f, i ? "\nOther repetitions:\n" : "\nRepetitions:\n");
	for (; i < all->n && i < top; i++)
		put_pattern(f, all, &all->v[i]);
}

static void put_sorted(FILE *f, const struct patterns_view *v, size_t top)
{
	const struct patterns *all = v->patterns;

	if (all->n)
		fprintf(f, "\nRepetitions:\n");
	for (size_t i = 0; i < all->n && i < top; i++)
		put_pattern(f, all, &all->v[v->order[i]]);
}

int render_patterns(FILE *f, const struct patterns_view *v, size_t top)
{
	const struct patterns *all = v->patterns;
	size_t left = all->n + all->left_out - MIN(all->n, top);

	put_action(f, v);
	if (!all->n)
		fprintf(f, "\nNothing was repeated.\n");
	if (v->order)
		put_sorted(f, v, top);
	else
		put_sections(f, v, top);
	if (left)
		fprintf(f, "\n%zu more: show them with --limit\n", left);
	return CLI_OK;
}

int render_patterns_changes(FILE *f, const struct patterns_view *before, const struct patterns_view *now,
			    const struct pattern_change *changes, size_t n, size_t top)
{
	fprintf(f, "Old: ");
	put_action(f, before);
	fprintf(f, "New: ");
	put_action(f, now);
	fprintf(f, n ? "\nCount for each transaction, old and new:\n" : "\nNo count changed.\n");
	for (size_t i = 0; i < n && i < top; i++) {
		const struct pattern_change *c = &changes[i];

		fprintf(f, "  %.3g -> %.3g: %s\n", c->was, c->is, c->now ? c->now->text : c->before->text);
	}
	if (n > top)
		fprintf(f, "\n%zu more: show them with --limit\n", n - top);
	return CLI_OK;
}
