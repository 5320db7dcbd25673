// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/text.h"

static void percent(void **state)
{
	char buf[TEXT_NUMBER_MAX];

	assert_string_equal(text_percent(0, buf), "0");
	assert_string_equal(text_percent(0.00002, buf), "0.00002");
	assert_string_equal(text_percent(0.0001, buf), "0.0001");
	assert_string_equal(text_percent(0.2, buf), "0.2");
	assert_string_equal(text_percent(14.4, buf), "14");
	assert_string_equal(text_percent(98.9, buf), "99");
	assert_string_equal(text_percent(99.9, buf), "100");
	assert_string_equal(text_percent(140.2, buf), "140");
	assert_string_equal(text_percent(12345, buf), "12345");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(percent) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
