// SPDX-License-Identifier: GPL-2.0-or-later
/* Needs root: reads tasks through the kernel's task iterator, as the daemon does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/kernel/probe.h"
#include "daemon/inspect/inspect.h"
#include "lib/clock.h"

#ifdef __clang__
#define DEEP __attribute__((noinline, used, disable_tail_calls))
#else
#define DEEP __attribute__((noinline, noclone, used, optimize("no-optimize-sibling-calls")))
#endif

static struct probe *probe;
static volatile int after;

DEEP static void live_inner(void)
{
	struct timespec t = { .tv_sec = 1000 };

	nanosleep(&t, NULL);
	after++;
}

DEEP static void live_middle(void)
{
	live_inner();
	after++;
}

DEEP static void live_outer(void)
{
	live_middle();
	after++;
}

static int read_task(void *arg, uint32_t tid, struct ct_iter_task *ret)
{
	return probe_read_task(probe, tid, ret);
}

static struct inspect_result *take(struct inspect *v)
{
	struct inspect_result *r = NULL;

	for (int i = 0; i < 5000 && !(r = inspect_take(v)); i++)
		usleep(1000);
	assert_non_null(r);
	return r;
}

static int frame_of(const struct inspect_result *r, int from, const char *start)
{
	const char *p = r->stack->frames;

	for (int i = 0; i < r->stack->n_frames; i++, p += strlen(p) + 1)
		if (i >= from && !strncmp(p, start, strlen(start)))
			return i;
	p = r->stack->frames;
	for (int i = 0; i < r->stack->n_frames; i++, p += strlen(p) + 1)
		print_message("#%d %s\n", i, p);
	fail_msg("no frame %s from #%d on", start, from);
	return 0;
}

static void test_sleep(void **state)
{
	struct inspect_options opt = { .read_task = read_task };
	struct inspect_want want = { .nr = SYS_clock_nanosleep, .wait = CT_W_SLEEP };
	uint64_t start = clock_boot_ns();
	struct inspect_result *r;
	struct ct_iter_task t;
	struct inspect *v;
	pid_t pid = fork();
	int i;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		live_outer();
		_exit(0);
	}
	want.tid = (uint32_t)pid;
	do {
		assert_true(clock_boot_ns() - start < 10000000000ULL);
		usleep(1000);
	} while (probe_read_task(probe, want.tid, &t) || t.wait.nr != want.nr || t.wait.wait != want.wait);
	assert_int_equal(inspect_new(&opt, &v), 0);
	want.since_ns = clock_boot_ns();
	assert_int_equal(inspect_ask(v, &want), 0);
	r = take(v);
	assert_int_equal(r->rec.kind, CT_VISIT);
	assert_int_equal(r->rec.tid, pid);
	assert_int_equal(r->tgid, pid);
	assert_int_equal(r->rec.state, CT_ST_SLEEP);
	assert_true(r->rec.ts > start && r->rec.ts <= clock_boot_ns());
	i = frame_of(r, 0, "k:");
	assert_int_equal(i, 0);
	i = frame_of(r, 1, "live_inner+");
	assert_int_equal(frame_of(r, i, "live_middle+"), i + 1);
	assert_int_equal(frame_of(r, i, "live_outer+"), i + 2);
	frame_of(r, i + 3, "main+");
	assert_int_equal(inspect_stats(v).cut_short, 0);
	inspect_result_free(r);
	inspect_free(v);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sleep) };
	struct probe_options opt = { .ring_bytes = 1 << 20, .hooks = "" };
	char err[PROBE_ERR_MAX] = "";
	int r;

	if (geteuid() || probe_open(&opt, &probe, err)) {
		printf("skipped: %s\n", *err ? err : "this needs root");
		return 77;
	}
	r = cmocka_run_group_tests(tests, NULL, NULL);
	probe_free(probe);
	return r;
}
