// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/delta/delta.h"

#include <stdlib.h>

#include "analysis/thresholds.h"
#include "trace/words/words.h"

static void say_change(struct words *t, int64_t ns)
{
	words_add(t, ns < 0 ? "-" : "+");
	words_duration(t, (uint64_t)llabs(ns));
}

static void say_whole(struct words *t, const struct delta *d)
{
	int64_t ns = d->difference_ns;

	if (!ns) {
		words_add(t, "as long as before");
	} else {
		words_duration(t, (uint64_t)llabs(ns));
		words_add(t, ns > 0 ? " slower" : " faster");
	}
	words_add(t, " (");
	if (d->old.value_ns && ns)
		words_add(t, "%+.1f %%, ", (double)ns * 100 / (double)d->old.value_ns);
	if (d->old.runs == 1 && d->new.runs == 1)
		words_add(t, "one run each)");
	else
		words_add(t, "%s of %zu and %zu runs)", metric_name(d->metric), d->old.runs, d->new.runs);
}

static uint64_t moved(const struct delta *d)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < d->n_rows; i++)
		ns += (uint64_t)llabs(d->rows[i].difference_ns);
	return ns;
}

/* If other programs held up the new runs less than the old ones, the total hides how much slower the
 * command itself became. */
static void say_own(struct words *t, const struct delta *d, uint64_t least)
{
	int64_t own_ns = d->difference_ns - d->environment_ns;

	if (own_ns <= 0 || (uint64_t)own_ns < least || own_ns / 2 < d->difference_ns)
		return;
	words_add(t, ", but the command itself is ");
	words_duration(t, (uint64_t)own_ns);
	words_add(t, " slower");
}

static bool is_own(const struct delta_row *r)
{
	return r->class != PART_CLASS_ENVIRONMENT && r->difference_ns;
}

/* Picks the largest changes of the command itself. If none of these is a growth, the largest
 * growth replaces the last one. */
static size_t pick(const struct delta *d, uint64_t least, const struct delta_row *ret[DELTA_SAID_ROWS])
{
	bool grows = false;
	size_t n = 0, i;

	for (i = 0; i < d->n_rows && n < DELTA_SAID_ROWS; i++) {
		const struct delta_row *r = &d->rows[i];

		if (!is_own(r) || (uint64_t)llabs(r->difference_ns) < least)
			continue;
		grows |= r->difference_ns > 0;
		ret[n++] = r;
	}
	for (; !grows && n == DELTA_SAID_ROWS && i < d->n_rows; i++)
		if (is_own(&d->rows[i]) && d->rows[i].difference_ns > 0 &&
		    (uint64_t)d->rows[i].difference_ns >= least) {
			ret[n - 1] = &d->rows[i];
			break;
		}
	return n;
}

char *delta_words(const struct delta *d)
{
	uint64_t least = moved(d) / DELTA_SAID_SHARE;
	const struct delta_row *rows[DELTA_SAID_ROWS];
	size_t n = pick(d, least, rows);
	const char *before = ": ";
	struct words t = { 0 };

	say_whole(&t, d);
	say_own(&t, d, least);
	for (size_t i = 0; i < n; i++) {
		words_add(&t, "%s", before);
		say_change(&t, rows[i]->difference_ns);
		words_add(&t, " %s", rows[i]->text);
		before = "; ";
	}
	if (d->environment_ns && (uint64_t)llabs(d->environment_ns) >= least) {
		words_add(&t, "%s", before);
		say_change(&t, d->environment_ns);
		words_add(&t, " because of other programs on the machine");
	}
	return words_take(&t);
}
