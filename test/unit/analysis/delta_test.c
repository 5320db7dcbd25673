// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that the tests make without a trace. profile.txt has the tests with traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/delta/delta.h"
#include "lib/cleanup.h"

#define RUNS_MAX 40

static struct profile_part a_part(const char *key, const char *detail, uint64_t ns)
{
	return (struct profile_part){ .key = strdup(key),
				      .detail = strdup(detail),
				      .text = strdup(detail[0] ? detail : key),
				      .ns = ns,
				      .count = 1,
				      .class = !strcmp(key, "env") ? PART_CLASS_ENVIRONMENT
								   : PART_CLASS_DISK };
}

static struct profile *a_profile(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->parts = calloc(64, sizeof(*p->parts));
	assert_non_null(p->parts);
	return p;
}

static void put(struct profile *p, const char *key, const char *detail, uint64_t ns)
{
	p->parts[p->n_parts++] = a_part(key, detail, ns);
	p->total_ns += ns;
}

struct sides {
	struct profile *old[RUNS_MAX], *new[RUNS_MAX];
	size_t n_old, n_new;
};

static void sides_done(struct sides *s)
{
	for (size_t i = 0; i < s->n_old; i++)
		profile_free(s->old[i]);
	for (size_t i = 0; i < s->n_new; i++)
		profile_free(s->new[i]);
}

static struct delta *compared(const struct sides *s, enum delta_metric metric)
{
	struct delta *d = NULL;
	uint64_t old = 0, new = 0;
	int64_t difference = 0, environment = 0;

	assert_int_equal(delta_new((const struct profile *const *)s->old, s->n_old,
				   (const struct profile *const *)s->new, s->n_new, metric, &d),
			 0);
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct delta_row *r = &d->rows[i];

		assert_true(r->difference_ns == (int64_t)(r->new_ns - r->old_ns));
		if (i)
			assert_true(llabs(r->difference_ns) <= llabs(d->rows[i - 1].difference_ns));
		old += r->old_ns;
		new += r->new_ns;
		difference += r->difference_ns;
		environment += r->class == PART_CLASS_ENVIRONMENT ? r->difference_ns : 0;
	}
	assert_true(old == d->old.value_ns);
	assert_true(new == d->new.value_ns);
	assert_true(difference == d->difference_ns);
	assert_true(environment == d->environment_ns);
	assert_in_range(d->old.value_ns, d->old.min_ns, metric == DELTA_TOTAL ? UINT64_MAX : d->old.max_ns);
	assert_in_range(d->new.value_ns, d->new.min_ns, metric == DELTA_TOTAL ? UINT64_MAX : d->new.max_ns);
	return d;
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Returns a profile with parts chosen at random. A part lasts at most about a year. */
static struct profile *random_profile(uint64_t *seed)
{
	static const char *const keys[] = { "a", "b", "c", "d", "env" };
	struct profile *p = a_profile();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (int detail = 0; detail < 3; detail++)
			if (next(seed) % 2)
				put(p, keys[i],
				    detail == 2 ? "y"
				    : detail    ? "x"
						: "",
				    (1 + next(seed)) << next(seed) % 25);
	if (!p->n_parts)
		put(p, "a", "", 1);
	return p;
}

static void adds_up(void **state)
{
	uint64_t seed = 1;

	for (int round = 0; round < 200; round++) {
		_cleanup_(sides_done) struct sides s = { .n_old = 1 + next(&seed) % RUNS_MAX,
							 .n_new = 1 + next(&seed) % RUNS_MAX };

		for (size_t i = 0; i < s.n_old; i++)
			s.old[i] = random_profile(&seed);
		for (size_t i = 0; i < s.n_new; i++)
			s.new[i] = random_profile(&seed);
		for (enum delta_metric m = 0; m < DELTA_METRICS; m++)
			delta_free(compared(&s, m));
	}
}

static void one_run(void **state)
{
	_cleanup_(sides_done) struct sides s = { .n_old = 1, .n_new = 1 };

	s.old[0] = a_profile();
	put(s.old[0], "gone", "", 5);
	put(s.old[0], "same", "", 100);
	s.new[0] = a_profile();
	put(s.new[0], "same", "", 100);
	put(s.new[0], "new", "", 7);
	for (enum delta_metric m = 0; m < DELTA_METRICS; m++) {
		struct delta *d = compared(&s, m);

		assert_int_equal(d->difference_ns, 2);
		assert_int_equal(d->n_rows, 3);
		assert_string_equal(d->rows[0].key, "new");
		assert_int_equal(d->rows[0].old_ns, 0);
		assert_true(d->rows[0].old_count == 0 && d->rows[0].new_count == 1);
		assert_string_equal(d->rows[1].key, "gone");
		assert_int_equal(d->rows[1].new_ns, 0);
		assert_string_equal(d->rows[2].key, "same");
		assert_int_equal(d->rows[2].difference_ns, 0);
		delta_free(d);
	}
}

