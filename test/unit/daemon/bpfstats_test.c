// SPDX-License-Identifier: GPL-2.0-or-later
/* ctraced-stats, which switches on the statistics of BPF programs, answers late. Then bpfstats_open() fails
 * with -EAGAIN. The next bpfstats_open() must not take the late answer for the answer to its own request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "daemon/sandbox/bpfstats.h"

static pid_t the_child(void)
{
	FILE *f = fopen("/proc/thread-self/children", "r");
	int pid = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

static void late_answer(void **state)
{
	pid_t pid;
	int fd;

	assert_int_equal(bpfstats_start(), 0);
	fd = bpfstats_open();
	if (fd < 0)
		skip();
	close(fd);
	pid = the_child();
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(bpfstats_open(), -EAGAIN);
	assert_int_equal(kill(pid, SIGCONT), 0);
	usleep(500000);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(bpfstats_open(), -EAGAIN);
	assert_int_equal(kill(pid, SIGCONT), 0);
	usleep(500000);
	fd = bpfstats_open();
	assert_true(fd >= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
