// SPDX-License-Identifier: GPL-2.0-or-later
/* The time to match very many messages. causal_message.txt tests the edges of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/graph/causal_make.h"

/*
 * All sent datagrams have 100 bytes, and all receives have 60 bytes. So no send has the length of a
 * receive. If each receive were compared with all sends, the time would grow with the square of N.
 */
static void test_lost_datagrams(void **state)
{
	enum { N = 200000 };
	struct make m = { 0 };
	struct built b;

	runs(&m, 10, 10, 1, "sink");
	runs(&m, 20, 20, 1, "source");
	connection(&m, SOCK(1), SOCK(2), DGRAM);
	for (uint32_t i = 0; i < N; i++)
		sends(&m, 1, 20, SOCK(2), 100);
	for (uint32_t i = 0; i < N; i++)
		receives(&m, 2, 10, SOCK(1), 60);
	b = built(&m, 10);
	assert_int_equal(n_edges(&b, EDGE_MESSAGE), N);
	built_free(&b, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_datagrams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
