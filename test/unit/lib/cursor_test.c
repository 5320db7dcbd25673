// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "lib/cursor.h"

static void takes_until_the_end(void **state)
{
	const char bytes[] = "abcdef";
	struct cursor c = cursor_init(bytes, 6);
	char to[4] = "xxx";

	assert_ptr_equal(cursor_take(&c, 0), bytes);
	assert_ptr_equal(cursor_take(&c, 2), bytes);
	assert_true(cursor_read(&c, to, 4));
	assert_memory_equal(to, "cdef", 4);
	assert_int_equal(c.left, 0);
	assert_false(c.bad);
	assert_null(cursor_take(&c, 1));
	assert_true(c.bad);
}

static void stays_bad(void **state)
{
	struct cursor c = cursor_init("abcdef", 6);
	char to[8] = "xxxxxxx";

	assert_false(cursor_read(&c, to, 7));
	assert_memory_equal(to, "\0\0\0\0\0\0\0", 7);
	assert_null(cursor_take(&c, 0));
	assert_null(cursor_take(&c, SIZE_MAX));
	assert_int_equal(cursor_varint(&c), 0);
	assert_int_equal(c.left, 6);
}

static uint64_t varint(const char *bytes, size_t n, bool *ret_bad, size_t *ret_left)
{
	struct cursor c = cursor_init(bytes, n);
	uint64_t v = cursor_varint(&c);

	*ret_bad = c.bad;
	*ret_left = c.left;
	return v;
}

static void varints(void **state)
{
	size_t left;
	bool bad;

	assert_int_equal(varint("\x00", 1, &bad, &left), 0);
	assert_false(bad);
	assert_int_equal(varint("\x7f\x55", 2, &bad, &left), 127);
	assert_int_equal(left, 1);
	assert_int_equal(varint("\x80\x01", 2, &bad, &left), 128);
	assert_int_equal(varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &bad, &left), UINT64_MAX);
	assert_false(bad);
	/* Wrong numbers: one is cut off, one has no bytes, and one has more than 64 bits. */
	varint("\x80", 1, &bad, &left);
	assert_true(bad);
	varint("", 0, &bad, &left);
	assert_true(bad);
	assert_int_equal(varint("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, &bad, &left), 0);
	assert_true(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_until_the_end),
		cmocka_unit_test(stays_bad),
		cmocka_unit_test(varints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
