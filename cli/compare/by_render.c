// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/by.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare/warnings.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

#define CHANGE_WIDTH 11 /* of a difference with its sign */

/* The table has no column for a class that is small in all groups of runs. */
static bool is_shown(const struct study *s, size_t class)
{
	for (size_t i = 0; i < s->n_groups; i++)
		if (s->groups[i].class_ns[class] >
		    s->groups[i].delta->new.value_ns / 1000 * COMPARE_CLASS_PERMILLE)
			return true;
	return false;
}

static const char *value_text(const struct by_view *v, size_t group, size_t key, char buf[BY_VALUE_MAX])
{
	by_value(v->machines[v->study->groups[group].first], v->by->keys[key], buf);
	return buf[0] ? buf : strcpy(buf, "not known");
}

static int key_width(const struct by_view *v, size_t key)
{
	char value[BY_VALUE_MAX];
	size_t width = strlen(by_key_name(v->by->keys[key]));

	for (size_t i = 0; i < v->study->n_groups; i++)
		width = MAX(width, strlen(value_text(v, i, key, value)));
	return (int)width;
}

static double share(uint64_t ns, uint64_t of_ns)
{
	return of_ns ? (double)ns * 100 / (double)of_ns : 0;
}

static int class_width(size_t class)
{
	return MAX((int)strlen(part_class_name((enum part_class) class)), 7);
}

/* Begins the head of a table. */
static void put_keys(FILE *f, const struct by_view *v)
{
	fputs("\n  ", f);
	for (size_t k = 0; k < v->by->n; k++)
		fprintf(f, "%-*s  ", key_width(v, k), by_key_name(v->by->keys[k]));
}

/* Begins the row of a group. */
static void put_settings(FILE *f, const struct by_view *v, size_t group)
{
	char value[BY_VALUE_MAX];

	fputs("  ", f);
	for (size_t k = 0; k < v->by->n; k++)
		fprintf(f, "%-*s  ", key_width(v, k), value_text(v, group, k, value));
}

static void put_class_names(FILE *f, const struct by_view *v)
{
	for (size_t c = 0; c < PART_CLASSES; c++)
		if (is_shown(v->study, c))
			fprintf(f, "  %*s", class_width(c), part_class_name((enum part_class)c));
}

static void put_head(FILE *f, const struct by_view *v)
{
	put_keys(f, v);
	fprintf(f, "%4s  %10s  %9s", "runs", metric_name(v->metric), "change");
	put_class_names(f, v);
	fputs("  largest reason for the change\n", f);
}

static void put_reason(FILE *f, const struct study_group *g)
{
	const struct delta_row *why = study_reason(g);
	char ns[TEXT_NUMBER_MAX];

	if (why)
		fprintf(f, "  %s%s %s", why->difference_ns < 0 ? "-" : "+",
			text_duration((uint64_t)llabs(why->difference_ns), ns), why->text);
	fputc('\n', f);
}

static void put_group(FILE *f, const struct by_view *v, size_t i)
{
	const struct study_group *g = &v->study->groups[i];
	const struct delta_side *side = &g->delta->new;
	char ns[TEXT_NUMBER_MAX], change[TEXT_NUMBER_MAX] = "";

	put_settings(f, v, i);
	if (i && g->delta->old.value_ns)
		snprintf(change, sizeof(change), "%+.1f %%",
			 (double)g->delta->difference_ns * 100 / (double)g->delta->old.value_ns);
	fprintf(f, "%4zu  %10s  %9s", side->runs, text_duration(side->value_ns, ns), change);
	for (size_t c = 0; c < PART_CLASSES; c++)
		if (is_shown(v->study, c))
			fprintf(f, "  %*.1f %%", class_width(c) - 2, share(g->class_ns[c], side->value_ns));
	put_reason(f, g);
}

/* How much of the change each kind of parts is. The shares of a row add up to 100 %. */
static void put_change(FILE *f, const struct by_view *v, size_t i)
{
	const struct study_group *of = v->study->groups;
	int64_t all = of[i].delta->difference_ns;
	char ns[TEXT_NUMBER_MAX];

	put_settings(f, v, i);
	fprintf(f, "%c%s", all < 0 ? '-' : '+', text_duration((uint64_t)llabs(all), ns));
	fprintf(f, "%*s", MAX(CHANGE_WIDTH - 1 - (int)strlen(ns), 0), "");
	for (size_t c = 0; c < PART_CLASSES; c++)
		if (is_shown(v->study, c))
			fprintf(f, "  %*.1f %%", class_width(c) - 2,
				(double)(int64_t)(of[i].class_ns[c] - of[0].class_ns[c]) * 100 / (double)all);
	fputc('\n', f);
}

