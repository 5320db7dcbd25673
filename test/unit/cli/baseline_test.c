// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "cli/compare/baseline.h"
#include "cli/compare/warnings.h"
#include "lib/cleanup.h"

static const char good[] =
	"{\"schema\":\"ctrace.baseline/1\",\n\"command\":\"make\",\n"
	"\"machine\":{\"kernel\":\"6.1\",\"arch\":\"x86_64\",\"cpus\":2,\"model\":\"\","
	"\"governor\":\"\",\"cgroup\":\"\"},\n"
	"\"total_ns\":[30,25],\n\"parts\":[\n"
	"{\"key\":\"a\",\"detail\":\"\",\"text\":\"A\",\"kind\":\"disk\",\"ns\":[10,25],"
	"\"count\":[1,2]},\n"
	"{\"key\":\"a\",\"detail\":\"f\",\"text\":\"A in f()\",\"kind\":\"lock\",\"ns\":[20,0],"
	"\"count\":[3,0]}\n],\n\"counted_runs\":2,\n\"counts\":[\n"
	"{\"text\":\"lock x\",\"n\":[4,0]},\n{\"text\":\"send to port 1\",\"n\":[0,7]}\n]}\n";

static int parse(const char *text, char err[BASELINE_ERR_MAX])
{
	_cleanup_(baseline_done) struct baseline b = { 0 };

	err[0] = '\0';
	return baseline_parse(&b, text, strlen(text), err);
}

static char *written(const struct baseline *b)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(baseline_write(b, f), 0);
	fclose(f);
	return text;
}

static void reads_what_it_writes(void **state)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };
	_cleanup_free_ char *text = NULL;
	char err[BASELINE_ERR_MAX];

	assert_int_equal(baseline_parse(&b, good, strlen(good), err), 0);
	assert_int_equal(b.n_runs, 2);
	assert_int_equal(b.runs[0]->n_parts, 2);
	assert_int_equal(b.runs[1]->n_parts, 1);
	assert_int_equal(b.runs[1]->total_ns, 25);
	assert_int_equal(b.runs[0]->parts[1].class, PART_CLASS_LOCK);
	assert_int_equal(b.runs[0]->parts[1].count, 3);
	assert_string_equal(b.machine.kernel, "6.1");
	assert_int_equal(b.machine.cpus, 2);
	assert_string_equal(b.command, "make");
	assert_int_equal(b.counts.n_runs, 2);
	assert_int_equal(b.counts.rows.v[1].n.v[1], 7);
	text = written(&b);
	assert_string_equal(text, good);
}

/* Commands that differ only in numbers and directories are alike. An unknown command, "", is like any. */
static void commands_alike(void **state)
{
	assert_true(baseline_alike("old/job-1.2 --n 3 /tmp/a", "job-1.30 --n 17 /var/a"));
	assert_true(baseline_alike("", "make"));
	assert_false(baseline_alike("make", "make all"));
	assert_false(baseline_alike("job-old", "job-new"));
	assert_false(baseline_alike("a b", "ab"));
	assert_true(baseline_alike("/", "/"));
}

static void warns(void **state)
{
	_cleanup_(baseline_done) struct baseline old = { .command = "a" };
	_cleanup_(baseline_done) struct baseline new = { 0 };
	struct warnings w = { .n = 0 };
	char err[BASELINE_ERR_MAX];
	const char failed[] =
		"{\"schema\":\"ctrace.baseline/1\",\"command\":\"test\",\"machine\":{},\"failed\":1,"
		"\"total_ns\":[0,0],\"parts\":[]}";
	_cleanup_free_ char *text = NULL;

	assert_int_equal(baseline_parse(&old, good, strlen(good), err), 0);
	assert_int_equal(baseline_parse(&new, good, strlen(good), err), 0);
	warnings_compare(&w, &old, &new);
	assert_int_equal(w.n, 0);
	assert_int_equal(baseline_parse(&new, failed, strlen(failed), err), 0);
	warnings_compare(&w, &old, &new);
	assert_int_equal(w.n, 2);
	assert_non_null(strstr(w.v[0], "new runs are of different commands, such as 'make' and 'test'"));
	assert_non_null(strstr(w.v[1], "failed in 1 of 4 new runs"));
	assert_int_equal(baseline_parse(&old, failed, strlen(failed), err), 0);
	text = written(&old);
	assert_non_null(strstr(text, "\"failed\":1,\n"));
}

/* Control characters and U+202E, which reverses the text after it, are escaped. */
static void names_are_safe(void **state)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };
	char err[BASELINE_ERR_MAX];
	const char text[] =
		"{\"schema\":\"ctrace.baseline/1\",\"command\":\"a\\u001b[31m\",\"machine\":{},"
		"\"total_ns\":[1],\"parts\":[{\"key\":\"k\",\"text\":\"x\\n\\u202ey\",\"kind\":\"lock\","
		"\"ns\":[1],\"count\":[1]}]}";

	assert_int_equal(baseline_parse(&b, text, strlen(text), err), 0);
	assert_string_equal(b.command, "a\\x1b[31m");
	assert_string_equal(b.runs[0]->parts[0].text, "x\\x0a\\u202ey");
}

