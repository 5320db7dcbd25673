// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/outliers.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/stats/decide.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

static int longer_first(const void *a, const void *b)
{
	const struct profile *x = *(const struct profile *const *)a, *y = *(const struct profile *const *)b;

	return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ? -1 : 0;
}

static size_t number_of(const struct baseline *side, const struct profile *run)
{
	size_t i = 0;

	while (side->runs[i] != run)
		i++;
	return i + 1;
}

/* runs: those of the side, the longest first. Compares run i with all others. */
static int add(const struct baseline *side, const struct profile **runs, size_t i, bool is_new,
	       struct outliers *o)
{
	_cleanup_free_ const struct profile **others = calloc(side->n_runs, sizeof(*others));
	struct outlier found = { .is_new = is_new, .run = number_of(side, runs[i]) };
	size_t n = 0;
	int r;

	if (!others)
		return -ENOMEM;
	for (size_t k = 0; k < side->n_runs; k++)
		if (k != i)
			others[n++] = runs[k];
	r = delta_new(others, n, &runs[i], 1, DELTA_P50, &found.delta);
	r = r ? r : VEC_PUSH(&o->v, found);
	if (r)
		delta_free(found.delta);
	return r;
}

int outliers_find(const struct baseline *side, bool is_new, double max_regress, struct outliers *o)
{
	_cleanup_free_ const struct profile **runs = calloc(side->n_runs + 1, sizeof(*runs));
	size_t n = side->n_runs;
	double third, first, fence;
	int r = 0;

	if (!runs)
		return -ENOMEM;
	if (n < DECIDE_RUNS_MIN)
		return 0;
	for (size_t i = 0; i < n; i++)
		runs[i] = side->runs[i];
	qsort(runs, n, sizeof(*runs), longer_first);
	third = (double)runs[n / 4]->total_ns;
	first = (double)runs[n - 1 - n / 4]->total_ns;
	fence = third + CHECK_OUTLIER_FENCE * (third - first);
	fence = MAX(fence, (double)runs[n / 2]->total_ns * (1 + max_regress));
	for (size_t i = 0; i < n && !r && (double)runs[i]->total_ns > fence; i++)
		r = add(side, runs, i, is_new, o);
	return r;
}

void outliers_done(struct outliers *o)
{
	for (size_t i = 0; i < o->v.n; i++)
		delta_free(o->v.v[i].delta);
	VEC_FREE(&o->v);
}

const struct delta_row *outlier_cause(const struct outlier *o)
{
	for (size_t i = 0; i < o->delta->n_rows; i++)
		if (o->delta->rows[i].difference_ns > 0)
			return &o->delta->rows[i];
	return NULL;
}
