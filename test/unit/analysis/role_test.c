// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/profile/role.h"
#include "lib/cleanup.h"

static void random_words(void **state)
{
	static const char *const words[] = { "Xa3kQz",     "abcDEF",      "ABCdef",     "ABcdef", "abcdeF",
					     "aBCDEF",     "1abcde",      "ab1cde",     "A1BCDE", "ABCDe1",
					     "a0b1c2d3e4", "tmpabcdefgh", "tmpabcdefg1" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char path[64], buf[64];

		snprintf(path, sizeof(path), "/tmp/tmp.%s/x", words[i]);
		assert_string_equal(role_path(path, buf, sizeof(buf)), "/tmp/tmp.*/x");
		snprintf(path, sizeof(path), "/srv/%s", words[i]);
		role_path(path, buf, sizeof(buf));
		assert_int_not_equal(buf[sizeof("/srv/") - 1], '*');
	}
}

static void usual_words(void **state)
{
	static const char *const words[] = { "README",   "readme",  "Readme", "x86_64",     "libabc123",
					     "README12", "Report7", "a1B2c",  "tmpresults", "tmpdirectory" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char path[64], buf[64];

		snprintf(path, sizeof(path), "/tmp/%s.txt", words[i]);
		assert_null(strchr(role_path(path, buf, sizeof(buf)), '*'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_words),
		cmocka_unit_test(usual_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
