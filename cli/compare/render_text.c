// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

#define CHANGE_MAX (TEXT_NUMBER_MAX + 1)
static const char *change(int64_t ns, char buf[CHANGE_MAX])
{
	char number[TEXT_NUMBER_MAX];

	snprintf(buf, CHANGE_MAX, "%s%s",
		 !ns      ? ""
		 : ns < 0 ? "-"
			  : "+",
		 text_duration((uint64_t)llabs(ns), number));
	return buf;
}

static void put_side(FILE *f, const char *word, const struct delta *d, const struct delta_side *s)
{
	char value[TEXT_NUMBER_MAX], least[TEXT_NUMBER_MAX], most[TEXT_NUMBER_MAX];

	fprintf(f, "%s %zu run%s, %s %s", word, s->runs, s->runs == 1 ? "" : "s", metric_name(d->metric),
		text_duration(s->value_ns, value));
	if (s->runs > 1)
		fprintf(f, " (%s to %s)", text_duration(s->min_ns, least), text_duration(s->max_ns, most));
	fputc('\n', f);
}

static void put_machines(FILE *f, const struct compare_view *v)
{
	char differ[4 * BASELINE_MACHINE_MAX];

	baseline_differ(&v->old->machine, &v->new->machine, differ, sizeof(differ));
	if (differ[0])
		fprintf(f, "The machines differ: %s. The difference may come from them.\n", differ);
	if (v->old->mixed)
		fputs("The old runs come from several machines.\n", f);
	if (v->new->mixed)
		fputs("The new runs come from several machines.\n", f);
}

static void put_warnings(FILE *f, const struct compare_view *v)
{
	struct warnings w = { .n = 0 };

	warnings_compare(&w, v->old, v->new);
	for (size_t i = 0; i < w.n; i++)
		fprintf(f, "%s\n", w.v[i]);
}

static void put_busy_side(FILE *f, const char *word, uint64_t environment_ns, const struct delta_side *s)
{
	if (environment_ns > s->value_ns / COMPARE_BUSY_SHARE)
		fprintf(f,
			"%.0f %% of the time of the %s run%s is because of other programs on the machine: record again on a quieter machine.\n",
			100 * (double)environment_ns / (double)s->value_ns, word, text_s(s->runs));
}

static void put_busy(FILE *f, const struct delta *d)
{
	uint64_t old_ns = 0, new_ns = 0;

	for (size_t i = 0; i < d->n_rows; i++)
		if (d->rows[i].class == PART_CLASS_ENVIRONMENT) {
			old_ns += d->rows[i].old_ns;
			new_ns += d->rows[i].new_ns;
		}
	put_busy_side(f, "old", old_ns, &d->old);
	put_busy_side(f, "new", new_ns, &d->new);
}

#define NOTE_MAX 64
/* Says if the part is new or gone, or happens more or less often. */
static const char *note_of(const struct delta_row *r, char buf[NOTE_MAX])
{
	double was = round(r->old_count), is = round(r->new_count);

	buf[0] = '\0';
	if (!r->old_ns)
		return "  (new)";
	if (!r->new_ns)
		return "  (gone)";
	/* the count of a running function is its number of samples */
	if (r->class != PART_CLASS_RUNNING && was != is &&
	    fabs(is - was) * COMPARE_COUNT_SHARE >= MAX(was, is))
		snprintf(buf, NOTE_MAX, "  (%.0f -> %.0f times)", was, is);
	return buf;
}

static void put_row(FILE *f, const struct delta_row *r)
{
	char old[TEXT_NUMBER_MAX], new[TEXT_NUMBER_MAX], diff[CHANGE_MAX], note[NOTE_MAX];

	fprintf(f, "  %10s  %10s  %10s  %-11s  %s%s\n", change(r->difference_ns, diff),
		text_duration(r->old_ns, old), text_duration(r->new_ns, new), part_class_name(r->class),
		r->text, note_of(r, note));
}

static void put_sum(FILE *f, const struct delta_row *r)
{
	char old[TEXT_NUMBER_MAX], new[TEXT_NUMBER_MAX], diff[CHANGE_MAX];

	fprintf(f, "  %10s  %10s  %10s  %-11s  %s\n", change(r->difference_ns, diff),
		text_duration(r->old_ns, old), text_duration(r->new_ns, new), "", r->text);
}

static void put_rows(FILE *f, const struct compare_view *v, bool environment)
{
	struct delta_row rest = { .text = (char[64]){ 0 } };
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < v->delta->n_rows; i++) {
		const struct delta_row *r = &v->delta->rows[tablearg_row(v->order, i)];

		if ((r->class == PART_CLASS_ENVIRONMENT) != environment)
			continue;
		if (!shown && environment)
			fputs("Because of other programs on the machine:\n", f);
		if (shown < v->top) {
			put_row(f, r);
			shown++;
			continue;
		}
		rest.old_ns += r->old_ns;
		rest.new_ns += r->new_ns;
		more++;
	}
	if (!more)
		return;
	rest.difference_ns = (int64_t)(rest.new_ns - rest.old_ns);
	fprintf(f, "  %10s  %10s  %10s  %-11s  %zu other%s; --limit shows more\n",
		change(rest.difference_ns, (char[CHANGE_MAX]){ 0 }),
		text_duration(rest.old_ns, (char[TEXT_NUMBER_MAX]){ 0 }),
		text_duration(rest.new_ns, (char[TEXT_NUMBER_MAX]){ 0 }), "", more, more == 1 ? "" : "s");
}

static void put_own(FILE *f, const struct delta *d)
{
	struct delta_row own = { .text = (char[]){ "the command itself" } };
	bool both = false;

	for (size_t i = 0; i < d->n_rows; i++) {
		if (d->rows[i].class == PART_CLASS_ENVIRONMENT) {
			both = true;
			continue;
		}
		own.old_ns += d->rows[i].old_ns;
		own.new_ns += d->rows[i].new_ns;
	}
	own.difference_ns = (int64_t)(own.new_ns - own.old_ns);
	if (both)
		put_sum(f, &own);
}

void render_compare(FILE *f, const struct compare_view *v)
{
	const struct delta *d = v->delta;
	char old[TEXT_NUMBER_MAX], new[TEXT_NUMBER_MAX], diff[CHANGE_MAX];

	fprintf(f, "%s%s%s\n", cli_sgr(f, "1"), d->sentence, cli_sgr(f, "0"));
	fputc('\n', f);
	put_side(f, "Old:", d, &d->old);
	put_side(f, "New:", d, &d->new);
	if (v->new->unit[0])
		fprintf(f, "Here, a run is %s.\n", v->new->unit);
	put_machines(f, v);
	put_warnings(f, v);
	put_busy(f, d);
	fprintf(f, "\n  %10s  %10s  %10s  %-11s  %s\n", "change", "old", "new", "kind",
		"part of the critical path");
	put_rows(f, v, false);
	put_own(f, v->delta);
	put_rows(f, v, true);
	fprintf(f, "  %10s  %10s  %10s  %-11s  %s\n", change(d->difference_ns, diff),
		text_duration(d->old.value_ns, old), text_duration(d->new.value_ns, new), "", "in all");
}
