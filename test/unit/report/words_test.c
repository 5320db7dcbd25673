/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/view/words.h"

/* A doubt about the end of the chain is about its last task. A doubt about the work of a task is about the
 * task that worked, and not about the task that had its CPU meanwhile. */
static void doubted_link(void **state)
{
	struct link chain[] = { { .edge = EDGE_PIPE }, { .edge = EDGE_PIPE }, { .edge = 0 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain), .doubts = 1 << DOUBT_WORK };

	(void)state;
	assert_false(view_is_doubted(&d, 0));
	assert_false(view_is_doubted(&d, 1));
	assert_true(view_is_doubted(&d, 2));
	chain[1].edge = EDGE_CPU;
	assert_false(view_is_doubted(&d, 0));
	assert_true(view_is_doubted(&d, 1));
	assert_false(view_is_doubted(&d, 2));
	d.doubts = 1 << DOUBT_CPU;
	assert_false(view_is_doubted(&d, 1));
	assert_true(view_is_doubted(&d, 2));
}

/* The path goes on to the writer of the input, so the page says why the chain does not. */
static void writer_of_input(void **state)
{
	struct link chain[] = { { .comm = "app", .tid = 7 }, { .comm = "sh", .tid = 8, .task = 3 } };
	struct diagnosis d = { .chain = chain, .n_chain = ARRAY_SIZE(chain) };
	struct words none = { 0 }, sure = { 0 }, perhaps = { 0 };
	_cleanup_free_ char *text = NULL, *doubtful = NULL;

	(void)state;
	view_add_writer(&none, &d);
	assert_int_equal(none.n, 0);
	d.writer = (struct writer){
		.reader = 3, .tid = 9, .comm = "feed", .edge = EDGE_PIPE, .strength = EDGE_STRONG
	};
	view_add_writer(&sure, &d);
	text = words_take(&sure);
	assert_non_null(strstr(text, "feed[9] started sh[8], and writes what it reads."));
	assert_non_null(strstr(text, "the chain ends at sh[8]. The critical path goes on to feed[9]"));
	d.writer.strength = EDGE_WEAK;
	view_add_writer(&perhaps, &d);
	doubtful = words_take(&perhaps);
	assert_non_null(strstr(doubtful, "and perhaps writes what it reads."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubted_link),
		cmocka_unit_test(writer_of_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