/* Runs of equal length have equal weight, in any order. */
static void equal_runs(void **state)
{
	_cleanup_(sides_done) struct sides s = { .n_old = 2, .n_new = 2 };

	for (int i = 0; i < 2; i++) {
		s.old[i] = a_profile();
		put(s.old[i], i ? "a" : "b", "", 100);
		s.new[i] = a_profile();
		put(s.new[i], i ? "b" : "a", "", 100);
	}
	for (enum delta_metric m = 0; m < DELTA_METRICS; m++) {
		struct delta *d = compared(&s, m);

		assert_int_equal(d->difference_ns, 0);
		assert_int_equal(d->rows[0].difference_ns, 0);
		assert_non_null(strstr(d->sentence, "as long as before"));
		delta_free(d);
	}
}

/* A third run as long as the two others makes the total longer, but not the mean. */
static void total(void **state)
{
	_cleanup_(sides_done) struct sides s = { .n_old = 2, .n_new = 3 };
	struct delta *d;

	for (int i = 0; i < 3; i++) {
		if (i < 2)
			put(s.old[i] = a_profile(), "a", "", 100);
		put(s.new[i] = a_profile(), "a", "", 100);
	}
	d = compared(&s, DELTA_TOTAL);
	assert_int_equal(d->new.value_ns, 300);
	assert_int_equal(d->rows[0].difference_ns, 100);
	assert_true(d->rows[0].new_count > 2.99 && d->rows[0].new_count < 3.01);
	delta_free(d);
	d = compared(&s, DELTA_MEAN);
	assert_int_equal(d->difference_ns, 0);
	delta_free(d);
}

/* "lock" without a detail (part.h) shrinks to 0, and "lock" with the detail "load" grows. delta_new()
 * takes this for one part that gets a detail, so both are in one row. "sleep" without a detail and
 * "sleep" with the detail "main" both grow, so each has a row of its own. */
static void details(void **state)
{
	_cleanup_(sides_done) struct sides s = { .n_old = 1, .n_new = 1 };
	struct delta *d;

	s.old[0] = a_profile();
	put(s.old[0], "lock", "", 50);
	put(s.old[0], "sleep", "", 10);
	put(s.old[0], "sleep", "main", 10);
	s.new[0] = a_profile();
	put(s.new[0], "lock", "load", 80);
	put(s.new[0], "lock", "save", 3);
	put(s.new[0], "sleep", "", 12);
	put(s.new[0], "sleep", "main", 11);
	d = compared(&s, DELTA_MEAN);
	assert_int_equal(d->n_rows, 4);
	assert_string_equal(d->rows[0].detail, "load");
	assert_int_equal(d->rows[0].old_ns, 50);
	assert_int_equal(d->rows[0].new_ns, 80);
	assert_string_equal(d->rows[1].detail, "save");
	assert_string_equal(d->rows[2].key, "sleep");
	assert_int_equal(d->rows[2].new_ns, 12);
	delta_free(d);
}

static const struct delta_row *row_named(const struct delta *d, const char *key)
{
	for (size_t i = 0; i < d->n_rows; i++)
		if (!strcmp(d->rows[i].key, key))
			return &d->rows[i];
	return NULL;
}

/* Of the temporary files x.*, two have random names that look like usual ones (x.xm# was x.xm1234). Their
 * rows are added to that of the others. These names stay: y.KCHRJO, because no other run has y.*; x.server,
 * because two runs have it; and x.ab and x.m#, because they are too short for a random word. */
