/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubted_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
