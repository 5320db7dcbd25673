// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/check/write.h"
#include "cli/cli.h"
#include "lib/cleanup.h"

static char dir[64], path[80], partial[96];
static bool no_stream;

FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);

FILE *__wrap_fdopen(int fd, const char *mode)
{
	if (!no_stream)
		return __real_fdopen(fd, mode);
	errno = ENOMEM;
	return NULL;
}

static int setup(void **state)
{
	strcpy(dir, "/tmp/ctrace-write-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/report", dir);
	snprintf(partial, sizeof(partial), "%s.partial", path);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static int put(FILE *f, const void *arg)
{
	fputs(arg, f);
	return 0;
}

static int lowest_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

static void leaves_nothing(void **state)
{
	int fd = lowest_fd();

	no_stream = true;
	assert_int_equal(write_file(path, put, "text"), CLI_FAILED);
	no_stream = false;
	assert_int_equal(lowest_fd(), fd);
	assert_int_equal(access(partial, F_OK), -1);
	assert_int_equal(access(path, F_OK), -1);

	assert_int_equal(write_file(path, put, "text"), CLI_OK);
	assert_int_equal(lowest_fd(), fd);
	assert_int_equal(access(partial, F_OK), -1);
	assert_int_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(leaves_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
