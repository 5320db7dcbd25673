// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/input/tracefile.h"
#include "test/unit/trace/trace_fixture.h"

#define SEC NSEC_PER_SEC

/* The begin of each boot's records, in ns since that boot. All boots have one offset to the wall
 * clock, so a later boot has later calendar times too. */
static const uint64_t boots[] = { 1000 * SEC, 5000 * SEC, 9000 * SEC };

static struct reader *three_boots(struct fixture *f)
{
	struct reader *r = NULL;

	for (uint8_t i = 0; i < 3; i++) {
		const uint8_t boot_id[16] = { (uint8_t)(i + 1) };
		const struct writer_options opt = { .size_bytes = FIXTURE_BYTES, .boot_id = boot_id };
		char err[256];

		assert_int_equal(writer_open(f->path, &opt, &f->w, err), 0);
		f->now = boots[i];
		assert_int_equal(writer_begin(f->w, f->now, NULL, 0), 0);
		for (int k = 0; k < 10; k++) {
			f->now = boots[i] + (uint64_t)k * SEC;
			fixture_busy(f, 1 + i);
			fixture_seal(f);
		}
		writer_free(f->w);
		f->w = NULL;
	}
	assert_int_equal(tracefile_open(f->path, &r), CLI_OK);
	assert_int_equal(reader_info(r)->n_boots, 3);
	return r;
}

static const char *real(const struct reader *r, uint64_t boot_ns, char text[64])
{
	snprintf(text, 64, "real:%lld", (long long)boot_ns + reader_info(r)->offsets.boot_to_real_ns);
	return text;
}

static void a_time_of_the_calendar_finds_its_boot(void **state)
{
	struct fixture *f = *state;

	for (unsigned back = 0; back < 3; back++) {
		struct reader *r = three_boots(f);
		uint64_t want = boots[2 - back] + 3 * SEC, from = 0, to = 0, ns = 0;
		char a[64], b[64];

		tracefile_find_boot(r, "--at", real(r, want, a));
		assert_int_equal(reader_info(r)->boot, back);
		assert_int_equal(tracefile_time(r, f->path, "--at", a, &ns), CLI_OK);
		/* each segment has a measured offset between the clocks, which varies a little */
		assert_true(ns > want - SEC / 10 && ns < want + SEC / 10);
		reader_free(r);
		r = NULL;
		assert_int_equal(tracefile_open(f->path, &r), CLI_OK);
		real(r, want, a);
		real(r, want + SEC, b);
		assert_int_equal(
			tracefile_window(r, f->path, &(struct windowarg){ .from = a, .to = b }, &from, &to),
			CLI_OK);
		assert_int_equal(reader_info(r)->boot, back);
		assert_true(to - from > SEC / 2 && to - from < 2 * SEC);
		reader_free(r);
		unlink(f->path);
	}
}

static void other_times_are_of_the_boot_at_hand(void **state)
{
	struct fixture *f = *state;
	struct reader *r = three_boots(f);
	uint64_t ns = 0;
	char a[64];

	tracefile_find_boot(r, "--at", "-2s");
	assert_int_equal(reader_info(r)->boot, 0);
	snprintf(a, sizeof(a), "boot:%llu", (unsigned long long)boots[0] + 1);
	tracefile_find_boot(r, "--at", a);
	assert_int_equal(reader_info(r)->boot, 0);
	tracefile_find_boot(r, "--at", NULL);
	assert_int_equal(reader_info(r)->boot, 0);
	/* no boot was recorded at this time */
	tracefile_find_boot(r, "--at", real(r, 3000 * SEC, a));
	assert_int_equal(reader_info(r)->boot, 0);
	assert_int_equal(tracefile_time(r, f->path, "--at", a, &ns), CLI_FAILED);
	/* if the caller names the boot, no other boot is searched */
	assert_int_equal(tracefile_use_boot(r, f->path, "1"), CLI_OK);
	tracefile_find_boot(r, "--at", real(r, boots[0] + SEC, a));
	assert_int_equal(reader_info(r)->boot, 1);
	reader_free(r);
}

static void moment(struct reader *r, const char *at, uint64_t from_ns, uint64_t to_ns)
{
	const struct windowarg window = { .at = at };
	uint64_t from = 0, to = 0;

	assert_int_equal(tracefile_window(r, "trace", &window, &from, &to), CLI_OK);
	assert_int_equal(from, from_ns);
	assert_int_equal(to, to_ns);
}

/* The last boot lasts from second 9000 to second 9009 and a bit. */
static void at_is_a_window_of_a_second(void **state)
{
	struct fixture *f = *state;
	struct reader *r = three_boots(f);
	uint64_t first = reader_info(r)->from_ns, last = reader_info(r)->to_ns, from, to;
	struct timearg_moment at;
	char text[64];

	assert_int_equal(tracefile_moment(r, f->path, &(struct windowarg){ .at = "-4s" }, &from, &to, &at),
			 CLI_OK);
	assert_int_equal(at.from_ns, last - 4 * SEC);
	assert_int_equal(at.to_ns, last - 3 * SEC);
	assert_int_equal(from, first);
	assert_int_equal(to, last + 1);
	assert_int_equal(tracefile_moment(r, f->path, &(struct windowarg){ .last = "2s" }, &from, &to, &at),
			 CLI_OK);
	assert_int_equal(at.to_ns, 0);
	assert_int_equal(from, last - 2 * SEC);
	moment(r, "-4s", last - 4 * SEC, last - 3 * SEC);
	snprintf(text, sizeof(text), "boot:%llu", (unsigned long long)(first + 5 * SEC));
	moment(r, text, first + 5 * SEC - SEC / 2, first + 5 * SEC + 1 + SEC / 2);
	/* at the ends of the trace, the window has more of the other side */
	moment(r, "-0s", last + 1 - SEC, last + 1);
	snprintf(text, sizeof(text), "boot:%llu", (unsigned long long)first);
	moment(r, text, first, first + SEC);
	reader_free(r);
}

static void a_wrong_moment_is_refused(void **state)
{
	const struct windowarg both = { .at = "-1s", .from = "-2s" }, early = { .at = "boot:5" },
			       bad = { .at = "soon" }, twice = { .last = "1s", .to = "-1s" };
	struct fixture *f = *state;
	struct reader *r = three_boots(f);
	struct timearg_moment at;
	uint64_t from, to;

	assert_int_equal(tracefile_window(r, f->path, &both, &from, &to), CLI_USAGE);
	assert_int_equal(tracefile_moment(r, f->path, &both, &from, &to, &at), CLI_USAGE);
	assert_int_equal(tracefile_window(r, f->path, &early, &from, &to), CLI_FAILED);
	assert_int_equal(tracefile_moment(r, f->path, &early, &from, &to, &at), CLI_FAILED);
	assert_int_equal(tracefile_window(r, f->path, &bad, &from, &to), CLI_USAGE);
	assert_int_equal(tracefile_window(r, f->path, &twice, &from, &to), CLI_USAGE);
	reader_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_time_of_the_calendar_finds_its_boot, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(other_times_are_of_the_boot_at_hand, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(at_is_a_window_of_a_second, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_wrong_moment_is_refused, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
