// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/tablearg.h"

struct fruit {
	const char *name;
	uint64_t weight;
};

static const struct fruit fruits[] = {
	{ "plum", 40 }, { "fig", 50 }, { "apple", 150 }, { "fig", 60 }, { "kiwi", 40 }
};
static const char *const columns[] = { "tree", "weight", "name", NULL };
static const struct cli_option no_options[] = { { 0 } };
static const struct cli_usage usage = { .name = "fruits", .args = "", .options = no_options };

static struct tablearg_key key_of(const void *arg, size_t row, unsigned column)
{
	const struct fruit *f = &((const struct fruit *)arg)[row];

	return column == 1 ? (struct tablearg_key){ .number = f->weight }
			   : (struct tablearg_key){ .name = f->name };
}

static void check_order(unsigned column, const uint32_t *want, size_t n)
{
	uint32_t *order;

	assert_int_equal(tablearg_order(column, n, key_of, fruits, &order), CLI_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tablearg_row(order, i), want[i]);
	free(order);
}

static void the_largest_number_and_the_first_name_come_first(void **state)
{
	(void)state;
	/* equal rows keep their order: plum and kiwi weigh the same, and there are two figs */
	check_order(1, (const uint32_t[]){ 2, 3, 1, 0, 4 }, 5);
	check_order(2, (const uint32_t[]){ 2, 1, 3, 4, 0 }, 5);
	check_order(1, NULL, 0);
}

static void the_first_column_is_the_default_order(void **state)
{
	uint32_t *order = (uint32_t[]){ 7 };
	unsigned column = 7;

	(void)state;
	assert_int_equal(tablearg_column(&usage, &(struct tablearg){ 0 }, columns, true, &column), CLI_OK);
	assert_int_equal(column, 0);
	assert_int_equal(tablearg_order(column, 5, key_of, fruits, &order), CLI_OK);
	assert_null(order);
	assert_int_equal(tablearg_row(order, 3), 3);
	assert_int_equal(
		tablearg_column(&usage, &(struct tablearg){ .sort = "tree" }, columns, false, &column),
		CLI_OK);
	assert_int_equal(column, 0);
}

static void a_wrong_column_is_refused(void **state)
{
	unsigned column = 7;

	(void)state;
	assert_int_equal(
		tablearg_column(&usage, &(struct tablearg){ .sort = "name" }, columns, false, &column),
		CLI_OK);
	assert_int_equal(column, 2);
	assert_int_equal(
		tablearg_column(&usage, &(struct tablearg){ .sort = "nam" }, columns, false, &column),
		CLI_USAGE);
	assert_int_equal(tablearg_column(&usage, &(struct tablearg){ .sort = "" }, columns, false, &column),
			 CLI_USAGE);
	assert_int_equal(
		tablearg_column(&usage, &(struct tablearg){ .sort = "name" }, columns, true, &column),
		CLI_USAGE);
	assert_int_equal(column, 2);
}

static void an_option_of_other_commands_has_words(void **state)
{
	static const struct cli_instead instead[] = { { "at from", "give a day" },
						      { "sort", "it is a bowl" },
						      { 0 } };
	const struct cli_usage bowl = {
		.name = "bowl", .args = "", .options = no_options, .instead = instead
	};

	(void)state;
	assert_string_equal(usage_instead(&bowl, "at"), "give a day");
	assert_string_equal(usage_instead(&bowl, "from=14:03"), "give a day");
	assert_string_equal(usage_instead(&bowl, "sort"), "it is a bowl");
	assert_null(usage_instead(&bowl, "fro"));
	assert_null(usage_instead(&bowl, "fromm"));
	assert_null(usage_instead(&bowl, ""));
	assert_null(usage_instead(&usage, "at"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_number_and_the_first_name_come_first),
		cmocka_unit_test(the_first_column_is_the_default_order),
		cmocka_unit_test(a_wrong_column_is_refused),
		cmocka_unit_test(an_option_of_other_commands_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
