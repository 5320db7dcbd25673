// SPDX-License-Identifier: GPL-2.0-or-later
/* A child of the test is the process that waits for semaphores. Its memory has the operations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/inspect/inspect_args.h"
#include "lib/cleanup.h"

enum { OWNER = 300, OTHER = 301 };

#define SEM(value, pid) ((uint64_t)(value) << 32 | (pid))

static pid_t waiter;

/* The waiter is in semop() with n operations of ops. */
static void check(const struct sembuf *ops, size_t n, uint64_t first, uint64_t second, uint32_t owner)
{
	struct ct_iter_task t = { .sems = { first, second } };
	struct inspect_result r = { 0 };
	struct unwind *u;

	t.task.h.tid = t.task.tgid = (uint32_t)waiter;
	t.wait.nr = SYS_semop;
	t.args[1] = (uintptr_t)ops;
	t.args[2] = n;
	assert_int_equal(unwind_new(&u), 0);
	assert_int_equal(unwind_begin(u, (uint32_t)waiter), 0);
	inspect_args_sysv(u, &t, 0, &r);
	unwind_end(u);
	unwind_free(u);
	assert_int_equal(r.rec.peer, owner);
	assert_int_equal(r.rec.aux, owner ? CT_VL_SYSV : 0);
}

static const struct sembuf take_first[] = { { 0, -1, SEM_UNDO } }, take_second[] = { { 1, -1, SEM_UNDO } };
static const struct sembuf take_both[] = { { 0, -1, SEM_UNDO }, { 1, -1, SEM_UNDO } };
static const struct sembuf take_zero[] = { { 0, 0, 0 }, { 0, 1, SEM_UNDO } };
static const struct sembuf consume[] = { { 0, -1, 0 } }, take_far[] = { { CT_ITER_SEMS, -1, SEM_UNDO } };

static void taken(void **state)
{
	(void)state;
	check(take_first, 1, SEM(0, OWNER), SEM(0, OTHER), OWNER);
	check(take_second, 1, SEM(0, OTHER), SEM(0, OWNER), OWNER);
	check(take_both, 2, SEM(1, OTHER), SEM(0, OWNER), OWNER);
	check(take_both, 2, SEM(0, OWNER), SEM(1, OTHER), OWNER);
	check(take_zero, 2, SEM(1, OWNER), SEM(0, OTHER), OWNER);
}

static void not_known(void **state)
{
	(void)state;
	check(take_first, 1, SEM(1, OWNER), 0, 0); /* the wait is over */
	check(take_first, 1, SEM(0, 0), 0, 0);
	check(take_first, 1, SEM(0, waiter), 0, 0);
	check(take_zero, 2, SEM(2, OWNER), 0, 0); /* several have made it larger */
	check(consume, 1, SEM(0, OTHER), 0, 0);
	check(take_far, 1, SEM(0, OTHER), SEM(0, OTHER), 0);
	check(take_first, 0, SEM(0, OWNER), 0, 0);
	check(take_first, SIZE_MAX, SEM(0, OWNER), 0, 0);
	check((const struct sembuf *)8, 1, SEM(0, OWNER), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(taken), cmocka_unit_test(not_known) };
	int failed;

	waiter = fork();
	if (!waiter) {
		for (;;)
			pause();
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kill(waiter, SIGKILL);
	waitpid(waiter, NULL, 0);
	return failed;
}