static void random_names(void **state)
{
	static const char *const others[] = { "/tmp/y.KCHRJO", "/tmp/x.ab", "/tmp/x.m#" };
	_cleanup_(sides_done) struct sides s = { .n_old = 4, .n_new = 4 };
	struct delta *d;

	for (int i = 0; i < 4; i++) {
		s.old[i] = a_profile();
		put(s.old[i], "/tmp/x.*", "", 100);
		s.new[i] = a_profile();
		put(s.new[i], i > 1 ? "/tmp/x.*" : i ? "/tmp/x.xm#" : "/tmp/x.KCHRJO", "", 100);
		if (i < 2)
			put(s.new[i], "/tmp/x.server", "", 8);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		put(s.new[3], others[i], "", 4);
	put(s.old[0], "late", "/tmp/z.*", 40);
	put(s.new[0], "late", "/tmp/z.kchrjo", 40);
	d = compared(&s, DELTA_MEAN);
	assert_null(row_named(d, "/tmp/x.KCHRJO"));
	assert_null(row_named(d, "/tmp/x.xm#"));
	assert_int_equal(row_named(d, "/tmp/x.*")->new_ns, 100);
	assert_int_equal(row_named(d, "/tmp/x.*")->difference_ns, 0);
	assert_int_equal(row_named(d, "/tmp/x.server")->new_ns, 4);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(row_named(d, others[i])->new_ns, 1);
	assert_string_equal(row_named(d, "late")->detail, "/tmp/z.*");
	assert_int_equal(row_named(d, "late")->difference_ns, 0);
	delta_free(d);
}

static void says(const struct sides *s, const char *want)
{
	struct delta *d = compared(s, DELTA_MAX);

	assert_string_equal(d->sentence, want);
	delta_free(d);
}

static void hidden_by_others(void **state)
{
	_cleanup_(sides_done) struct sides s = { .n_old = 1, .n_new = 1 };

	s.old[0] = a_profile();
	put(s.old[0], "work", "", 100000000);
	put(s.old[0], "env", "", 40000000);
	s.new[0] = a_profile();
	put(s.new[0], "work", "", 135000000);
	says(&s,
	     "5 ms faster (-3.6 %, one run each), but the command itself is 35 ms slower: +35 ms work; -40 ms because of other programs on the machine");
	put(s.new[0], "env", "", 30000000);
	says(&s,
	     "25 ms slower (+17.9 %, one run each): +35 ms work; -10 ms because of other programs on the machine");
	put(s.old[0], "other", "", 35000000);
	says(&s,
	     "10 ms faster (-5.7 %, one run each): +35 ms work; -35 ms other; -10 ms because of other programs on the machine");
}

/* The sentence names only the parts that changed most. If all of these parts shrank, a part that grew takes
 * the place of the last one. */
static void hidden_by_rows(void **state)
{
	static const char *const keys[] = { "a", "b", "c", "d", "e" };
	_cleanup_(sides_done) struct sides s = { .n_old = 1, .n_new = 1 };
	struct delta *d;

	s.old[0] = a_profile();
	s.new[0] = a_profile();
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		put(s.old[0], keys[i], "", 50000000 - i);
	put(s.new[0], "grown", "", 40000000);
	d = compared(&s, DELTA_MAX);
	assert_non_null(strstr(d->sentence, "+40 ms grown"));
	delta_free(d);
}

static void weighs(enum delta_metric m, size_t n, const double *want)
{
	uint64_t ns[RUNS_MAX], w[RUNS_MAX], sum = 0;

	for (size_t i = 0; i < n; i++)
		ns[i] = i;
	metric_weights(m, ns, n, w);
	for (size_t i = 0; i < n; i++) {
		assert_true((double)w[i] / (double)METRIC_WEIGHTS_SUM - want[i] < 1e-4);
		assert_true(want[i] - (double)w[i] / (double)METRIC_WEIGHTS_SUM < 1e-4);
		sum += w[i];
	}
	assert_true(sum == METRIC_WEIGHTS_SUM);
}

/* The expected weights are computed by hand. For the p50, the weight of run i (from 1) of n is
 * F(i/n) - F((i-1)/n). F is a cumulative distribution function. For n = 3, it is that of Beta(2, 2):
 * 3x^2 - 2x^3. For n = 5, it is that of Beta(3, 3): 10x^3 - 15x^4 + 6x^5. */
static void harrell_davis(void **state)
{
	weighs(DELTA_P50, 1, (double[]){ 1 });
	weighs(DELTA_P50, 3, (double[]){ 7.0 / 27, 13.0 / 27, 7.0 / 27 });
	weighs(DELTA_P50, 5, (double[]){ 0.05792, 0.25952, 0.36512, 0.25952, 0.05792 });
	weighs(DELTA_MEAN, 4, (double[]){ 0.25, 0.25, 0.25, 0.25 });
	weighs(DELTA_MAX, 3, (double[]){ 0, 0, 1 });
}

static void words(void **state)
{
	for (enum delta_metric m = 0; m < DELTA_METRICS; m++)
		assert_int_equal(metric_of(metric_name(m)), m);
	assert_int_equal(metric_of("p42"), DELTA_METRICS);
	assert_int_equal(part_class_of("nothing"), PART_CLASSES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),        cmocka_unit_test(one_run),
		cmocka_unit_test(equal_runs),     cmocka_unit_test(total),
		cmocka_unit_test(details),        cmocka_unit_test(hidden_by_others),
		cmocka_unit_test(hidden_by_rows), cmocka_unit_test(harrell_davis),
		cmocka_unit_test(words),          cmocka_unit_test(random_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
