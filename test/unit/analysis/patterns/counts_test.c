// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/patterns/counts.h"
#include "lib/cleanup.h"

static void make(struct counts *c, size_t n, size_t n_rows, uint64_t base, uint64_t step, uint64_t mod)
{
	char text[32];

	assert_int_equal(counts_begin(c, n), 0);
	for (size_t k = 0; k < n_rows; k++) {
		snprintf(text, sizeof(text), "send to %c", (char)('a' + k));
		for (size_t i = 0; i < n; i++)
			assert_int_equal(counts_add(c, i, text, base + i * step % mod), 0);
	}
}

static enum counts_kind kind_of(size_t n, size_t m, size_t n_rows, uint64_t was, uint64_t is, unsigned looks,
				size_t *ret_needed)
{
	_cleanup_(counts_done) struct counts old = { 0 }, new = { 0 };
	_cleanup_(counts_result_done) struct counts_result r = { 0 };

	make(&old, n, n_rows, was, 0, 1);
	make(&new, m, n_rows, is, 0, 1);
	assert_int_equal(counts_compare(&old, &new, looks, &r), 0);
	*ret_needed = r.runs_needed;
	return r.kind;
}

static void few_runs(void **state)
{
	size_t needed;

	assert_int_equal(kind_of(5, 5, 2, 3, 4, 1, &needed), COUNTS_GREW);
	assert_int_equal(kind_of(4, 4, 1, 3, 4, 1, &needed), COUNTS_OPEN);
	assert_int_equal(needed, 5);
	assert_int_equal(kind_of(1, 1, 1, 3, 3, 1, &needed), COUNTS_OK);
	/* if one side has only 2 runs, 14 runs of the other side are enough */
	assert_int_equal(kind_of(2, 14, 1, 3, 4, 1, &needed), COUNTS_GREW);
	assert_int_equal(kind_of(2, 12, 1, 3, 4, 1, &needed), COUNTS_OPEN);
}

/* A check needs more runs if more events have a count that is not the same in all runs of both sides, or if
 * the check may try to decide more often (`looks`). */
static void many_tries(void **state)
{
	size_t needed;

	assert_int_equal(kind_of(5, 5, 3, 3, 4, 1, &needed), COUNTS_OPEN);
	assert_int_equal(needed, 6);
	assert_int_equal(kind_of(5, 5, 1, 3, 4, 3, &needed), COUNTS_OPEN);
	assert_int_equal(kind_of(6, 6, 3, 3, 4, 3, &needed), COUNTS_GREW);
	assert_int_equal(kind_of(10, 10, 26, 3, 4, 5, &needed), COUNTS_GREW);
}

static void shrinks(void **state)
{
	size_t needed;

	assert_int_equal(kind_of(10, 10, 1, 4, 3, 1, &needed), COUNTS_OK);
	assert_int_equal(kind_of(10, 10, 1, 4, 4, 1, &needed), COUNTS_OK);
}

/* The old counts are 10 to 13. The result is COUNTS_GREW only if all new counts are above 13. */
static void varying(void **state)
{
	_cleanup_(counts_done) struct counts old = { 0 }, at = { 0 }, above = { 0 };
	_cleanup_(counts_result_done) struct counts_result r = { 0 };

	make(&old, 10, 1, 10, 1, 4);
	make(&at, 10, 1, 13, 1, 4);
	make(&above, 10, 1, 14, 1, 4);
	assert_int_equal(counts_compare(&old, &at, 1, &r), 0);
	assert_int_equal(r.kind, COUNTS_OK);
	assert_int_equal(r.changes.n, 0);
	assert_int_equal(r.n_varying, 1);
	assert_int_equal(counts_compare(&old, &above, 1, &r), 0);
	assert_int_equal(r.kind, COUNTS_GREW);
	assert_int_equal(r.changes.n, 1);
	assert_true(r.changes.v[0].old_max == 13 && r.changes.v[0].new_min == 14);
	assert_true(r.changes.v[0].old_min == 10 && r.changes.v[0].new_max == 17);
}

/* Compares 5 runs of a command with 5 other runs of the same command, by 20 counts that vary at random. By
 * chance, each count grows in 0.4 % of the comparisons, so at least one of the 20 grows in 8 %.
 * counts_compare() takes this into account: at most 1 % of the comparisons say COUNTS_GREW. */
static void chance(void **state)
{
	size_t alarms = 0;

	srandom(1);
	for (size_t i = 0; i < 500; i++) {
		struct counts side[2] = { 0 };
		struct counts_result r;
		char text[32];

		for (size_t s = 0; s < 2; s++) {
			assert_int_equal(counts_begin(&side[s], 5), 0);
			for (size_t k = 0; k < 20 * 5; k++) {
				snprintf(text, sizeof(text), "wait %zu x", k / 5);
				assert_int_equal(
					counts_add(&side[s], k % 5, text, (uint64_t)random() % 1000000), 0);
			}
		}
		assert_int_equal(counts_compare(&side[0], &side[1], 1, &r), 0);
		alarms += r.kind == COUNTS_GREW;
		counts_result_done(&r);
		counts_done(&side[0]);
		counts_done(&side[1]);
	}
	assert_true(alarms <= 5);
}

