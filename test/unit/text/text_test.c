// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "test/unit/text/text_window.h"

static void assert_refused(const char *line, const char *why)
{
	struct text_window *t = text_window_new();
	char error[TEXT_ERROR_MAX];

	assert_true(text_window_add(t, "task 10 app", error));
	assert_true(text_window_add(t, "task 11 twin", error));
	assert_true(text_window_add(t, "task 12 twin", error));
	if (text_window_add(t, line, error))
		fail_msg("\"%s\" is accepted", line);
	if (!strstr(error, why))
		fail_msg("\"%s\": \"%s\" does not say \"%s\"", line, error, why);
	text_window_free(t);
}

static void test_refused(void **state)
{
	assert_refused("app runs", "expected a time, task");
	assert_refused("10 app runs", "expected a time as");
	assert_refused("10ms app", "expected what the task does, not the end");
	assert_refused("10ms app walks", "expected a verb");
	assert_refused("10ms ape runs", "expected a task");
	assert_refused("10ms app[11] runs", "expected a task");
	assert_refused("10ms twin runs", "may be 11 or 12");
	assert_refused("10ms app runs fast", "unknown word \"fast\"; expected: A runs");
	assert_refused("10ms app runs cpu=x", "expected a number");
	assert_refused("10ms app runs state=disk", "unknown word \"state=disk\"");
	assert_refused("10ms app blocks", "expected a kind of wait");
	assert_refused("10ms app blocks reed", "not \"reed\"");
	assert_refused("10ms app blocks read pipe", "unknown word \"pipe\"");
	assert_refused("10ms app blocks read tube:1", "expected one of futex pipe");
	assert_refused("10ms app blocks read flags=timeout,later", "not \"later\"");
	assert_refused("10ms timer wakes app which", "expected \"which runs\"");
	assert_refused("10ms app capped", "expected since=TIME");
	assert_refused("+10ms app runs", "expected a time, task");
	assert_refused("task 10 again", "declared twice");
	assert_refused("state app running since=0", "expected a checkpoint");
	assert_refused("until then", "expected a time as");
}

static void test_records(void **state)
{
	static const char *const lines[] = {
		"task 10 app # a comment",
		"20us app blocks futex futex:10:0x1000 owner=11 cpu=3 flags=timeout,iowait nr=202",
		"repeat 2 every 1ms from 1ms first=7",
		"+0.5ms $i wakes app in=write flags=ready which runs",
		"end",
		"1us app runs",
		"until 1s",
	};
	struct text_window *t = text_window_new();
	char error[TEXT_ERROR_MAX];
	const struct window *w;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_true(text_window_add(t, lines[i], error));
	w = text_window_done(t, error);
	assert_non_null(w);
	assert_int_equal(w->to_ns, 1000000000);
	assert_int_equal(w->n_events, 7);
	assert_int_equal(w->events[0].r.ts, 1000);
	assert_int_equal(w->events[1].r.kind, CT_FUTEX);
	assert_int_equal(w->events[1].r.peer, 11);
	assert_int_equal(w->events[2].r.kind, CT_SWITCH);
	assert_int_equal(w->events[2].r.ts, 20000);
	assert_int_equal(w->events[2].r.wait, CT_W_FUTEX);
	assert_int_equal(w->events[2].r.state, CT_ST_SLEEP);
	assert_int_equal(w->events[2].r.flags, CT_SF_TIMEOUT | CT_SF_IOWAIT);
	assert_int_equal(w->events[2].r.nr, 202);
	assert_int_equal(w->events[2].r.obj, CT_OBJ_FUTEX_ID(10, 0x1000));
	assert_int_equal(w->cpus[2], 3);
	assert_int_equal(w->events[3].r.ts, 1500000);
	assert_int_equal(w->events[3].r.peer, 7);
	assert_int_equal(w->events[3].r.aux, CT_W_WRITE);
	assert_int_equal(w->events[4].r.peer, 10);
	assert_int_equal(w->cpus[4], 3);
	assert_int_equal(w->events[5].r.ts, 2500000);
	assert_int_equal(w->events[5].r.peer, 8);
	text_window_free(t);
}

static void test_repeat_without_end(void **state)
{
	struct text_window *t = text_window_new();
	char error[TEXT_ERROR_MAX];

	assert_true(text_window_add(t, "repeat 2 every 1ms from 1ms", error));
	assert_true(text_window_add(t, "+0ms 10 runs", error));
	assert_null(text_window_done(t, error));
	assert_non_null(strstr(error, "end"));
	text_window_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_repeat_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
