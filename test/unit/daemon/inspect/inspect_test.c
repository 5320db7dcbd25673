// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/inspect/inspect.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

static struct {
	int error;
	uint64_t delay_us;
	uint8_t wait;
	uint64_t sched_since;
} fake;

/* Reads the task from /proc/TID/syscall, so most elements of t->regs stay 0. */
static int read_task(void *arg, uint32_t tid, struct ct_iter_task *t)
{
	char path[64], line[256] = "";
	unsigned long long nr, a[6], sp, pc;
	FILE *f;

	usleep(fake.delay_us);
	if (fake.error)
		return fake.error;
	snprintf(path, sizeof(path), "/proc/%u/syscall", tid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	*t = (struct ct_iter_task){ .task = { .h.tid = tid, .tgid = tid } };
	if (sscanf(line, "%llu 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx 0x%llx", &nr, &a[0], &a[1],
		   &a[2], &a[3], &a[4], &a[5], &sp, &pc) != 9)
		return -ESRCH;
	for (int i = 0; i < 6; i++)
		t->args[i] = a[i];
	t->wait = (struct ct_rec){ .kind = CT_SWITCH,
				   .tid = tid,
				   .state = CT_ST_SLEEP,
				   .wait = fake.wait,
				   .nr = (uint16_t)nr,
				   .obj = 77 };
	t->sched_since = fake.sched_since;
#if defined(__x86_64__)
	t->regs[16] = pc;
	t->regs[19] = sp;
#else
	t->regs[32] = pc;
	t->regs[31] = sp;
#endif
	return 0;
}

static pthread_mutex_t *mutex;
static int fds[2];

static void wait_mutex(void)
{
	pthread_mutex_lock(mutex);
}

static void wait_other_lock(void)
{
	syscall(SYS_futex, mutex, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void wait_poll(void)
{
	struct pollfd p[3] = { { .fd = fds[0], .events = POLLIN },
			       { .fd = -1 },
			       { .fd = fds[1], .events = POLLPRI } };

	poll(p, 3, -1);
}

static void wait_select(void)
{
	fd_set in, out;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fds[0], &in);
	select(fds[0] + 1, &in, &out, NULL, NULL);
}

static uint16_t syscall_of(pid_t pid)
{
	struct ct_iter_task t;
	struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < 2000; i++, nanosleep(&pause, NULL))
		if (!read_task(NULL, (uint32_t)pid, &t) && t.wait.nr != SYS_getppid)
			return t.wait.nr;
	fail_msg("the child does not wait");
	return 0;
}

static pid_t child_start(void (*fn)(void), uint16_t *ret_nr)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn();
		_exit(0);
	}
	assert_true(pid > 0);
	*ret_nr = syscall_of(pid);
	return pid;
}

static void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct inspect *inspect_start(uint32_t per_sec)
{
	struct inspect_options opt = { .read_task = read_task, .max_per_sec = per_sec };
	struct inspect *v;

	assert_int_equal(inspect_new(&opt, &v), 0);
	return v;
}

static struct inspect_result *take(struct inspect *v)
{
	struct inspect_result *r = NULL;

	for (int i = 0; i < 3000 && !(r = inspect_take(v)); i++)
		usleep(1000);
	assert_non_null(r);
	return r;
}

static struct inspect_stats settled(struct inspect *v)
{
	struct inspect_stats s;

	for (int i = 0; i < 3000; i++, usleep(1000)) {
		s = inspect_stats(v);
		if (s.asked == s.done + s.gone + s.refused_queue + s.refused_rate + s.failed)
			return s;
	}
	fail_msg("work is not done or not counted");
	return s;
}

static bool has_frame(const struct inspect_result *r, const char *start)
{
	const char *p = r->stack ? r->stack->frames : NULL;

	for (unsigned i = 0; p && i < r->stack->n_frames; i++, p += strlen(p) + 1)
		if (!strncmp(p, start, strlen(start)))
			return true;
	return false;
}

