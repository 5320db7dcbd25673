/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
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

static void nothing(int signal)
{
}

static void *waits(void *arg)
{
	char c;

	return read(*(int *)arg, &c, 1) < 0 ? arg : NULL;
}

/* Waits until a signal comes, opens a descriptor, and waits again. */
static pid_t opens_when_told(int fd)
{
	pid_t pid;
	sigset_t none;

	signal(SIGUSR1, nothing);
	pid = fork();
	if (pid)
		return pid;
	sigemptyset(&none);
	sigsuspend(&none);
	dup2(fd, 100);
	sigsuspend(&none);
	_exit(0);
}

static const struct proctask_thread *until_it_waits(struct proctask *t, struct proctask *before,
						    uint32_t tid, int nr)
{
	for (unsigned i = 0; i < 5000; i++) {
		const struct proctask_thread *th;

		assert_int_equal(proctask_read(before, t), 0);
		th = proctask_by_tid(t, tid);
		if (th && th->nr == nr)
			return th;
		proctask_done(t);
		usleep(1000);
	}
	fail();
	return NULL;
}

static const struct proctask_fd *fd_of(const struct proctask *t, pid_t pid, int fd)
{
	return proctask_fd(t, proctask_by_pid(t, (uint32_t)pid), fd);
}

/* One thread of the process runs, the other one waits all the time. */
static void test_changes_of_a_process(void **state)
{
	struct proctask first, then;
	const struct proctask_thread *th;
	const struct proctask_proc *p;
	int pipe_fds[2], more = 99;
	pthread_t thread;
	uint32_t worker = 0;

	signal(SIGUSR2, SIG_DFL);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, waits, &pipe_fds[0]), 0);
	while (!worker) {
		usleep(1000);
		assert_int_equal(proctask_read(NULL, &first), 0);
		p = proctask_by_pid(&first, (uint32_t)getpid());
		for (uint32_t i = 0; i < p->n_threads; i++)
			/* the main thread itself reads from /proc */
			if (first.threads.v[p->first_thread + i].nr == SYS_read &&
			    first.threads.v[p->first_thread + i].tid != (uint32_t)getpid())
				worker = first.threads.v[p->first_thread + i].tid;
		if (!worker)
			proctask_done(&first);
	}
	assert_null(fd_of(&first, getpid(), more));
	signal(SIGUSR2, nothing);
	assert_int_equal(dup2(0, more), more);
	assert_int_equal(proctask_read(&first, &then), 0);
	p = proctask_by_pid(&then, (uint32_t)getpid());
	assert_true(p->handlers >> (SIGUSR2 - 1) & 1);
	assert_non_null(fd_of(&then, getpid(), more));
	th = proctask_by_tid(&then, worker);
	assert_int_equal(th->nr, SYS_read);
	assert_int_equal(th->args[0], pipe_fds[0]);
	assert_int_equal(th->proc, p - then.procs.v);
	close(pipe_fds[1]);
	pthread_join(thread, NULL);
	proctask_done(&first);
	proctask_done(&then);
}

static void test_changes_of_another_process(void **state)
{
	struct proctask first, same, then;
	const struct proctask_proc *p, *q;
	pid_t pid = opens_when_told(0);

	until_it_waits(&first, NULL, (uint32_t)pid, SYS_rt_sigsuspend);
	until_it_waits(&same, &first, (uint32_t)pid, SYS_rt_sigsuspend);
	p = proctask_by_pid(&first, (uint32_t)pid);
	q = proctask_by_pid(&same, (uint32_t)pid);
	assert_int_equal(q->ppid, getpid());
	assert_int_equal(q->handlers, p->handlers);
	assert_int_equal(q->netns, p->netns);
	assert_int_equal(q->start_ticks, p->start_ticks);
	assert_int_equal(q->n_fds, p->n_fds);
	assert_true(q->fds_seen && q->syscalls_seen);
	for (uint32_t i = 0; i < p->n_fds; i++)
		assert_string_equal(same.fds.v[q->first_fd + i].name, first.fds.v[p->first_fd + i].name);
	assert_null(fd_of(&same, pid, 100));
	kill(pid, SIGUSR1);
	for (unsigned i = 0; i < 5000; i++) {
		until_it_waits(&then, &same, (uint32_t)pid, SYS_rt_sigsuspend);
		if (fd_of(&then, pid, 100))
			break;
		proctask_done(&then);
		usleep(1000);
	}
	assert_non_null(fd_of(&then, pid, 100));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	proctask_done(&first);
	proctask_done(&same);
	proctask_done(&then);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cmdline),
		cmocka_unit_test(test_changes_of_a_process),
		cmocka_unit_test(test_changes_of_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
