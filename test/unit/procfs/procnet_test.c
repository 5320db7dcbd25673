/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/procnet.h"

static unsigned calls, failing_call;

int __wrap_setns(int fd, int type);

int __wrap_setns(int fd, int type)
{
	if (++calls != failing_call)
		return 0;
	errno = EPERM;
	return -1;
}

/* Reads two processes. They seem to be in two network namespaces other than that of the test. */
static int read_two(unsigned failing, struct procnet *ret)
{
	struct proctask_proc procs[] = { { .pid = (uint32_t)getpid(), .netns = 1 },
					 { .pid = (uint32_t)getpid(), .netns = 2 } };
	const struct proctask t = { .procs = { .v = procs, .n = 2 } };

	calls = 0;
	failing_call = failing;
	return procnet_read(&t, ret);
}

static void test_foreign_namespace(void **state)
{
	struct procnet net;

	assert_int_equal(read_two(0, &net), 0);
	assert_int_equal(calls, 4);
	procnet_done(&net);

	/* the first namespace cannot be entered */
	assert_int_equal(read_two(1, &net), 0);
	assert_int_equal(calls, 3);
	assert_true(net.unseen_cnt >= 1);
	procnet_done(&net);

	/* the first or the second namespace cannot be left */
	assert_int_equal(read_two(2, &net), -ENOTRECOVERABLE);
	assert_int_equal(calls, 2);
	assert_int_equal(read_two(4, &net), -ENOTRECOVERABLE);
	assert_int_equal(calls, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_foreign_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
