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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_time_of_the_calendar_finds_its_boot, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(other_times_are_of_the_boot_at_hand, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
