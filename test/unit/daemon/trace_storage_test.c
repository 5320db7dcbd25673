// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "daemon/capture/drain.h"
#include "daemon/capture/trace_storage.h"
#include "lib/clock.h"

#define SEC NSEC_PER_SEC

struct drain_stats drain_stats(struct drain *d)
{
	return (struct drain_stats){ 0 };
}

static unsigned told(struct trace_storage_told *t, const struct writer_storage *s, uint64_t now_ns,
		     const char *want)
{
	char text[TRACE_STORAGE_TEXT_MAX];
	unsigned n = 0;

	while (trace_storage_next(t, s, now_ns, 1000 * SEC, "/x/t.ctr", text)) {
		n++;
		if (!want || !strstr(text, want))
			fail_msg("%s: no \"%s\"", text, want ?: "message");
	}
	return n;
}

static void once_when_it_begins_and_once_when_it_ends(void **state)
{
	struct trace_storage_told t = { 0 };
	struct writer_storage s = { .lost_records = 1000 };

	assert_int_equal(told(&t, &s, 5 * SEC, NULL), 0);
	s.trouble = WRITER_WRITE;
	s.error = -ENOSPC;
	s.since_ns = 6 * SEC;
	s.lost_records += 10;
	assert_int_equal(told(&t, &s, 7 * SEC, "make room"), 1);
	for (uint64_t i = 8; i < 40; i++) {
		s.lost_records += 10;
		assert_int_equal(told(&t, &s, i * SEC, NULL), 0);
	}
	s.trouble = WRITER_FINE;
	assert_int_equal(told(&t, &s, 46 * SEC, "after 40 s; 330 records are lost"), 1);
	assert_int_equal(told(&t, &s, 47 * SEC, NULL), 0);
}

/* Records may be missing even if the next sync succeeds. */
static void a_sync_that_fails(void **state)
{
	struct trace_storage_told t = { 0 };
	struct writer_storage s = { .trouble = WRITER_SYNC, .error = -EIO, .since_ns = 50 * SEC };

	s.failed_syncs = 2;
	s.unsure_from_ns = 45 * SEC;
	s.unsure_to_ns = 55 * SEC;
	assert_int_equal(told(&t, &s, 51 * SEC, "reboot"), 1);
	s.trouble = WRITER_FINE;
	assert_int_equal(told(&t, &s, 60 * SEC,
			      "after 10 s; records between 1970-01-01T00:17:25Z and "
			      "1970-01-01T00:17:35Z may be missing on the disk."),
			 1);
	s.trouble = WRITER_WRITE;
	s.since_ns = 70 * SEC;
	assert_int_equal(told(&t, &s, 70 * SEC, "cannot be written"), 1);
	s.trouble = WRITER_FINE;
	s.failed_syncs++;
	s.lost_records = 7;
	assert_int_equal(
		told(&t, &s, 80 * SEC, "; 7 records are lost; the trace says when; records between "), 1);
	s.trouble = WRITER_WRITE;
	s.since_ns = 90 * SEC;
	assert_int_equal(told(&t, &s, 90 * SEC, "cannot be written"), 1);
	s.trouble = WRITER_FINE;
	assert_int_equal(told(&t, &s, 91 * SEC, "after 1 s; nothing was lost."), 1);
}

static void one_trouble_becomes_another(void **state)
{
	struct trace_storage_told t = { 0 };
	struct writer_storage s = { .trouble = WRITER_WRITE, .error = -EIO, .since_ns = 1 * SEC };

	assert_int_equal(told(&t, &s, 2 * SEC, "kernel log"), 1);
	s.trouble = WRITER_FILE;
	s.error = -ENOSPC;
	s.lost_records = 5;
	assert_int_equal(told(&t, &s, 3 * SEC, "was removed"), 1);
	s.trouble = WRITER_FINE;
	s.begun_anew = 1;
	assert_int_equal(told(&t, &s, 9 * SEC, "a"), 2);
}

static void a_disk_that_does_not_answer(void **state)
{
	struct trace_storage_told t = { 0 };
	struct writer_storage s = { .busy_ns = 100 * SEC };

	assert_int_equal(told(&t, &s, 109 * SEC, NULL), 0);
	assert_string_equal(trace_storage_word(&s, 109 * SEC), "ok");
	assert_int_equal(told(&t, &s, 110 * SEC, "has not answered for 10 s"), 1);
	assert_string_equal(trace_storage_word(&s, 110 * SEC), "stuck");
	assert_int_equal(told(&t, &s, 200 * SEC, NULL), 0);
	s.busy_ns = 0;
	s.lost_records = 3;
	assert_int_equal(told(&t, &s, 201 * SEC, "after 101 s; 3 records"), 1);
	s.busy_ns = 201 * SEC;
	assert_int_equal(told(&t, &s, 202 * SEC, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_when_it_begins_and_once_when_it_ends),
		cmocka_unit_test(a_sync_that_fails),
		cmocka_unit_test(one_trouble_becomes_another),
		cmocka_unit_test(a_disk_that_does_not_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
