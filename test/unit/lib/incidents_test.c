// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/incidents.h"

#define NAME "20260131T140312Z-comm-7.json"

static char dir[] = "/tmp/incidents-test-XXXXXX";

static int setup(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	return rmdir(dir);
}

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put(size_t bytes)
{
	_cleanup_free_ char *filler = calloc(1, bytes + 1);
	FILE *f = fopen(at(NAME), "w");

	assert_non_null(f);
	memset(filler, 'x', bytes);
	fprintf(f, "{\"schema\":\"%s\",\"problem\":\"%s\"}", INCIDENTS_SCHEMA, filler);
	assert_int_equal(fclose(f), 0);
}

static size_t count(size_t *ret_left_out)
{
	json_t *list = NULL;
	size_t n;

	assert_int_equal(incidents_read(dir, 10, &list, ret_left_out), 0);
	n = json_array_size(list);
	json_decref(list);
	return n;
}

/* 0: the kernel does not count read calls */
static unsigned long reads(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/io", "r");
	char line[128];
	unsigned long n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "syscr: %lu", &n) == 1)
			return n;
	return 0;
}

static void test_long_notes_are_left_out(void **state)
{
	size_t left_out;

	put(1000);
	assert_int_equal(count(&left_out), 1);
	assert_int_equal(left_out, 0);
	put(INCIDENTS_FILE_MAX);
	assert_int_equal(count(&left_out), 0);
	assert_int_equal(left_out, 1);
	unlink(at(NAME));
}

static void test_a_pipe_is_not_waited_for(void **state)
{
	size_t left_out;

	assert_int_equal(mkfifo(at(NAME), 0600), 0);
	assert_int_equal(count(&left_out), 0);
	assert_int_equal(left_out, 1);
	unlink(at(NAME));
}

static void test_a_note_is_read_at_once(void **state)
{
	unsigned long before;
	size_t left_out;

	if (!reads())
		skip();
	put(100000);
	before = reads();
	assert_int_equal(count(&left_out), 1);
	assert_in_range(reads() - before, 1, 20);
	unlink(at(NAME));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_notes_are_left_out),
		cmocka_unit_test(test_a_pipe_is_not_waited_for),
		cmocka_unit_test(test_a_note_is_read_at_once),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
