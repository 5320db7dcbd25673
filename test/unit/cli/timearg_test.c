// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/input/timearg.h"
#include "report/walltime.h"

#define SEC NSEC_PER_SEC
/* 2026-01-31T12:00:00Z */
#define BOOTED (1769860800LL * (int64_t)SEC)

/* A trace from 14:00:00 to 14:10:00 UTC. Before 14:00:00, the machine was suspended for 5 s. */
static const struct timearg_context ctx = {
	.offsets = { .boot_to_mono_ns = -5 * (int64_t)SEC, .boot_to_real_ns = BOOTED },
	.from_ns = 7200 * SEC,
	.to_ns = 7800 * SEC,
};

static void expect_in(const struct timearg_context *c, const char *s, uint64_t want)
{
	char err[TIMEARG_ERR_MAX] = "";
	uint64_t got = 1;

	if (timearg_parse(s, c, &got, err))
		fail_msg("%s: %s", s, err);
	if (got != want)
		fail_msg("%s: %llu, not %llu", s, (unsigned long long)got, (unsigned long long)want);
}

static void expect(const char *s, uint64_t want)
{
	expect_in(&ctx, s, want);
}

static void refuse(const char *s, int want)
{
	char err[TIMEARG_ERR_MAX] = "";
	uint64_t got = 77;
	int r = timearg_parse(s, &ctx, &got, err);

	if (r != want)
		fail_msg("'%s': %d, not %d", s, r, want);
	assert_int_equal(got, 77);
	assert_true(strlen(err) > 10);
}

static void test_clocks(void **state)
{
	expect("boot:0", 0);
	expect("boot:123", 123);
	expect("boot:9223372036854775807", INT64_MAX);
	expect("mono:0", 5 * SEC);
	expect("mono:7195000000000", 7200 * SEC);
	expect("real:1769860800000000000", 0);
	expect("real:1769868000000000001", 7200 * SEC + 1);
	refuse("boot:9223372036854775808", -ERANGE);
	refuse("mono:9223372036854775807", -ERANGE);
	refuse("boot:18446744073709551616", -EINVAL);
	refuse("boot:-1", -EINVAL);
	refuse("boot:", -EINVAL);
	refuse("boot:1s", -EINVAL);
	refuse("real:1769860799999999999", -ERANGE);
	refuse("tai:1", -EINVAL);
}

static void test_relative(void **state)
{
	expect("-0s", 7800 * SEC);
	expect("-30s", 7770 * SEC);
	expect("-1.5m", 7710 * SEC);
	expect("-200ms", 7800 * SEC - 200 * NSEC_PER_MSEC);
	expect("-2h", 600 * SEC);
	expect("-7800s", 0);
	expect("-7801s", 0);
	refuse("-9223372037s", -ERANGE);
	refuse("-", -EINVAL);
	refuse("-30", -EINVAL);
	refuse("--30s", -EINVAL);
	refuse("+30s", -EINVAL);
	refuse("30s", -EINVAL);
	refuse("-30x", -EINVAL);
}

static void test_wall(void **state)
{
	expect("14:03", 7380 * SEC);
	expect("14:03:12", 7392 * SEC);
	expect("14:03:12.5", 7392 * SEC + SEC / 2);
	expect("14:03:12.123456789", 7392 * SEC + 123456789);
	expect("14:03:12.1234567891", 7392 * SEC + 123456789);
	expect("14:00", 7200 * SEC);
	expect("14:10:00", 7800 * SEC);
	expect("14:03:60", 7440 * SEC);
	expect("14:10:30", 7830 * SEC); /* after the end of the trace; not a time of the day before */
	refuse("24:00", -EINVAL);
	refuse("14:60", -EINVAL);
	refuse("14:03:61", -EINVAL);
	refuse("14:03:", -EINVAL);
	refuse("14:03:12.", -EINVAL);
	refuse("14:03:12x", -EINVAL);
	refuse("1:03", -EINVAL);
	refuse("14:3", -EINVAL);
	refuse("14", -EINVAL);
}

static void test_wall_picks_the_day(void **state)
{
	struct timearg_context night = ctx;
	struct timearg_context long_one = ctx;

	night.from_ns = (11 * 3600 + 50 * 60) * SEC;
	night.to_ns = (12 * 3600 + 20 * 60) * SEC;
	expect_in(&night, "23:55", (11 * 3600 + 55 * 60) * SEC);
	expect_in(&night, "00:10", (12 * 3600 + 10 * 60) * SEC);
	expect_in(&night, "23:40", (11 * 3600 + 40 * 60) * SEC);
	expect_in(&night, "00:21", (12 * 3600 + 21 * 60) * SEC);
	long_one.to_ns = 3 * 86400 * SEC;
	expect_in(&long_one, "11:00", (2 * 86400 + 23 * 3600) * SEC);
	expect_in(&long_one, "13:00", (2 * 86400 + 3600) * SEC);
}