static void truncated(void **state)
{
	_cleanup_free_ char *text = strdup(good);
	char err[BASELINE_ERR_MAX];

	assert_non_null(text);
	for (size_t n = strlen(good) - 2; n-- > 0;) {
		text[n] = '\0';
		assert_int_equal(parse(text, err), -EBADMSG);
		assert_true(err[0]);
	}
}

static void one_byte(void **state)
{
	static const char bytes[] = "\"{}[],:-09e.\\nt\x80\xff";
	_cleanup_free_ char *text = strdup(good);
	char err[BASELINE_ERR_MAX];

	assert_non_null(text);
	for (size_t i = 0; i < strlen(good); i++) {
		for (const char *c = bytes; *c; c++) {
			int r;

			text[i] = *c;
			r = parse(text, err);
			assert_true(!r || (r == -EBADMSG && err[0]));
		}
		text[i] = good[i];
	}
}

static void refuses(const char *from, const char *to, const char *why)
{
	const char *at = strstr(good, from);
	char err[BASELINE_ERR_MAX], text[4096];

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	assert_int_equal(parse(text, err), -EBADMSG);
	if (!strstr(err, why))
		fail_msg("%s: not \"%s\"", err, why);
}

static void wrong(void **state)
{
	char err[BASELINE_ERR_MAX];

	assert_int_equal(parse("", err), -EBADMSG);
	assert_int_equal(parse("[]", err), -EBADMSG);
	assert_int_equal(parse("{}", err), -EBADMSG);
	refuses("ctrace.baseline/1", "ctrace.baseline/2", "its version is not");
	refuses("ctrace.baseline/1", "ctrace.path/1", "\"schema\" is not");
	refuses("\"make\"", "1", "\"command\" must be a string");
	refuses("\"cpus\":2", "\"cpus\":-2", "number of CPUs");
	refuses("\"cpus\":2", "\"cpus\":1e9", "number of CPUs");
	refuses("\"cpus\":2", "\"cpus\":99999999999", "number of CPUs");
	refuses("[30,25]", "[]", "\"total_ns\" must be");
	refuses("[30,25]", "{}", "\"total_ns\" must be");
	refuses("[30,25]", "[30]", "a number for each run");
	refuses("[30,25]", "[31,25]", "run 1 are shorter");
	refuses("[30,25]", "[30,24]", "run 2 are longer");
	refuses("[30,25]", "[30,25.0]", "whole numbers");
	refuses("[30,25]", "[30,-1]", "whole numbers");
	refuses("[30,25]", "[30,1152921504606846977]", "whole numbers");
	refuses("[30,25]", "[30,99999999999999999999]", "");
	refuses("[10,25]", "[10]", "part 1: \"ns\" must be an array");
	refuses("[10,25]", "[10,\"25\"]", "part 1: \"ns\" must have whole numbers");
	refuses("[3,0]", "[3,null]", "part 2: \"count\" must have whole numbers");
	refuses("\"lock\"", "\"lick\"", "part 2: it needs");
	refuses("\"key\":\"a\"", "\"key\":\"\"", "part 1: it needs");
	refuses("\"key\":\"a\"", "\"key\":7", "part 1: \"key\" must be a string");
	refuses("\"detail\":\"f\"", "\"detail\":\"\"", "the same \"key\"");
	refuses("\"machine\":{", "\"machine\":[],\"x\":{", "\"machine\" must be an object");
	refuses("\"counted_runs\":2", "\"counted_runs\":3", "\"counted_runs\" must be");
	refuses("\"counted_runs\":2", "\"x\":2", "\"counted_runs\" must be");
	refuses("\"counts\":[", "\"x\":[", "\"counts\" must be an array");
	refuses("[4,0]", "[4]", "\"n\" must be an array");
	refuses("[4,0]", "[4,-1]", "\"n\" must have whole numbers");
	refuses("[4,0]", "[4,1099511627777]", "counts up to 2^40");
	refuses("\"lock x\"", "\"\"", "needs a \"text\"");
	refuses("\"lock x\"", "8", "\"text\" must be a string");
	refuses("\"parts\":[", "\"parts\":{},\"x\":[", "\"parts\" must be an array");
}

