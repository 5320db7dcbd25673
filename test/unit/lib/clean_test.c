// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clean.h"
#include "lib/cleanup.h"

static void shows(const char *s, const char *shown)
{
	_cleanup_free_ char *once = clean_dup(s), *twice = clean_dup(once);

	assert_string_equal(once, shown);
	assert_string_equal(twice, shown);
	assert_int_equal(clean_text(s, NULL, 0), strlen(shown));
	assert_true(strlen(shown) <= CLEAN_GROWTH * strlen(s));
}

static void test_what_stays(void **state)
{
	shows("", "");
	shows(" ~", " ~");
	shows("a\\b\\x1b", "a\\b\\x1b");
	shows("caf\xc3\xa9", "caf\xc3\xa9");
	shows("\xc2\xa0", "\xc2\xa0"); /* the first character after U+009F */
	shows("\xe2\x82\xac", "\xe2\x82\xac");
	shows("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
	shows("\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"); /* the neighbours of the surrogates */
	shows("\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd");
}

static void test_controls(void **state)
{
	shows("a\x1b[31m", "a\\x1b[31m");
	shows("\x01\t\n\r\x1f\x7f", "\\x01\\x09\\x0a\\x0d\\x1f\\x7f");
	shows("\xc2\x80\xc2\x9b\xc2\x9f", "\\u0080\\u009b\\u009f");
}

static void test_what_is_no_utf8(void **state)
{
	shows("\x80\x9b\xff", "\\x80\\x9b\\xff");
	shows("\xc0\xaf", "\\xc0\\xaf"); /* longer than needed */
	shows("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
	shows("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
	shows("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
	shows("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond U+10FFFF */
	shows("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
	shows("\xe2\x82", "\\xe2\\x82");
	shows("\xe2\x82q", "\\xe2\\x82q");
	shows("\xf0\x9f\x98", "\\xf0\\x9f\\x98");
}

static void encode(uint32_t c, char buf[5])
{
	memset(buf, 0, 5);
	if (c < 0x80) {
		buf[0] = (char)c;
	} else if (c < 0x800) {
		buf[0] = (char)(0xc0 | c >> 6);
		buf[1] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		buf[0] = (char)(0xe0 | c >> 12);
		buf[1] = (char)(0x80 | (c >> 6 & 0x3f));
		buf[2] = (char)(0x80 | (c & 0x3f));
	} else {
		buf[0] = (char)(0xf0 | c >> 18);
		buf[1] = (char)(0x80 | (c >> 12 & 0x3f));
		buf[2] = (char)(0x80 | (c >> 6 & 0x3f));
		buf[3] = (char)(0x80 | (c & 0x3f));
	}
}

/* Characters in these ranges are shown as escapes, their neighbours are not. */
static void test_invisible(void **state)
{
	static const uint32_t spans[][2] = {
		{ 0x80, 0x9f },       { 0xad, 0xad },       { 0x34f, 0x34f },   { 0x61c, 0x61c },
		{ 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		char s[5], shown[16];

		for (uint32_t c = spans[i][0]; c <= spans[i][1]; c++) {
			encode(c, s);
			snprintf(shown, sizeof(shown), c > 0xffff ? "\\U%08x" : "\\u%04x", c);
			shows(s, shown);
		}
		encode(spans[i][1] + 1, s);
		shows(s, s);
		if (spans[i][0] > 0x80) {
			encode(spans[i][0] - 1, s);
			shows(s, s);
		}
	}
}

static void test_cut(void **state)
{
	static const char s[] = "ab\x1b\xe2\x80\xae\xc3\xa9z", whole[] = "ab\\x1b\\u202e\xc3\xa9z";
	static const size_t ends[] = { 0, 1, 2, 6, 12, 14, 15 };

	for (size_t size = 1, e = 0; size <= sizeof(whole); size++) {
		char buf[sizeof(whole) + 1];

		memset(buf, 'X', sizeof(buf));
		if (e + 1 < ARRAY_SIZE(ends) && ends[e + 1] < size)
			e++;
		assert_int_equal(clean_text(s, buf, size), sizeof(whole) - 1);
		assert_int_equal(strlen(buf), ends[e]);
		assert_memory_equal(buf, whole, ends[e]);
		assert_int_equal(buf[size], 'X');
	}
}

static void test_is_cut(void **state)
{
	assert_true(clean_is_cut("\xc3", 1));
	assert_true(clean_is_cut("\xe2\x80", 2));
	assert_true(clean_is_cut("\xf0\x9f\x98", 3));
	assert_false(clean_is_cut("\xc3\xa9", 2));
	assert_false(clean_is_cut("\xe2q", 2));
	assert_false(clean_is_cut("\x80", 1));
	assert_false(clean_is_cut("\xff", 1));
	assert_false(clean_is_cut("a", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_stays),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_what_is_no_utf8),
		cmocka_unit_test(test_invisible),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
