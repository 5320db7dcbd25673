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

/* Returns the sum of all changes, growth or not. */
static uint64_t moved(const struct delta *d)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < d->n_rows; i++)
		ns += (uint64_t)llabs(d->rows[i].difference_ns);
	return ns;
}

char *delta_words(const struct delta *d)
{
	uint64_t least = moved(d) / DELTA_SAID_SHARE;
	const char *before = ": ";
	struct words t = { 0 };
	size_t said = 0;

	say_whole(&t, d);
	for (size_t i = 0; i < d->n_rows && said < DELTA_SAID_ROWS; i++) {
		const struct delta_row *r = &d->rows[i];

		if (r->class == PART_CLASS_ENVIRONMENT || !r->difference_ns ||
		    (uint64_t)llabs(r->difference_ns) < least)
			continue;
		words_add(&t, "%s", before);
		say_change(&t, r->difference_ns);
		words_add(&t, " %s", r->text);
		before = "; ";
		said++;
	}
	if (d->environment_ns && (uint64_t)llabs(d->environment_ns) >= least) {
		words_add(&t, "%s", before);
		say_change(&t, d->environment_ns);
		words_add(&t, " because of other programs on the machine");
	}
	return words_take(&t);
}
