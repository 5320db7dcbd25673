// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check/outliers.h"
#include "lib/cleanup.h"

#define MS 1000000ULL

static struct profile_part part(const char *key, enum part_class kind, uint64_t ns)
{
	return (struct profile_part){
		.key = strdup(key), .detail = strdup(""), .text = strdup(key), .ns = ns, .class = kind
	};
}

/* Adds a run that runs for 100 ms, waits for the disk for disk_ms, and for other programs for cpu_ms. */
static void add(struct baseline *b, uint64_t disk_ms, uint64_t cpu_ms)
{
	const struct baseline_machine machine = { 0 };
	struct profile *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->parts = calloc(3, sizeof(*p->parts));
	assert_non_null(p->parts);
	p->parts[0] = part("a running", PART_CLASS_RUNNING, 100 * MS);
	p->parts[1] = part("disk", PART_CLASS_DISK, disk_ms * MS);
	p->parts[2] = part("other programs", PART_CLASS_ENVIRONMENT, cpu_ms * MS);
	p->n_parts = 3;
	p->total_ns = (100 + disk_ms + cpu_ms) * MS;
	assert_int_equal(baseline_add(b, p, &machine, "x"), 0);
}

/* disk_ms: of n runs. Returns the number of outliers. */
static size_t count(const uint64_t *disk_ms, size_t n, double max_regress)
{
	_cleanup_(outliers_done) struct outliers o = { 0 };
	_cleanup_(baseline_done) struct baseline b = { 0 };

	for (size_t i = 0; i < n; i++)
		add(&b, disk_ms[i], 0);
	assert_int_equal(outliers_find(&b, true, max_regress, &o), 0);
	return o.v.n;
}
#define COUNT(max_regress, ...)                                                                              \
	count((const uint64_t[]){ __VA_ARGS__ },                                                             \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), max_regress)

static void few_runs(void **state)
{
	_cleanup_(outliers_done) struct outliers o = { 0 };
	_cleanup_(baseline_done) struct baseline b = { 0 };

	assert_int_equal(outliers_find(&b, true, 0.05, &o), 0);
	assert_int_equal(o.v.n, 0);
	assert_int_equal(COUNT(0.05, 900), 0);
	assert_int_equal(COUNT(0.05, 10, 10, 10, 900), 0);
	assert_int_equal(COUNT(0.05, 10, 10, 10, 10, 900), 1);
}

/* The quartiles are 11 and 13 ms: the fence is at 113 + 3 * 2 ms. */
static void fence(void **state)
{
	assert_int_equal(COUNT(0, 10, 11, 11, 12, 12, 13, 13, 19), 0);
	assert_int_equal(COUNT(0, 10, 11, 11, 12, 12, 13, 13, 20), 1);
	/* the third quartile is one of three long runs */
	assert_int_equal(COUNT(0, 10, 11, 11, 12, 12, 60, 60, 60), 0);
	assert_int_equal(COUNT(0, 10, 11, 11, 12, 12, 12, 13, 13, 13, 60, 60), 2);
}

/* The median is 112 ms. Runs that are all alike have no outlier, only because one is a little longer. */
static void limit(void **state)
{
	assert_int_equal(COUNT(0.05, 12, 12, 12, 12, 12, 12, 12, 17), 0);
	assert_int_equal(COUNT(0.05, 12, 12, 12, 12, 12, 12, 12, 18), 1);
	assert_int_equal(COUNT(1, 12, 12, 12, 12, 12, 12, 12, 100), 0);
}

/* A short run is no outlier. */
static void short_run(void **state)
{
	assert_int_equal(COUNT(0.05, 100, 100, 100, 100, 100, 100, 100, 0), 0);
}

/* The cause is the part that grew most, also if another part shrank, or grew less. The longest comes first.
 */
static void causes(void **state)
{
	_cleanup_(outliers_done) struct outliers o = { 0 };
	_cleanup_(baseline_done) struct baseline b = { 0 };

	for (int i = 0; i < 10; i++)
		add(&b, 20, 20);
	add(&b, 0, 100);
	add(&b, 200, 40);
	assert_int_equal(outliers_find(&b, false, 0.05, &o), 0);
	assert_int_equal(o.v.n, 2);
	assert_int_equal(o.v.v[0].run, 12);
	assert_false(o.v.v[0].is_new);
	assert_in_range(o.v.v[0].delta->difference_ns, 195 * MS, 200 * MS);
	assert_string_equal(outlier_cause(&o.v.v[0])->text, "disk");
	assert_in_range(outlier_cause(&o.v.v[0])->difference_ns, 179 * MS, 181 * MS);
	assert_int_equal(o.v.v[1].run, 11);
	assert_string_equal(outlier_cause(&o.v.v[1])->text, "other programs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_runs),  cmocka_unit_test(fence),  cmocka_unit_test(limit),
		cmocka_unit_test(short_run), cmocka_unit_test(causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