/* Returns a document with n runs and m parts, whose keys have `len` bytes. The caller frees it. */
static char *large(size_t n, size_t m, int len)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	fputs("{\"schema\":\"ctrace.baseline/1\",\"machine\":{},\"total_ns\":[", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%zu", i ? "," : "", m);
	fputs("],\"parts\":[", f);
	for (size_t k = 0; k < m; k++) {
		fprintf(f, "%s{\"key\":\"%0*zu\",\"text\":\"t\",\"kind\":\"lock\",\"ns\":[", k ? "," : "",
			len, k);
		for (size_t i = 0; i < n; i++)
			fputs(i ? ",1" : "1", f);
		fputs("],\"count\":[", f);
		for (size_t i = 0; i < n; i++)
			fputs(i ? ",1" : "1", f);
		fputs("]}", f);
	}
	fputs("]}", f);
	fclose(f);
	return text;
}

static void is_large(size_t n, size_t m, int len, const char *why)
{
	_cleanup_free_ char *text = large(n, m, len);
	char err[BASELINE_ERR_MAX];
	int r = parse(text, err);

	assert_int_equal(r, why ? -EBADMSG : 0);
	if (why && !strstr(err, why))
		fail_msg("%s: not \"%s\"", err, why);
}

static void limits(void **state)
{
	is_large(BASELINE_RUNS_MAX, 2, 8, NULL);
	is_large(BASELINE_RUNS_MAX + 1, 1, 8, "array of 1 to 1000");
	is_large(1, BASELINE_ROWS_MAX, 8, NULL);
	is_large(1, BASELINE_ROWS_MAX + 1, 8, "at most 16384 parts");
	is_large(1, 1, PART_TEXT_MAX - 1, NULL);
	is_large(1, 1, PART_TEXT_MAX, "has more than 511 bytes");
	is_large(1, BASELINE_ROWS_MAX, PART_TEXT_MAX - 1, "more than 8388608 bytes");
	is_large(BASELINE_RUNS_MAX, 800, PART_TEXT_MAX - 1, "too long for 1000 runs");
}

static void several_files(void **state)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };
	_cleanup_free_ char *text = large(BASELINE_RUNS_MAX, 1, 8);
	char err[BASELINE_ERR_MAX];

	assert_int_equal(baseline_parse(&b, good, strlen(good), err), 0);
	assert_int_equal(baseline_parse(&b, good, strlen(good), err), 0);
	assert_int_equal(b.n_runs, 4);
	assert_false(b.mixed);
	assert_int_equal(baseline_parse(&b, text, strlen(text), err), -E2BIG);
	assert_non_null(strstr(err, "more than 1000 runs"));
}

static void machines(void **state)
{
	struct baseline_machine a = { .kernel = "6.1", .cpus = 2 }, b = a;
	char buf[256];

	assert_string_equal(baseline_differ(&a, &b, buf, sizeof(buf)), "");
	b.cpus = 4;
	strcpy(b.kernel, "6.12");
	assert_string_equal(baseline_differ(&a, &b, buf, sizeof(buf)),
			    "kernel 6.1 and 6.12, number of CPUs 2 and 4");
	b = (struct baseline_machine){ .model = "Xeon" };
	assert_string_equal(baseline_differ(&a, &b, buf, sizeof(buf)), "");
}

/* Runs that were not recorded have only times. */
static void clocks(void **state)
{
	static const char *const wrong[] = {
		"\"untraced_clock_ns\":3",    "\"untraced_clock_ns\":[\"3\"]",
		"\"untraced_clock_ns\":[-3]", "\"untraced_clock_ns\":[]",
		"\"traced_clock_ns\":[3]",    "\"untraced_clock_ns\":[1152921504606846977]"
	};
	const char *form = "{\"schema\":\"ctrace.baseline/1\",\n\"command\":\"x\",\n"
			   "\"machine\":{\"kernel\":\"6.1\",\"arch\":\"\",\"cpus\":2,\"model\":\"\","
			   "\"governor\":\"\",\"cgroup\":\"\"},\n%s,\n\"total_ns\":[],\n\"parts\":[\n]}\n";
	_cleanup_(baseline_done) struct baseline b = { 0 };
	_cleanup_free_ char *again = NULL;
	char text[1024], err[BASELINE_ERR_MAX];

	snprintf(text, sizeof(text), form, "\"untraced_clock_ns\":[7,5]");
	assert_int_equal(baseline_parse(&b, text, strlen(text), err), 0);
	assert_int_equal(b.n_runs, 0);
	assert_int_equal(b.untraced.n, 2);
	assert_int_equal(b.untraced.v[1], 5);
	assert_string_equal(b.machine.kernel, "6.1");
	assert_string_equal(b.command, "x");
	again = written(&b);
	assert_string_equal(again, text);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), form, wrong[i]);
		assert_int_equal(parse(text, err), -EBADMSG);
		assert_true(err[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks),         cmocka_unit_test(reads_what_it_writes),
		cmocka_unit_test(names_are_safe), cmocka_unit_test(commands_alike),
		cmocka_unit_test(warns),          cmocka_unit_test(truncated),
		cmocka_unit_test(one_byte),       cmocka_unit_test(wrong),
		cmocka_unit_test(limits),         cmocka_unit_test(several_files),
		cmocka_unit_test(machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