static bool has_changes(const struct study *s)
{
	for (size_t i = 1; i < s->n_groups; i++)
		if (s->groups[i].delta->difference_ns)
			return true;
	return false;
}

static void put_changes(FILE *f, const struct by_view *v)
{
	fputs("\nShares of the change, by kind:", f);
	put_keys(f, v);
	fprintf(f, "%-*s", CHANGE_WIDTH, "change");
	put_class_names(f, v);
	fputc('\n', f);
	for (size_t i = 1; i < v->study->n_groups; i++)
		if (v->study->groups[i].delta->difference_ns)
			put_change(f, v, i);
}

static bool lacks_settings(const struct by_view *v)
{
	char label[BY_LABEL_MAX];

	for (size_t i = 0; i < v->study->n_groups; i++)
		if (!by_label(v->machines[v->study->groups[i].first], v->by, label))
			return true;
	return false;
}

static void find_warnings(const struct by_view *v, struct warnings *w)
{
	w->n = 0;
	warnings_side(w, v->all, "");
	if (lacks_settings(v))
		snprintf(
			w->v[w->n++], WARNINGS_TEXT_MAX,
			"Some traces do not say all of these settings: an old ctrace recorded the trace, or the machine does not show the setting.");
}

void by_print(FILE *f, const struct by_view *v, const char *sentence)
{
	struct warnings w;

	find_warnings(v, &w);
	fprintf(f, "%s%s%s\n", cli_sgr(f, "1"), sentence, cli_sgr(f, "0"));
	put_head(f, v);
	for (size_t i = 0; i < v->study->n_groups; i++)
		put_group(f, v, i);
	if (has_changes(v->study))
		put_changes(f, v);
	if (v->study->n_groups > 1 || w.n)
		fputc('\n', f);
	if (v->study->n_groups > 1)
		fputs("The changes are against the first row. To compare with another row, name the traces of that row first.\n",
		      f);
	for (size_t i = 0; i < w.n; i++)
		fprintf(f, "%s\n", w.v[i]);
}

static json_t *settings_json(const struct by_view *v, size_t group)
{
	const struct baseline_machine *m = v->machines[v->study->groups[group].first];
	json_t *o = json_object();
	char value[BY_VALUE_MAX];

	for (size_t k = 0; k < v->by->n; k++) {
		enum by_key key = v->by->keys[k];

		by_value(m, key, value);
		json_object_set_new(o, by_key_name(key),
				    !value[0]        ? json_null()
				    : key == BY_CPUS ? json_integer((json_int_t)m->allowed_cpus)
						     : text_json(value));
	}
	return o;
}

/* base: a group whose times are subtracted; NULL: none */
static json_t *kinds_json(const struct study_group *g, const struct study_group *base)
{
	json_t *o = json_object();

	for (size_t c = 0; c < PART_CLASSES; c++)
		json_object_set_new(
			o, part_class_name((enum part_class)c),
			json_integer((json_int_t)(g->class_ns[c] - (base ? base->class_ns[c] : 0))));
	return o;
}

static json_t *reason_json(const struct study_group *g)
{
	const struct delta_row *why = study_reason(g);

	return why ? json_pack("{s:o, s:s, s:I}", "text", text_json(why->text), "kind",
			       part_class_name(why->class), "difference_ns", (json_int_t)why->difference_ns)
		   : json_null();
}

static json_t *group_json(const void *view, size_t i)
{
	const struct by_view *v = view;
	const struct study_group *g = &v->study->groups[i];
	const struct delta_side *s = &g->delta->new;

	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "settings", settings_json(v, i),
			 "runs", (json_int_t)s->runs, "value_ns", (json_int_t)s->value_ns, "min_ns",
			 (json_int_t)s->min_ns, "max_ns", (json_int_t)s->max_ns, "difference_ns",
			 (json_int_t)g->delta->difference_ns, "kinds", kinds_json(g, NULL),
			 "kinds_difference", kinds_json(g, &v->study->groups[0]), "reason", reason_json(g));
}

int by_print_json(const struct by_view *v, const char *sentence)
{
	json_t *by = json_array(), *warnings = json_array();
	struct warnings w;

	find_warnings(v, &w);
	for (size_t i = 0; i < w.n; i++)
		json_array_append_new(warnings, text_json(w.v[i]));
	for (size_t k = 0; k < v->by->n; k++)
		json_array_append_new(by, json_string(by_key_name(v->by->keys[k])));
	return text_print_json_items(json_pack("{s:s, s:o, s:o, s:s, s:o}", "schema", "ctrace.study/1",
					       "text", text_json(sentence), "by", by, "metric",
					       metric_name(v->metric), "warnings", warnings),
				     "groups", v->study->n_groups, group_json, v);
}