static void test_futex_owner(void **state)
{
	struct inspect *v = inspect_start(0);
	struct inspect_result *r;
	pthread_mutexattr_t a;
	uint16_t nr;
	pid_t pid;

	mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(mutex != MAP_FAILED);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(mutex, &a);
	pthread_mutex_lock(mutex);
	fake.wait = CT_W_FUTEX;
	pid = child_start(wait_mutex, &nr);
	assert_int_equal(nr, SYS_futex);
	assert_int_equal(inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid,
								.nr = nr,
								.since_ns = clock_boot_ns() - NSEC_PER_SEC,
								.wait = CT_W_FUTEX,
								.obj = 5 }),
			 0);
	r = take(v);
	assert_int_equal(r->rec.kind, CT_VISIT);
	assert_int_equal(r->rec.tid, pid);
	assert_int_equal(r->rec.nr, nr);
	assert_int_equal(r->rec.wait, CT_W_FUTEX);
	assert_int_equal(r->rec.obj, 5);
	assert_true(r->words[1] >= NSEC_PER_SEC && r->words[1] < 10 * NSEC_PER_SEC);
	assert_true(r->has_futex);
	assert_int_equal(r->futex.kind, CT_FUTEX);
	assert_int_equal(r->futex.peer, getpid());
	assert_int_equal(r->futex.obj, CT_OBJ_FUTEX_ID(pid, mutex));
	assert_int_equal(r->futex_words[0], (uintptr_t)mutex);
	assert_int_equal(r->futex_words[1] >> 32, 2);
	assert_non_null(r->stack);
	assert_int_equal(r->stack->id, r->words[0]);
	assert_true(has_frame(r, "pthread_mutex_lock+"));
	inspect_result_free(r);
	child_end(pid);
	munmap(mutex, 4096);
	inspect_free(v);
}

/* A lock that is no mutex has the value of a mutex with waiters, and a tid in the place of its owner. */
static void test_other_lock(void **state)
{
	struct inspect *v = inspect_start(0);
	struct inspect_result *r;
	uint32_t *words;
	uint16_t nr;
	pid_t pid;

	mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(mutex != MAP_FAILED);
	words = (uint32_t *)mutex;
	words[0] = 2;
	words[2] = (uint32_t)getpid();
	fake.wait = CT_W_FUTEX;
	pid = child_start(wait_other_lock, &nr);
	assert_int_equal(
		inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr, .wait = CT_W_FUTEX }),
		0);
	r = take(v);
	assert_true(r->has_futex);
	assert_int_equal(r->futex.peer, 0);
	inspect_result_free(r);
	child_end(pid);
	munmap(mutex, 4096);
	inspect_free(v);
}

static void test_fds(void **state)
{
	struct inspect *v = inspect_start(0);
	struct inspect_result *r;
	uint16_t nr;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fake.wait = CT_W_POLL;
	pid = child_start(wait_poll, &nr);
	assert_int_equal(inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr }), 0);
	r = take(v);
	assert_int_equal(r->rec.obj, 77);
	assert_int_equal(r->n_set, 3);
	assert_int_equal(r->n_fds, 2);
	assert_int_equal(r->fds[0].fd, fds[0]);
	assert_int_equal(r->fds[0].events, POLLIN);
	assert_int_equal(r->fds[1].fd, fds[1]);
	assert_int_equal(r->fds[1].events, POLLPRI);
	assert_false(r->has_futex);
	inspect_result_free(r);
	child_end(pid);

	pid = child_start(wait_select, &nr);
	assert_int_equal(inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr }), 0);
	r = take(v);
	assert_int_equal(r->n_fds, 1);
	assert_int_equal(r->fds[0].fd, fds[0]);
	assert_int_equal(r->fds[0].events, POLLIN);
	inspect_result_free(r);
	child_end(pid);
	inspect_free(v);
	close(fds[0]);
	close(fds[1]);
}

