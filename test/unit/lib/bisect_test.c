/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/bisect.h"

static void borders(void **state)
{
	for (unsigned n = 0; n <= 20; n++)
		for (unsigned from = 0; from <= n; from++)
			for (unsigned border = 0; border <= n + 1; border++) {
				unsigned expected = from;

				while (expected < n && expected < border)
					expected++;
				assert_int_equal(BISECT(i, from, n, i >= border), expected);
			}
}

static void edges(void **state)
{
	uint64_t asked = 0;

	assert_int_equal(BISECT(i, 0, UINT64_MAX, i == UINT64_MAX - 1), UINT64_MAX - 1);
	assert_int_equal(BISECT(i, UINT32_MAX - 2, UINT32_MAX, 0), UINT32_MAX);
	assert_int_equal(BISECT(i, 7, 7u, asked++), 7);
	assert_int_equal(asked, 0);
	assert_int_equal(BISECT(i, 0, UINT64_MAX, asked++ && 0), UINT64_MAX);
	assert_true(asked <= 64);
	assert_int_equal(sizeof(BISECT(i, 0, (uint64_t)1, 1)), 8);
}

static void nested(void **state)
{
	static const uint64_t rows[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };

	assert_int_equal(BISECT(r, 0, 3u, BISECT(c, 0, 3u, rows[r][c] >= 6) < 3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(borders),
		cmocka_unit_test(edges),
		cmocka_unit_test(nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
