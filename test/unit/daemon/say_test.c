// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/say.h"

/* Says "a\nb" while fd is stderr. Returns what was written to fd. */
static const char *said(int fd, int from)
{
	static char text[256];
	int err = dup(STDERR_FILENO);
	ssize_t n;

	dup2(fd, STDERR_FILENO);
	say_times_to_file();
	say("a\nb");
	dup2(err, STDERR_FILENO);
	close(err);
	n = from == fd ? pread(fd, text, sizeof(text) - 1, 0) : read(from, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = 0;
	return text;
}

static void to_file(void **state)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(
		0,
		fnmatch("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z say_test: a\\\\x0ab\n",
			said(fileno(f), fileno(f)), 0));
	fclose(f);
}

static void to_pipe(void **state)
{
	int p[2];

	assert_int_equal(0, pipe(p));
	assert_string_equal("say_test: a\\x0ab\n", said(p[1], p[0]));
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(to_file), cmocka_unit_test(to_pipe) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