/* Signs that a task has gone on: another system call, a later time on a CPU, or its end. */
static void test_gone(void **state)
{
	struct inspect *v = inspect_start(0);
	uint64_t now = clock_boot_ns();
	uint16_t nr;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fake.wait = CT_W_POLL;
	pid = child_start(wait_poll, &nr);
	inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr + 1 });
	assert_int_equal(settled(v).gone, 1);
	fake.sched_since = now;
	inspect_ask(v,
		    &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr, .since_ns = now - NSEC_PER_SEC });
	assert_int_equal(settled(v).gone, 2);
	inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr, .since_ns = now });
	assert_int_equal(settled(v).done, 1);
	child_end(pid);
	fake.sched_since = 0;
	inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr });
	assert_int_equal(settled(v).gone, 3);
	fake.error = -EIO;
	inspect_ask(v, &(struct inspect_want){ .tid = (uint32_t)pid, .nr = nr });
	assert_int_equal(settled(v).failed, 1);
	fake.error = 0;
	assert_null(inspect_take((inspect_result_free(take(v)), v)));
	inspect_free(v);
	close(fds[0]);
	close(fds[1]);
}

static void test_limits(void **state)
{
	struct inspect *v = inspect_start(1000000);
	struct inspect_want w = { .tid = 1 };
	struct inspect_stats s;
	unsigned refused = 0;

	fake.error = -ESRCH;
	fake.delay_us = 2000;
	for (unsigned i = 0; i < INSPECT_QUEUE_MAX + 20; i++)
		refused += inspect_ask(v, &w) == -EAGAIN;
	assert_true(refused >= 18 && refused <= 20);
	s = settled(v);
	assert_int_equal(s.refused_queue, refused);
	assert_int_equal(s.gone, INSPECT_QUEUE_MAX + 20 - refused);
	inspect_free(v);

	v = inspect_start(1);
	for (unsigned i = 0; i < 10; i++)
		inspect_ask(v, &w);
	inspect_free(v);
	inspect_free(NULL);
	fake.error = 0;
	fake.delay_us = 0;
}

static void test_pace(void **state)
{
	struct inspect *v = inspect_start(20);
	struct inspect_want w = { .tid = 1 };
	uint64_t start = clock_boot_ns();

	fake.error = -ESRCH;
	for (unsigned i = 0; i < 10; i++)
		inspect_ask(v, &w);
	settled(v);
	/* the first few requests are served at once, the others at 20 a second */
	assert_true(clock_boot_ns() - start >= 150 * NSEC_PER_MSEC);
	inspect_free(v);
	fake.error = 0;
}

static void test_sample(void **state)
{
	const uint64_t ip[] = { (uintptr_t)test_sample, (uintptr_t)test_limits + 1, 8 };
	struct ct_rawstack_blob *raw = calloc(1, sizeof(*raw) + sizeof(ip));
	struct inspect *v = inspect_start(0);
	struct inspect_result *r;

	*raw = (struct ct_rawstack_blob){ .h = { .ts = 9,
						 .kind = CT_RAWSTACK,
						 .size = sizeof(*raw) + sizeof(ip),
						 .tid = (uint32_t)getpid() },
					  .ran_ns = 123,
					  .nr = CT_NR_NONE,
					  .n_user = ARRAY_SIZE(ip),
					  .tgid = (uint32_t)getpid() };
	memcpy(raw->ip, ip, sizeof(ip));
	assert_int_equal(inspect_ask_sample(v, raw), 0);
	r = take(v);
	assert_int_equal(r->rec.kind, CT_SAMPLE);
	assert_int_equal(r->rec.ts, 9);
	assert_int_equal(r->rec.obj, (uintptr_t)test_sample);
	assert_int_equal(r->rec.flags, 0);
	assert_int_equal(r->words[1], 123);
	assert_int_equal(r->stack->n_frames, 2);
	assert_true(has_frame(r, "test_sample+0x0 (inspect_test"));
	assert_true(has_frame(r, "test_limits+0x1 (inspect_test"));
	inspect_result_free(r);

	raw->n_kernel = 1;
	assert_int_equal(inspect_ask_sample(v, raw), -EINVAL);
	raw->n_kernel = 0;
	raw->h.kind = CT_TASK;
	assert_int_equal(inspect_ask_sample(v, raw), -EINVAL);
	free(raw);
	inspect_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_futex_owner), cmocka_unit_test(test_other_lock),
		cmocka_unit_test(test_fds),         cmocka_unit_test(test_gone),
		cmocka_unit_test(test_limits),      cmocka_unit_test(test_pace),
		cmocka_unit_test(test_sample),
	};

	if (access("/proc/self/syscall", R_OK)) {
		printf("skipped: /proc/PID/syscall cannot be read here\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
