/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/proctask.h"

static void expect_cmdline(const char *program, char *const argv[], size_t size, const char *want)
{
	char *env[] = { NULL }, text[64];
	posix_spawn_file_actions_t quiet;
	bool has = false;
	pid_t pid;

	assert_true(size <= sizeof(text));
	memset(text, 'x', sizeof(text));
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawnp(&pid, program, &quiet, NULL, argv, env), 0);
	posix_spawn_file_actions_destroy(&quiet);
	/* posix_spawnp() may return before the kernel shows the new arguments */
	for (unsigned i = 0; i < 5000 && !has; i++) {
		usleep(1000);
		has = proctask_cmdline((uint32_t)pid, text, size);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_string_equal(text, want);
	assert_true(has);
}

static void test_cmdline(void **state)
{
	char *two[] = { "a\tbcd", "30", NULL }, *empty[] = { "t", "-f", "/dev/null", "", "", "9", NULL };

	expect_cmdline("sleep", two, 64, "a bcd 30");
	expect_cmdline("sleep", two, 9, "a bcd 30");
	expect_cmdline("sleep", two, 8, "a b ...");
	/* the size leaves room for 6 bytes and a final 0: the 6 bytes end after the first argument */
	expect_cmdline("sleep", two, 7, "a  ...");
	expect_cmdline("sleep", two, 5, " ...");
	/* 16 bytes and a final 0: the 16 bytes end after the first empty argument */
	expect_cmdline("tail", empty, 17, "t -f /dev/nu ...");
	expect_cmdline("tail", empty, 64, "t -f /dev/null   9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cmdline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
