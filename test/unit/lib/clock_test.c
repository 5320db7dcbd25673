/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/clock.h"

/* The boot clock and the monotonic clock of a machine that was never suspended are the same. Those of another
 * machine differ by a time that no measurement takes for 0, and that stays the same. */
static void never_a_few_ns(void **state)
{
	int64_t first = clock_offsets_now().boot_to_mono_ns;

	for (int i = 0; i < 1000; i++) {
		int64_t ns = clock_offsets_now().boot_to_mono_ns;

		assert_true(ns == 0 ? first == 0 : llabs(ns) > 1000000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(never_a_few_ns) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
