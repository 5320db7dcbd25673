/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "ctrace/fields.h"
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

/* Returns the file on which this process has a lock of flock(). */
static uint64_t locked_file(void)
{
	struct heldlocks all;
	uint64_t obj = 0;

	assert_int_equal(heldlocks_read(NULL, 0, &all), 0);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].rec.tid == (uint32_t)getpid() && ct_lock_type(&all.v[i].rec) == CT_LOCK_FLOCK)
			obj = all.v[i].rec.obj;
	heldlocks_done(&all);
	assert_true(obj);
	return obj;
}

/* A process has a file open twice, and only one of the open files has the lock. */
static void marks_the_locked_open_file(void **state)
{
	char path[] = "/tmp/ctrace-heldlocks-XXXXXX";
	int locked = mkstemp(path), other = open(path, O_RDWR);
	const uint32_t pid = (uint32_t)getpid();
	struct heldlock lock = { .rec = { .kind = CT_HELD, .wait = 1 } };
	struct heldlocks h = { .v = &lock, .n = 1 };
	struct ct_rec table[] = {
		{ .kind = CT_FD, .tid = pid, .peer = (uint32_t)locked, .flags = 3 },
		{ .kind = CT_FD, .tid = pid, .peer = (uint32_t)other, .flags = 3 },
		{ .kind = CT_FD, .tid = pid, .peer = (uint32_t)locked, .obj = 6, .flags = 3 },
		{ .kind = CT_FD, .tid = pid, .peer = (uint32_t)locked, .flags = 3 },
	};

	(void)state;
	assert_true(locked >= 0 && other >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(flock(locked, LOCK_EX), 0);
	lock.rec.obj = table[0].obj = table[1].obj = table[3].obj = locked_file();
	heldlocks_mark(&h, table, sizeof(table), 2, 0);
	assert_int_equal(table[0].flags, 3); /* the time is over */
	heldlocks_mark(&h, table, sizeof(table), 2, UINT64_MAX);
	assert_int_equal(table[0].flags, 3 | CT_FF_LOCK);
	assert_int_equal(table[1].flags, 3);
	assert_int_equal(table[2].flags, 3); /* no line of /proc/locks is about this file */
	assert_int_equal(table[3].flags, 3); /* two descriptors were looked at */
	lock.rec.flags = 1;                  /* the line is about a waiter */
	table[0].flags = 3;
	heldlocks_mark(&h, table, sizeof(table), 2, UINT64_MAX);
	assert_int_equal(table[0].flags, 3);
	/* The descriptor has got another file since the table was read. */
	lock.rec.flags = 0;
	lock.rec.obj = table[0].obj = 5;
	heldlocks_mark(&h, table, sizeof(table), 2, UINT64_MAX);
	assert_int_equal(table[0].flags, 3);
	close(locked);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_locks),
		cmocka_unit_test(marks_the_locked_open_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
