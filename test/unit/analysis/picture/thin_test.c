// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/picture/thin.h"
#include "lib/cleanup.h"

#define MANY 5000

static uint64_t lengths[MANY];

static uint64_t length(const void *arg, size_t i)
{
	return ((const uint64_t *)arg)[i];
}

/* Returns the number of groups. Checks that only ranges shorter than finest_ns are joined. */
static size_t count(const uint64_t *v, size_t n, uint64_t finest_ns)
{
	size_t groups = 0;

	for (size_t i = 0, end; i < n; i = end, groups++) {
		end = thin_group(length, v, n, i, finest_ns);
		assert_in_range(end, i + 1, n);
		for (size_t k = i; k < end && end > i + 1; k++)
			assert_true(v[k] < finest_ns);
	}
	return groups;
}

static void few_stay(void **state)
{
	const uint64_t v[] = { 1, 1, 100 };

	assert_int_equal(thin_finest(length, v, 3, 3), 0);
	assert_int_equal(count(v, 3, 0), 3);
	assert_int_equal(thin_finest(length, v, 0, 0), 0);
}

static void a_group_ends(void **state)
{
	const uint64_t v[] = { 4, 4, 4, 4, 50, 4, 4 };

	assert_int_equal(thin_group(length, v, 7, 0, 10), 3); /* 12 ns are long enough */
	assert_int_equal(thin_group(length, v, 7, 3, 10), 4); /* the next one is long */
	assert_int_equal(thin_group(length, v, 7, 4, 10), 5);
	assert_int_equal(thin_group(length, v, 7, 5, 10), 7); /* the end */
}

static void many_become_few(void **state)
{
	for (size_t max = 1; max <= MANY; max *= 3) {
		for (size_t i = 0; i < MANY; i++)
			lengths[i] = 1 + i * i % 977;
		assert_in_range(count(lengths, MANY, thin_finest(length, lengths, MANY, max)), 1, max);
	}
}

static void kept_ranges_stay(void **state)
{
	uint64_t finest_ns;

	for (size_t i = 0; i < MANY; i++)
		lengths[i] = i % 100 ? 10 : THIN_KEEP;
	finest_ns = thin_finest(length, lengths, MANY, 200);
	assert_in_range(count(lengths, MANY, finest_ns), 100, 200);
	for (size_t i = 0; i < MANY; i += 100)
		assert_int_equal(thin_group(length, lengths, MANY, i, finest_ns), i + 1);
	/* The limit is 10 groups. But the 50 ranges with the length THIN_KEEP are never joined, so
	 * each of them is a group. The short ranges between two of them become one group. */
	finest_ns = thin_finest(length, lengths, MANY, 10);
	assert_int_equal(count(lengths, MANY, finest_ns), 100);
}

static void empty_ranges(void **state)
{
	for (size_t i = 0; i < MANY; i++)
		lengths[i] = 0;
	assert_int_equal(count(lengths, MANY, thin_finest(length, lengths, MANY, 10)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_stay),        cmocka_unit_test(a_group_ends),
		cmocka_unit_test(many_become_few), cmocka_unit_test(kept_ranges_stay),
		cmocka_unit_test(empty_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
