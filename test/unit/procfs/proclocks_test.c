/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procfs/proclocks.h"

static void holder(void **state)
{
	struct proclocks_entry e;

	assert_true(proclocks_parse("2: FLOCK  ADVISORY  WRITE 3568 fd:1f:2531452 0 EOF\n", &e));
	assert_int_equal(e.id, 2);
	assert_int_equal(e.kind, PROCLOCKS_FLOCK);
	assert_false(e.waiting);
	assert_true(e.write);
	assert_int_equal(e.pid, 3568);
	assert_int_equal(e.major, 0xfd);
	assert_int_equal(e.minor, 0x1f);
	assert_int_equal(e.ino, 2531452);
}

static void waiter(void **state)
{
	struct proclocks_entry e;

	assert_true(proclocks_parse("12: -> POSIX  ADVISORY  READ 77 00:1a:9 10 20", &e));
	assert_true(e.waiting);
	assert_false(e.write);
	assert_int_equal(e.kind, PROCLOCKS_POSIX);
	/* a request that waits for another waiting request has one more space before "->" */
	assert_true(proclocks_parse("12:  -> OFDLCK ADVISORY  WRITE -1 00:1a:9 0 EOF", &e));
	assert_true(e.waiting);
	assert_int_equal(e.kind, PROCLOCKS_OFD);
	assert_int_equal(e.pid, -1);
}

static void not_a_lock(void **state)
{
	struct proclocks_entry e = { .id = 5 };

	assert_false(proclocks_parse("", &e));
	assert_false(proclocks_parse("12:", &e));
	assert_false(proclocks_parse("12: POSIX  ADVISORY  READ 77", &e));
	assert_int_equal(e.id, 5);
	assert_true(proclocks_parse("1: LEASE  ACTIVE    READ  77 00:1a:9 0 EOF", &e));
	assert_int_equal(e.kind, PROCLOCKS_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holder),
		cmocka_unit_test(waiter),
		cmocka_unit_test(not_a_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