static void test_iso(void **state)
{
	expect("2026-01-31T14:03:12", 7392 * SEC);
	expect("2026-01-31 14:03:12", 7392 * SEC);
	expect("2026-01-31T14:03", 7380 * SEC);
	expect("2026-01-31T14:03:12Z", 7392 * SEC);
	expect("2026-01-31T15:03:12.25+01:00", 7392 * SEC + SEC / 4);
	expect("2026-01-31T15:03:12+0100", 7392 * SEC);
	expect("2026-01-31T08:33:12-05:30", 7392 * SEC);
	expect("2028-02-29T12:00:00Z", 759 * 86400 * SEC);
	refuse("2026-02-29T14:03:12", -EINVAL);
	refuse("2100-02-29T14:03:12", -EINVAL);
	refuse("2026-13-01T14:03:12", -EINVAL);
	refuse("2026-00-01T14:03:12", -EINVAL);
	refuse("2026-01-32T14:03:12", -EINVAL);
	refuse("2026-01-31", -EINVAL);
	refuse("2026-01-31T", -EINVAL);
	refuse("2026-01-31T25:00", -EINVAL);
	refuse("2026-01-31T14:03:12+1", -EINVAL);
	refuse("2026-01-31T14:03:12+24:00", -EINVAL);
	refuse("2026-01-31T14:03:12 UTC", -EINVAL);
	refuse("2026-01-31T11:59:59Z", -ERANGE);
	refuse("9999-12-31T23:59:59Z", -ERANGE);
}

static void test_garbage(void **state)
{
	static const char *const words[] = { "",    " ",    "now",      "yesterday", "14:03:12 ", " 14:03",
					     "1e9", "0x10", "\xff\xfe", "mono",      "mono:",     "T",
					     ":",   "::",   "14::03",   "2026-",     "-ns" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		refuse(words[i], -EINVAL);
}

static void test_duration(void **state)
{
	static const struct {
		const char *s;
		uint64_t ns;
	} good[] = {
		{ "0s", 0 },
		{ "1ns", 1 },
		{ "1.5us", 1500 },
		{ "500ms", 500 * NSEC_PER_MSEC },
		{ "10s", 10 * SEC },
		{ "2m", 120 * SEC },
		{ "2min", 120 * SEC },
		{ "1.5h", 5400 * SEC },
		{ "1d", 86400 * SEC },
		{ "0.1s", SEC / 10 },
		{ "9223372036s", 9223372036 * SEC },
	};
	static const char *const bad[] = {
		"", "s", "10", "-1s", "1.s", ".5s", "1,5s", "1 s", "1sec", "1e3s", "99999999999999999999s"
	};
	char err[TIMEARG_ERR_MAX];
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(timearg_duration(good[i].s, &ns, err), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(timearg_duration(bad[i], &ns, err), -EINVAL);
	assert_int_equal(timearg_duration("9223372037s", &ns, err), -ERANGE);
	assert_int_equal(timearg_duration("18446744073709551615d", &ns, err), -ERANGE);
}

static void test_print(void **state)
{
	char buf[WALLTIME_MAX];
	struct clock_offsets odd = { .boot_to_real_ns = INT64_MIN };

	assert_string_equal(walltime_text(7392 * SEC + 987654321, &ctx.offsets, 0, buf),
			    "2026-01-31 14:03:12");
	assert_string_equal(walltime_text(7392 * SEC + 987654321, &ctx.offsets, 3, buf),
			    "2026-01-31 14:03:12.987");
	assert_string_equal(walltime_text(7392 * SEC + 1, &ctx.offsets, 9, buf),
			    "2026-01-31 14:03:12.000000001");
	assert_string_equal(walltime_iso(7392 * SEC + 987654321, &ctx.offsets, 3, buf),
			    "2026-01-31T14:03:12.987+00:00");
	assert_string_equal(walltime_iso(UINT64_MAX, &ctx.offsets, 9, buf),
			    "1970-01-01T00:00:00.000000000+00:00");
	assert_string_equal(walltime_text(0, &odd, 0, buf), "1970-01-01 00:00:00");
	assert_string_equal(walltime_text(UINT64_MAX, &ctx.offsets, 0, buf), "1970-01-01 00:00:00");
}

static void test_local_zone(void **state)
{
	char buf[WALLTIME_MAX];

	setenv("TZ", "XXX-2", 1); /* two hours east of UTC */
	tzset();
	expect("16:03:12", 7392 * SEC);
	expect("2026-01-31T16:03:12", 7392 * SEC);
	expect("2026-01-31T14:03:12Z", 7392 * SEC);
	assert_string_equal(walltime_iso(7392 * SEC, &ctx.offsets, 0, buf), "2026-01-31T16:03:12+02:00");
	setenv("TZ", "XXX+3:30", 1); /* west of UTC */
	tzset();
	assert_string_equal(walltime_iso(7392 * SEC, &ctx.offsets, 0, buf), "2026-01-31T10:33:12-03:30");
	expect("2026-01-31T16:03:12+02:00", 7392 * SEC);
	setenv("TZ", "UTC", 1);
	tzset();
}

static void a_time_is_a_minute_a_second_or_a_moment(void **state)
{
	(void)state;
	assert_int_equal(timearg_length_ns("14:03"), 60 * NSEC_PER_SEC);
	assert_int_equal(timearg_length_ns("2026-01-31T14:03+01:00"), 60 * NSEC_PER_SEC);
	assert_int_equal(timearg_length_ns("14:03:12"), NSEC_PER_SEC);
	assert_int_equal(timearg_length_ns("-30s"), NSEC_PER_SEC);
	assert_int_equal(timearg_length_ns("14:03:12.5"), 1);
	assert_int_equal(timearg_length_ns("boot:12"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),     cmocka_unit_test(test_relative),
		cmocka_unit_test(test_wall),       cmocka_unit_test(test_wall_picks_the_day),
		cmocka_unit_test(test_iso),        cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_duration),   cmocka_unit_test(test_print),
		cmocka_unit_test(test_local_zone), cmocka_unit_test(a_time_is_a_minute_a_second_or_a_moment),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
