/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/record/heldlocks.h"

static void held_locks(void **state)
{
	struct heldlock l;

	assert_true(
		heldlocks_parse("1: POSIX  ADVISORY  WRITE 512 fd:02:131090 1073741824 1073741825\n", &l));
	assert_int_equal(l.rec.kind, CT_HELD);
	assert_int_equal(l.rec.tid, 512);
	assert_int_equal(l.rec.state, 1);
	assert_int_equal(l.rec.wait, 0);
	assert_int_equal(l.rec.flags, 0);
	assert_int_equal(l.words[0], 1073741824);
	assert_int_equal(l.words[1], 1073741825);
	assert_true(l.rec.obj == CT_OBJ_ID(CT_OBJ_FILE, CT_OBJ_HASH(0xfdULL << 20 | 2, 131090)));

	assert_true(heldlocks_parse("12: -> FLOCK  ADVISORY  READ 77 00:1a:9 0 EOF", &l));
	assert_int_equal(l.rec.wait, 1);
	assert_int_equal(l.rec.state, 0);
	assert_int_equal(l.rec.flags, 1);
	assert_true(l.words[1] == INT64_MAX);

	assert_true(heldlocks_parse("3: OFDLCK ADVISORY  WRITE -1 00:1a:9 0 5", &l));
	assert_int_equal(l.rec.tid, 0);
	assert_int_equal(l.rec.wait, 2);

	assert_false(heldlocks_parse("", &l));
	assert_false(heldlocks_parse("1:", &l));
	assert_false(heldlocks_parse("1: LEASE  ACTIVE    READ 5 00:1a:9 0 EOF", &l));
	assert_false(heldlocks_parse("1: POSIX  ADVISORY  WRITE 512 fd:02", &l));
	assert_false(heldlocks_parse("1: POSIX  ADVISORY  WRITE <none>:0 0 EOF", &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
