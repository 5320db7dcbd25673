// SPDX-License-Identifier: GPL-2.0-or-later
/* Which values of the header `traceparent` ctrace-traceparent.h accepts, and that it leaves errno alone. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../share/ctrace-traceparent.h"
#include "lib/cleanup.h"

#define TRACE  "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"
#define REST   "-" TRACE "-" PARENT "-01"

/* Reads from a copy without a byte behind it, so that a read behind the end shows with sanitizers. */
static int accepts(const char *text, size_t n)
{
	char *copy = malloc(n ? n : 1);
	int r;

	memcpy(copy, text, n);
	r = ctrace_mark_traceparent(-1, copy, n);
	free(copy);
	return r;
}

static void headers(void **state)
{
	static const struct {
		const char *text;
		int valid;
	} cases[] = {
		{ "00" REST, 1 },
		{ "00-" TRACE "-" PARENT "-00", 1 },
		{ "00-" TRACE "-" PARENT "-ff", 1 },
		{ "00-00000000000000000000000000000001-0000000000000001-01", 1 },
		{ "00-10000000000000000000000000000000-1000000000000000-01", 1 },
		{ "01" REST, 1 },
		{ "01" REST "-", 1 },
		{ "fe" REST "-what ever", 1 },
		{ "", 0 },
		{ "00", 0 },
		{ "00" REST "-", 0 },
		{ "00" REST "0", 0 },
		{ "01" REST "0", 0 },
		{ "ff" REST, 0 },
		{ "0g" REST, 0 },
		{ "00-00000000000000000000000000000000-" PARENT "-01", 0 },
		{ "00-" TRACE "-0000000000000000-01", 0 },
		{ "00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01", 0 },
		{ "00-" TRACE "-00F067AA0BA902B7-01", 0 },
		{ "00-" TRACE "-" PARENT "-0A", 0 },
		{ "00_" TRACE "-" PARENT "-01", 0 },
		{ "00-" TRACE "_" PARENT "-01", 0 },
		{ "00-" TRACE "-" PARENT "_01", 0 },
		{ " 00" REST, 0 },
		{ "\x1b[" REST, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (accepts(cases[i].text, strlen(cases[i].text)) != cases[i].valid)
			fail_msg("%s", cases[i].text);
	for (size_t n = 0; n < strlen("00" REST); n++)
		assert_int_equal(accepts("00" REST, n), 0);
}

static void bytes(void **state)
{
	char text[] = "00" REST;

	/* Each byte may have at most one other value than hexadecimal digits: a '-' */
	for (size_t i = 0; i < strlen(text); i++)
		for (int c = 0; c < 256; c++) {
			char old = text[i];

			text[i] = (char)c;
			if (accepts(text, sizeof(text) - 1))
				assert_true(old == '-' ? c == '-' : strchr("0123456789abcdef", c) && c);
			text[i] = old;
		}
}

/* fstat() fails: no process has a file with this number. */
static void error_number(void **state)
{
	errno = ENOTTY;
	assert_int_equal(ctrace_mark_traceparent(INT_MAX, "00" REST, strlen("00" REST)), 1);
	assert_int_equal(errno, ENOTTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(headers), cmocka_unit_test(bytes),
					    cmocka_unit_test(error_number) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
