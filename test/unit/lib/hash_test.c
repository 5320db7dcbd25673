/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expected hashes are from test_fnv.c of the authors of FNV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/hash.h"

static void values(void **state)
{
	assert_int_equal(hash_text(HASH_START, ""), 0xcbf29ce484222325ULL);
	assert_int_equal(hash_text(HASH_START, "a"), 0xaf63dc4c8601ec8cULL);
	assert_int_equal(hash_text(HASH_START, "foobar"), 0x85944171f73967e8ULL);
	assert_int_equal(hash_bytes(HASH_START, "foobar", 6), 0x85944171f73967e8ULL);
	assert_int_equal(hash_bytes(hash_text(HASH_START, "foo"), "bar", 3), 0x85944171f73967e8ULL);
	assert_int_equal(hash_bytes(HASH_START, "\xff", 1), hash_add(HASH_START, 0xff));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(values) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
