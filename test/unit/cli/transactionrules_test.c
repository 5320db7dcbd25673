// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/ask/transactionrules.h"

#define HEAD "{\"schema\":\"ctrace.transaction-rules/1\",\"rules\":"

static char err[TRANSACTIONRULES_ERR_MAX];

static int parse(const char *text, struct transaction_rules *rules)
{
	memset(err, 0, sizeof(err));
	return transactionrules_parse(text, strlen(text), rules, err);
}

static void sources(void **state)
{
	struct transaction_rules r = { 0 };

	assert_int_equal(
		parse(HEAD
		      "[{\"mark\":\"a\"},{\"mark\":\"a\",\"until\":\"b\"},{\"program\":\"c\"},"
		      "{\"cmdline\":\"d\",\"transaction\":\"n\"},{\"service\":\"e\"},"
		      "{\"address\":\"f\"},{\"queue\":\"g\",\"program\":\"h\"},{\"input\":\"i\",\"program\":\"j\"},"
		      "{\"timer\":\"k\",\"program\":\"l\"}]}",
		      &r),
		0);
	assert_int_equal(r.v.n, 9);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(r.v.v[i].source,
				 ((int[]){ TRANSACTION_MARK, TRANSACTION_MARK, TRANSACTION_PROCESS,
					   TRANSACTION_PROCESS, TRANSACTION_REQUEST, TRANSACTION_REQUEST,
					   TRANSACTION_JOB, TRANSACTION_INPUT, TRANSACTION_TIMER })[i]);
	assert_string_equal(r.v.v[1].until, "b");
	assert_string_equal(r.v.v[3].name, "n");
	assert_string_equal(r.v.v[6].program, "h");
	assert_null(r.v.v[6].cmdline);
	assert_string_equal(r.v.v[7].input, "i");
	assert_string_equal(r.v.v[8].timer, "k");
	transaction_rules_done(&r);
}

static uint64_t print_of(const char *rules, const char *type)
{
	struct transaction_rules r = { 0 };
	char text[512];
	uint64_t print;

	snprintf(text, sizeof(text), HEAD "[%s]}", rules);
	assert_int_equal(parse(text, &r), 0);
	print = transaction_rules_print(&r, type);
	transaction_rules_done(&r);
	return print;
}

/* The hash depends on the rules of one type, and neither on the other rules nor on the order. */
static void prints(void **state)
{
	static const char *const mark = "{\"mark\":\"a\",\"transaction\":\"t\"}",
				 *const other = "{\"mark\":\"b\",\"transaction\":\"t\"}",
				 *const until = "{\"mark\":\"a\",\"until\":\"b\",\"transaction\":\"t\"}";
	char both[256], turned[256];
	uint64_t a = print_of(mark, "t");

	snprintf(both, sizeof(both), "%s,%s", mark, other);
	snprintf(turned, sizeof(turned), "%s,%s", other, mark);
	assert_true(a && a != print_of(other, "t") && a != print_of(until, "t"));
	assert_true(a == print_of("{ \"transaction\": \"t\", \"mark\": \"a\" }", "t"));
	assert_true(print_of(both, "t") == print_of(turned, "t") && print_of(both, "t") != a);
	assert_true(print_of(both, "u") == 0);
	assert_true(print_of("{\"program\":\"x\"}", "x") != print_of("{\"program\":\"y\"}", "x"));
	assert_true(print_of("{\"program\":\"x\",\"transaction\":\"t\"}", "t") !=
		    print_of("{\"cmdline\":\"x\",\"transaction\":\"t\"}", "t"));
}

static void refusals(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "line 1" },
		{ "[]", "does not begin with" },
		{ "{\"schema\":\"ctrace.rules/1\",\"rules\":[]}", "does not begin with" },
		{ HEAD "[]}", "an array with a rule" },
		{ HEAD "7}", "an array with a rule" },
		{ HEAD "[7]}", "rule 1: it must be an object" },
		{ HEAD "[{}]}", "rule 1: add" },
		{ HEAD "[{\"transaction\":\"a\"}]}", "rule 1: add" },
		{ HEAD "[{\"until\":\"a\"}]}", "rule 1: add" },
		{ HEAD "[{\"mark\":\"a\"},{\"mark\":\"\"}]}", "rule 2: \"mark\" must be a text" },
		{ HEAD "[{\"mark\":\"a\",\"mark\":\"b\"}]}", "duplicate" },
		{ HEAD "[{\"mark\":\"a\",\"queue\":\"b\"}]}", "\"queue\" does not go with" },
		{ HEAD "[{\"service\":\"a\",\"cmdline\":\"b\"}]}", "\"cmdline\" does not go with" },
		{ HEAD "[{\"Mark\":\"a\"}]}", "no member \"Mark\"" },
		{ HEAD "[{\"mark\":\"a\\u0000b\"}]}", "\\u0000" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct transaction_rules r = { 0 };

		assert_int_equal(parse(cases[i].text, &r), -EBADMSG);
		if (!strstr(err, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err);
		transaction_rules_done(&r);
	}
}

static char *many(size_t n, size_t len)
{
	char *text = malloc(sizeof(HEAD) + n * (len + 32) + 8);
	size_t at = (size_t)sprintf(text, HEAD "[");

	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "%s{\"mark\":\"%0*d\"}", i ? "," : "", (int)len, 0);
	sprintf(text + at, "]}");
	return text;
}

static void limits(void **state)
{
	static const struct {
		size_t n, len;
		const char *says;
	} cases[] = {
		{ TRANSACTIONRULES_MAX, 1, NULL },
		{ TRANSACTIONRULES_MAX + 1, 1, "more than 256 rules" },
		{ 1, TRANSACTIONRULES_TEXT_MAX, NULL },
		{ 1, TRANSACTIONRULES_TEXT_MAX + 1, "more than 256 bytes" },
		{ 1, TRANSACTIONRULES_BYTES_MAX, "more than 1048576 bytes" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct transaction_rules r = { 0 };
		char *text = many(cases[i].n, cases[i].len);

		assert_int_equal(parse(text, &r), cases[i].says ? -EBADMSG : 0);
		if (cases[i].says && !strstr(err, cases[i].says))
			fail_msg("%s", err);
		if (!cases[i].says)
			assert_int_equal(r.v.n, cases[i].n);
		transaction_rules_done(&r);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources),
		cmocka_unit_test(prints),
		cmocka_unit_test(refusals),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
