// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stats/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats/random.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"

/* The test of one factor. */
struct test {
	struct levels_factor *f;
	double *counts; /* [level]: values with this level */
	double *sums;   /* [level]: their sum */
	double squares; /* between_levels() of the values in their own order */
	unsigned as_large;
};

static void test_done(struct test *t)
{
	free(t->counts);
	free(t->sums);
}

/* v: values whose mean is 0. Returns the sum of squares between the levels. */
static double between_levels(struct test *t, const double *v, size_t n)
{
	double sum = 0;

	memset(t->sums, 0, t->f->n_levels * sizeof(*t->sums));
	for (size_t i = 0; i < n; i++)
		t->sums[t->f->of[i]] += v[i];
	for (size_t i = 0; i < t->f->n_levels; i++)
		if (t->counts[i] > 0)
			sum += t->sums[i] * t->sums[i] / t->counts[i];
	return sum;
}

static int test_init(struct test *t, const double *v, size_t n, double all_squares)
{
	struct levels_factor *f = t->f;
	double more = (double)f->n_levels - 1, inside, share;

	f->share = 0;
	f->by_chance = true;
	if (f->n_levels < 2 || f->n_levels >= n || all_squares <= 0)
		return 0;
	t->counts = calloc(f->n_levels, sizeof(*t->counts));
	t->sums = calloc(f->n_levels, sizeof(*t->sums));
	if (!t->counts || !t->sums)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->counts[f->of[i]]++;
	t->squares = between_levels(t, v, n);
	inside = (all_squares - t->squares) / (double)(n - f->n_levels);
	share = (t->squares - more * inside) / all_squares;
	f->share = share > 0 ? share : 0;
	f->by_chance = f->share <= 0;
	return 0;
}

/* Fisher and Yates. */
static void shuffle(double *v, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = random_below(state, i);
		double x = v[k];

		v[k] = v[i - 1];
		v[i - 1] = x;
	}
}

/* Rounding makes equal sums a little different. */
#define AS_LARGE(x, y) ((x) >= (y) * (1 - 1e-9))

static void run_tests(struct test *tests, size_t n_tests, double *v, size_t n)
{
	uint64_t state = 0;
	bool open = true;

	for (unsigned i = 0; i < LEVELS_SHUFFLES && open; i++) {
		open = false;
		shuffle(v, n, &state);
		for (size_t k = 0; k < n_tests; k++) {
			struct test *t = &tests[k];

			if (t->f->by_chance)
				continue;
			t->as_large += AS_LARGE(between_levels(t, v, n), t->squares);
			t->f->by_chance = t->as_large > LEVELS_AS_LARGE;
			open |= !t->f->by_chance;
		}
	}
}

/* Writes the values minus their mean. Returns the sum of their squares. */
static double centre(const double *v, size_t n, double *ret)
{
	double mean = 0, squares = 0;
	bool equal = true;

	for (size_t i = 0; i < n; i++) {
		mean += v[i] / (double)n;
		equal &= v[i] == v[0];
	}
	for (size_t i = 0; i < n; i++) {
		ret[i] = v[i] - mean;
		squares += ret[i] * ret[i];
	}
	return equal ? 0 : squares;
}

int levels_explain(const double *v, size_t n, struct levels_factor *factors, size_t n_factors)
{
	_cleanup_free_ double *centred = calloc(n + 1, sizeof(*centred));
	struct test *tests = calloc(n_factors + 1, sizeof(*tests));
	int r = centred && tests ? 0 : -ENOMEM;
	double squares = r ? 0 : centre(v, n, centred);

	for (size_t i = 0; i < n_factors && !r; i++) {
		tests[i].f = &factors[i];
		r = test_init(&tests[i], centred, n, squares);
	}
	if (!r)
		run_tests(tests, n_factors, centred, n);
	for (size_t i = 0; tests && i < n_factors; i++)
		test_done(&tests[i]);
	free(tests);
	return r;
}
