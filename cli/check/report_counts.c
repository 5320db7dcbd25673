// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/report_counts.h"

#include <inttypes.h>

#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/words.h"

const char *counts_range(uint64_t min, uint64_t max, char buf[COUNT_RANGE_MAX])
{
	if (min == max)
		snprintf(buf, COUNT_RANGE_MAX, "%" PRIu64, min);
	else
		snprintf(buf, COUNT_RANGE_MAX, "%" PRIu64 "..%" PRIu64, min, max);
	return buf;
}

const char *counts_result_name(const struct check_view *v)
{
	static const char *const names[] = {
		[COUNTS_OK] = "ok", [COUNTS_GREW] = "regression", [COUNTS_OPEN] = "undecided"
	};

	return names[v->counts->kind];
}

/* Example: "3 counts of a run grew: send to port 6379 from 4 to 7, lock x.db from 1 to 4, 1 other" */
static void say_grew(struct words *t, const struct counts_result *r)
{
	char was[COUNT_RANGE_MAX], is[COUNT_RANGE_MAX];
	size_t n = MIN(r->n_grew, (size_t)CHECK_SAID_COUNTS), others = r->n_grew - n;

	words_add(t, "%zu count%s of a run grew: ", r->n_grew, text_s(r->n_grew));
	for (size_t i = 0; i < n; i++) {
		const struct counts_change *c = &r->changes.v[i];

		words_add(t, "%s%s from %s to %s", i ? ", " : "", c->text,
			  counts_range(c->old_min, c->old_max, was),
			  counts_range(c->new_min, c->new_max, is));
	}
	if (others)
		words_add(t, ", %zu other%s", others, text_s(others));
}

static void say_open(struct words *t, const struct check_view *v)
{
	const struct counts_result *r = v->counts;

	if (v->old->counts.refused || v->new->counts.refused) {
		words_add(t, "the runs have more than %d different events, too many to compare their counts",
			  COUNTS_ROWS_MAX);
		return;
	}
	if (!r->n_old || !r->n_new) {
		words_add(t, "no %s run was recorded without a loss, so the counts cannot be compared",
			  r->n_old ? "new" : "old");
		return;
	}
	say_grew(t, r);
	words_add(t, "; with so few runs (%zu and %zu), this may be chance", r->n_old, r->n_new);
	if (r->runs_needed)
		words_add(t, "; at least %zu runs of each side decide", r->runs_needed);
}

char *counts_sentence(const struct check_view *v)
{
	const struct counts_result *r = v->counts;
	struct words t = { 0 };

	if (r->kind == COUNTS_OK)
		words_add(&t, "No regression: no count grew (%zu and %zu recorded runs)", r->n_old, r->n_new);
	else
		words_add(&t, "%s: ", r->kind == COUNTS_GREW ? "Regression" : "Undecided");
	if (r->kind == COUNTS_GREW)
		say_grew(&t, r);
	else if (r->kind == COUNTS_OPEN)
		say_open(&t, v);
	return words_take(&t);
}

static void put_left_out(FILE *f, const char *side, size_t n)
{
	if (n)
		fprintf(f,
			"%zu %s run%s lack%s events, because records were lost or left out: counts are not those of %s.\n",
			n, side, text_s(n), n == 1 ? "s" : "", n == 1 ? "this run" : "these runs");
}

void counts_text(FILE *f, const struct check_view *v)
{
	const struct counts_result *r = v->counts;
	char was[COUNT_RANGE_MAX], is[COUNT_RANGE_MAX];
	size_t n = MIN(r->changes.n, (size_t)CHECK_ROWS);

	if (n)
		fprintf(f,
			"\nCounts of a run that changed (%zu and %zu recorded runs):\n  %10s  %10s  event\n",
			r->n_old, r->n_new, "old", "new");
	for (size_t i = 0; i < n; i++) {
		const struct counts_change *c = &r->changes.v[i];

		fprintf(f, "  %10s  %10s  %s%s\n", counts_range(c->old_min, c->old_max, was),
			counts_range(c->new_min, c->new_max, is), c->text, i < r->n_grew ? "" : "  (fewer)");
	}
	if (r->changes.n > n)
		fprintf(f, "  %10s  %10s  %zu other%s\n", "", "", r->changes.n - n, text_s(r->changes.n - n));
	if (v->old->counts.n_incomplete || v->new->counts.n_incomplete)
		fputc('\n', f);
	put_left_out(f, "old", v->old->counts.n_incomplete);
	put_left_out(f, "new", v->new->counts.n_incomplete);
}

static json_t *range_json(uint64_t min, uint64_t max)
{
	return json_pack("[I, I]", (json_int_t)min, (json_int_t)max);
}

json_t *counts_json(const struct check_view *v)
{
	const struct counts_result *r = v->counts;
	json_t *changes = json_array();

	for (size_t i = 0; i < r->changes.n; i++) {
		const struct counts_change *c = &r->changes.v[i];

		json_array_append_new(changes,
				      json_pack("{s:o, s:b, s:o, s:o}", "text", text_json(c->text), "grew",
						i < r->n_grew, "old", range_json(c->old_min, c->old_max),
						"new", range_json(c->new_min, c->new_max)));
	}
	return json_pack("{s:s, s:o, s:I, s:I, s:I, s:f, s:o}", "result", counts_result_name(v), "text",
			 text_json(v->counts_sentence), "old_runs", (json_int_t)r->n_old, "new_runs",
			 (json_int_t)r->n_new, "varying", (json_int_t)r->n_varying, "chance", r->p, "changes",
			 changes);
}
