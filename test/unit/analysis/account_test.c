// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/account/account.h"
#include "test/unit/graph/random_make.h"

static void assert_sums(const struct account *a, uint64_t ns)
{
	assert_int_equal(a->total_ns, ns);
	for (int k = 0; k < ACCOUNT_GROUPS; k++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < a->n_rows[k]; i++) {
			sum += a->rows[k][i].ns;
			assert_true(a->rows[k][i].within_ns >= a->rows[k][i].ns);
			assert_true(a->rows[k][i].within_ns <= ns);
			assert_true(!i || a->rows[k][i - 1].ns >= a->rows[k][i].ns);
		}
		assert_int_equal(sum, ns);
	}
}

static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	struct account *a;
	struct path *p;

	assert_int_equal(path_walk(g, task, from_ns, to_ns, &p), 0);
	assert_int_equal(account_new(g, p, &a), 0);
	assert_sums(a, to_ns - from_ns);
	account_free(a);
	path_free(p);
}

static void test_random(void **state)
{
	random_ranges(check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