static void order(void **state)
{
	_cleanup_(counts_done) struct counts old = { 0 }, new = { 0 };
	_cleanup_(counts_result_done) struct counts_result r = { 0 };

	assert_int_equal(counts_begin(&old, 10), 0);
	assert_int_equal(counts_begin(&new, 10), 0);
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(counts_add(&old, i, "start cc1", 1), 0);
		assert_int_equal(counts_add(&new, i, "start cc1", 2), 0);
		assert_int_equal(counts_add(&old, i, "gone", 100), 0);
		assert_int_equal(counts_add(&new, i, "came", 3), 0);
		assert_int_equal(counts_add(&old, i, "same", 7), 0);
		assert_int_equal(counts_add(&new, i, "same", 7), 0);
	}
	assert_int_equal(counts_compare(&old, &new, 1, &r), 0);
	assert_int_equal(r.changes.n, 3);
	assert_int_equal(r.n_grew, 2);
	assert_string_equal(r.changes.v[0].text, "came");
	assert_string_equal(r.changes.v[1].text, "start cc1");
	assert_string_equal(r.changes.v[2].text, "gone");
	assert_int_equal(r.changes.v[2].new_max, 0);
}

/* Events that differ only in a directory, or in a port that the kernel may have chosen, count as
 * one event. */
static void alike(void **state)
{
	_cleanup_(counts_done) struct counts c = { 0 };

	assert_int_equal(counts_begin(&c, 2), 0);
	assert_int_equal(counts_add(&c, 0, "lock /old/data/x.db", 1), 0);
	assert_int_equal(counts_add(&c, 1, "lock /new/x.db", 2), 0);
	assert_int_equal(counts_add(&c, 0, "send to port 40001", 1), 0);
	assert_int_equal(counts_add(&c, 1, "send to port 50002", 1), 0);
	assert_int_equal(c.rows.n, 2);
	assert_string_equal(c.rows.v[0].text, "lock /old/data/x.db");
	assert_int_equal(c.rows.v[0].n.v[1], 2);
	assert_string_equal(c.rows.v[1].text, "send to port #");
	assert_int_equal(counts_add(&c, 0, "send to port 6379", 1), 0);
	assert_int_equal(counts_add(&c, 0, "send to port 6380", 1), 0);
	assert_int_equal(counts_add(&c, 0, "lock /data/45000.db", 1), 0);
	assert_int_equal(counts_add(&c, 0, "lock /data/45001.db", 1), 0);
	assert_int_equal(counts_add(&c, 0, "start job-45000", 1), 0);
	assert_int_equal(counts_add(&c, 0, "start job-45001", 1), 0);
	assert_int_equal(c.rows.n, 8);
}

static void limits(void **state)
{
	_cleanup_(counts_done) struct counts c = { 0 }, few = { 0 };
	struct counts_result r;
	char text[32];

	assert_int_equal(counts_add(&c, 0, "a", 1), -EINVAL);
	assert_int_equal(counts_begin(&c, COUNTS_RUNS_MAX + 1), -E2BIG);
	assert_int_equal(counts_begin(&c, COUNTS_RUNS_MAX), 0);
	assert_int_equal(counts_begin(&c, 1), -E2BIG);
	assert_int_equal(counts_add(&c, 0, "a", COUNTS_MAX), 0);
	assert_int_equal(counts_add(&c, 0, "a", 1), -E2BIG);
	for (size_t i = 1; i < COUNTS_ROWS_MAX; i++) {
		snprintf(text, sizeof(text), "event %zu x", i);
		assert_int_equal(counts_add(&c, 0, text, 1), 0);
	}
	assert_int_equal(c.refused, 0);
	assert_int_equal(counts_add(&c, 0, "one more", 1), 0);
	assert_int_equal(c.refused, 1);
	assert_int_equal(c.rows.n, COUNTS_ROWS_MAX);
	make(&few, 10, 1, 1, 0, 1);
	assert_int_equal(counts_compare(&few, &c, 1, &r), 0);
	assert_int_equal(r.kind, COUNTS_OPEN);
	counts_result_done(&r);
	assert_int_equal(counts_compare(&few, &(struct counts){ 0 }, 1, &r), 0);
	assert_int_equal(r.kind, COUNTS_OPEN);
	counts_result_done(&r);
}

static void run_of(struct counts *c, const char *const *events, size_t n, uint32_t lacks)
{
	struct collected life = { .lacks = lacks };
	uint32_t symbol;

	assert_int_equal(sequence_begin(&life.sequence, 0), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(sequence_symbol(&life.sequence, events[i], "", &symbol), 0);
		assert_int_equal(sequence_add(&life.sequence, symbol, 1), 0);
	}
	assert_int_equal(counts_run(c, &life), 0);
	sequence_done(&life.sequence);
}

/* A run that may lack events does not count. Its small counts would look like growth in later
 * runs. */
static void incomplete(void **state)
{
	static const char *const events[] = { "a", "b", "a", "a" };
	_cleanup_(counts_done) struct counts c = { 0 };

	run_of(&c, events, 4, 0);
	run_of(&c, events, 1, CT_LACK_MESSAGES);
	run_of(&c, events, 2, CT_LACK_STACKS);
	assert_int_equal(c.n_runs, 2);
	assert_int_equal(c.n_incomplete, 1);
	assert_int_equal(c.rows.v[0].n.v[0], 3);
	assert_int_equal(c.rows.v[0].n.v[1], 1);
	assert_int_equal(c.rows.v[1].n.v[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_runs), cmocka_unit_test(many_tries), cmocka_unit_test(shrinks),
		cmocka_unit_test(varying),  cmocka_unit_test(chance),     cmocka_unit_test(order),
		cmocka_unit_test(alike),    cmocka_unit_test(limits),     cmocka_unit_test(incomplete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
