// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"
#include "lib/cleanup.h"

#define ROOM (1 << 18)

/* Runs fn(arg) in a child, and puts the output into buf. Returns the exit code of the child: 0, the
 * errno of output_flush(), or 1 if output_begin() fails. */
static int printed(void (*fn)(int arg), int arg, char buf[ROOM])
{
	char path[] = "/tmp/ctrace-output-XXXXXX";
	_cleanup_close_ int fd = mkostemp(path, O_CLOEXEC);
	ssize_t n;
	int st;
	pid_t pid;

	assert_true(fd >= 0);
	unlink(path);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fd, STDOUT_FILENO);
		if (output_begin())
			_exit(1);
		fn(arg);
		_exit(-output_flush());
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(WIFEXITED(st));
	n = pread(fd, buf, ROOM - 1, 0);
	assert_true(n >= 0);
	buf[n] = 0;
	return WEXITSTATUS(st);
}

static void put_mixed(int arg)
{
	printf("a\tb\nc\x1b[31m\xe2\x80\xae\xff caf\xc3\xa9 %d", arg);
	printf("\033%s[1mown\033%s[0m", output_mark(), output_mark());
	printf("\033%.15s[1m\n", output_mark()); /* only a part of the mark: no colour */
}

static void test_mixed(void **state)
{
	_cleanup_free_ char *buf = malloc(ROOM);

	assert_int_equal(printed(put_mixed, 7, buf), 0);
	assert_non_null(strstr(buf, "a\tb\nc\\x1b[31m\\u202e\\xff caf\xc3\xa9 7\033[1mown\033[0m\\x1b"));
}

static void put_across(int arg)
{
	for (int i = 0; i < 65536 - arg; i++)
		putchar('a');
	printf("\xf0\x9f\x98\x80\033%s[1m\xe2\x80\xae|", output_mark());
	for (int i = 0; i < 70000; i++)
		putchar('b');
}

static void test_across_blocks(void **state)
{
	_cleanup_free_ char *buf = malloc(ROOM);

	for (int before = 0; before < 32; before++) {
		static const char shown[] = "\xf0\x9f\x98\x80\033[1m\\u202e|";
		size_t n = 65536 - (size_t)before;

		assert_int_equal(printed(put_across, before, buf), 0);
		assert_int_equal(strspn(buf, "a"), n);
		assert_memory_equal(buf + n, shown, strlen(shown));
		assert_int_equal(strspn(buf + n + strlen(shown), "b"), 70000);
		assert_int_equal(buf[n + strlen(shown) + 70000], 0);
	}
}

static void put_cut(int arg)
{
	fputs(arg ? "x\033" : "x\xf0\x9f\x98", stdout);
}

static void test_cut(void **state)
{
	_cleanup_free_ char *buf = malloc(ROOM);

	assert_int_equal(printed(put_cut, 0, buf), 0);
	assert_string_equal(buf, "x\\xf0\\x9f\\x98");
	assert_int_equal(printed(put_cut, 1, buf), 0);
	assert_string_equal(buf, "x\\x1b");
}

static void put_to_full(int arg)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	dup2(fd, STDOUT_FILENO);
	for (int i = 0; i < arg; i++)
		putchar(i % 100 ? 'a' : '\x01');
}

static void test_full(void **state)
{
	_cleanup_free_ char *buf = malloc(ROOM);

	assert_int_equal(printed(put_to_full, 1, buf), ENOSPC);
	assert_int_equal(printed(put_to_full, 200000, buf), ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mixed),
					    cmocka_unit_test(test_across_blocks), cmocka_unit_test(test_cut),
					    cmocka_unit_test(test_full) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
