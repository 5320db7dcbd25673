/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "report/view/hangs.h"

#define TASKS 5

static struct diagnosis make(struct link *chain, size_t n, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < n; i++) {
		chain[i].tid = chain[i].pid = 10 + chain[i].task;
		chain[i].edge = i + 1 < n ? EDGE_PIPE : 0;
		chain[i].strength = EDGE_STRONG;
		chain[i].from_ns = from_ns;
		chain[i].to_ns = to_ns;
	}
	return (struct diagnosis){ .chain = chain,
				   .n_chain = n,
				   .cycle = n,
				   .from_ns = from_ns,
				   .to_ns = to_ns,
				   .sentence = (char *)"" };
}

/* The page is about task 0, which waits for task 1, which waits for task 2. The own hang of task 1 is no
 * other hang if it is this wait. It is one if task 1 waited for a task outside of the chain, or at another
 * time. */
static void hangs_of_the_chain(void **state)
{
	struct link page[] = { { .task = 0 }, { .task = 1 }, { .task = 2 } };
	struct link same[] = { { .task = 1 }, { .task = 2 } };
	struct link elsewhere[] = { { .task = 1 }, { .task = 3 } };
	struct link later[] = { { .task = 1 }, { .task = 2 } };
	struct diagnosis d[] = { make(page, 3, 100, 200), make(same, 2, 100, 200),
				 make(elsewhere, 2, 101, 200), make(later, 2, 300, 400) };
	struct graph_task tasks[TASKS] = { 0 };
	struct window w = { 0 };
	struct graph g = { .w = &w, .tasks = tasks, .n_tasks = TASKS };
	struct hang rows[ARRAY_SIZE(d)];
	struct hangs all = { .v = rows, .n = ARRAY_SIZE(d) };
	struct view v = { .g = &g,
			  .diagnosis = &d[0],
			  .hangs = &all,
			  .chosen = "",
			  .options = "",
			  .where = "",
			  .trace = "x.ctr" };
	json_t *told, *others;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(d); i++)
		rows[i] = (struct hang){ .task = d[i].chain[0].task,
					 .from_ns = d[i].from_ns,
					 .to_ns = d[i].to_ns,
					 .alarm = true,
					 .diagnosis = &d[i],
					 .first_row = i };
	for (uint32_t i = 0; i < TASKS; i++)
		tasks[i].tid = tasks[i].tgid = 10 + i;
	told = view_hangs(&v);
	others = json_object_get(told, "others");
	assert_int_equal(json_array_size(others), 2);
	/* row 2 and row 3; the length tells them apart */
	assert_int_equal(json_integer_value(json_object_get(json_array_get(others, 0), "length_ns")), 99);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(others, 1), "length_ns")), 100);
	json_decref(told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hangs_of_the_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
