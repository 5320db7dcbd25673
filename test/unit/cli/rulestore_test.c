// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/ask/rulesfile.h"
#include "cli/ask/rulestore.h"

static char dir[64];

static const char *at(const char *name)
{
	static char path[4][160];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static json_t *get(const char *name)
{
	json_t *j = json_load_file(at(name), 0, NULL);

	assert_non_null(j);
	return j;
}

static void expect_rule(const json_t *doc, size_t i, const char *from, const char *verdict)
{
	const json_t *rule = json_array_get(json_object_get(doc, "rules"), i);

	assert_string_equal(json_string_value(json_object_get(rule, "from")), from);
	assert_string_equal(json_string_value(json_object_get(rule, "verdict")), verdict);
}

static void answer(struct rulestore *s, const char *from, enum rule_verdict verdict)
{
	struct rule r = { .verdict = verdict };

	snprintf(r.from, sizeof(r.from), "%s", from);
	assert_int_equal(VEC_PUSH(&s->rules.v, r), 0);
}

static int in_fresh_directory(void **state)
{
	strcpy(dir, "/tmp/ctrace-rulestore-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	setenv("XDG_CONFIG_HOME", dir, 1);
	return 0;
}

static int remove_directory(void **state)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -r '%s'", dir);
	return system(cmd);
}

static void reads_in_order(void **state)
{
	struct rulestore_options o = { 0 };
	struct rulestore s;

	mkdir(at("ctrace"), 0700);
	put("ctrace/rules.json",
	    "{\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"own\",\"verdict\":\"cause\"}]}");
	put("a", "{\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"a\",\"verdict\":\"cause\"}]}");
	put("b", "{\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"b\",\"verdict\":\"cause\"}]}");
	assert_int_equal(rulestore_option(&o, at("b")), 0);
	assert_int_equal(rulestore_option(&o, at("a")), 0);
	assert_int_equal(rulestore_open(&o, false, &s), 0);
	assert_int_equal(s.rules.v.n, 3);
	assert_string_equal(s.rules.v.v[0].from, "b");
	assert_string_equal(s.rules.v.v[1].from, "a");
	assert_string_equal(s.rules.v.v[2].from, "own");
	assert_string_equal(s.keep, at("b"));
	rulestore_done(&s);

	o = (struct rulestore_options){ .none = true };
	assert_int_equal(rulestore_open(&o, true, &s), 0);
	assert_int_equal(s.rules.v.n, 0);
	rulestore_done(&s);
}

static void makes_the_file(void **state)
{
	struct rulestore_options o = { 0 };
	struct rulestore s;
	json_t *doc;

	assert_int_equal(rulestore_open(&o, true, &s), 0);
	assert_int_equal(rulestore_keep(&s), 0);
	assert_int_not_equal(access(at("ctrace"), F_OK), 0);
	answer(&s, "x", RULE_NOT_CAUSE);
	assert_int_equal(rulestore_keep(&s), 0);
	doc = get("ctrace/rules.json");
	assert_int_equal(json_array_size(json_object_get(doc, "rules")), 1);
	expect_rule(doc, 0, "x", "not-cause");
	json_decref(doc);
	rulestore_done(&s);
}

/* A write of the file of rules keeps its mode, its unknown members, its notes, the order of its
 * rules, and rules that were added meanwhile. A symbolic link to the file stays. */
static void keeps_what_was_there(void **state)
{
	struct rulestore_options o = { 0 };
	struct rulestore s;
	struct stat st;
	json_t *doc;

	put("real",
	    "{\"by\":\"us\",\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"a\",\"verdict\":\"cause\","
	    "\"note\":\"why\"}]}");
	chmod(at("real"), 0640);
	assert_int_equal(symlink("real", at("link")), 0);
	rulestore_option(&o, at("link"));
	assert_int_equal(rulestore_open(&o, true, &s), 0);
	put("real",
	    "{\"by\":\"us\",\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"a\",\"verdict\":\"cause\","
	    "\"note\":\"why\"},{\"from\":\"meanwhile\",\"verdict\":\"cause\"}]}");
	answer(&s, "new", RULE_NOT_CAUSE);
	answer(&s, "newer", RULE_CAUSE);
	assert_int_equal(rulestore_keep(&s), 0);
	rulestore_done(&s);

	assert_int_equal(lstat(at("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(at("real"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	doc = get("real");
	assert_string_equal(json_string_value(json_object_get(doc, "by")), "us");
	assert_int_equal(json_array_size(json_object_get(doc, "rules")), 4);
	expect_rule(doc, 0, "new", "not-cause");
	expect_rule(doc, 1, "newer", "cause");
	expect_rule(doc, 2, "a", "cause");
	expect_rule(doc, 3, "meanwhile", "cause");
	assert_non_null(json_object_get(json_array_get(json_object_get(doc, "rules"), 2), "note"));
	json_decref(doc);
}

static void turns_around(void **state)
{
	struct rulestore_options o = { 0 };
	struct rulestore s;
	json_t *doc;

	put("r", "{\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"a\",\"verdict\":\"cause\"},"
		 "{\"from\":\"b\",\"verdict\":\"cause\"}]}");
	rulestore_option(&o, at("r"));
	assert_int_equal(rulestore_open(&o, true, &s), 0);
	s.rules.v.v[1].verdict = RULE_NOT_CAUSE;
	assert_int_equal(rulestore_keep(&s), 0);
	rulestore_done(&s);
	doc = get("r");
	assert_int_equal(json_array_size(json_object_get(doc, "rules")), 2);
	expect_rule(doc, 0, "b", "not-cause");
	expect_rule(doc, 1, "a", "cause");
	json_decref(doc);
}

static void replaces_nothing_foreign(void **state)
{
	struct rulestore_options o = { 0 };
	struct rulestore s;
	char text[16] = "";
	char cmd[96];
	FILE *f;

	put("r", "{\"schema\":\"ctrace.rules/1\",\"rules\":[]}");
	rulestore_option(&o, at("r"));
	assert_int_equal(rulestore_open(&o, true, &s), 0);
	put("r", "my notes");
	answer(&s, "x", RULE_CAUSE);
	assert_int_not_equal(rulestore_keep(&s), 0);
	rulestore_done(&s);
	f = fopen(at("r"), "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "my notes");
	snprintf(cmd, sizeof(cmd), "test \"$(ls '%s')\" = r", dir);
	assert_int_equal(system(cmd), 0);
}

static size_t allocations_left;

static void *few(size_t size)
{
	return allocations_left && allocations_left-- ? malloc(size) : NULL;
}

static size_t allocations_to_parse(const char *text)
{
	json_t *doc;

	allocations_left = 1000;
	json_set_alloc_funcs(few, free);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_set_alloc_funcs(malloc, free);
	assert_true(doc || !*text);
	json_decref(doc);
	return doc ? 1000 - allocations_left : 0;
}

/* Lets memory run out after i allocations, for each i from the end of the parse on. It must not run
 * out during the parse: Jansson may then report an error in the text. */
static void merge_without_memory(const char *old)
{
	struct rule rule = { .verdict = RULE_CAUSE, .from = "b" };
	size_t n = allocations_to_parse(old);
	char *text = NULL;
	int r = -ENOMEM;

	for (size_t i = n; r; i++) {
		json_set_alloc_funcs(few, free);
		allocations_left = i;
		r = rulesfile_merge(old, strlen(old), &rule, 1, &text);
		json_set_alloc_funcs(malloc, free);
		if (r)
			assert_int_equal(r, -ENOMEM);
	}
	assert_non_null(strstr(text, "\"b\""));
	free(text);
}

static void merges_without_memory(void **state)
{
	struct rule rule = { .verdict = RULE_CAUSE, .from = "b" };
	char *text = NULL;

	assert_int_equal(rulesfile_merge("{}", 2, &rule, 1, &text), -EBADMSG);
	merge_without_memory("");
	merge_without_memory(
		"{\"schema\":\"ctrace.rules/1\",\"rules\":[{\"from\":\"a\",\"verdict\":\"cause\"}]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_in_order, in_fresh_directory, remove_directory),
		cmocka_unit_test_setup_teardown(makes_the_file, in_fresh_directory, remove_directory),
		cmocka_unit_test_setup_teardown(keeps_what_was_there, in_fresh_directory, remove_directory),
		cmocka_unit_test_setup_teardown(turns_around, in_fresh_directory, remove_directory),
		cmocka_unit_test_setup_teardown(replaces_nothing_foreign, in_fresh_directory,
						remove_directory),
		cmocka_unit_test(merges_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
