// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "procfs/procmachine.h"

static char dir[64];

static void put(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", dir, name);
	for (char *s = path + strlen(dir) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(path, 0700);
		*s = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%.40s/ctrace-unit.XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void nothing(void **state)
{
	struct procmachine m;

	procmachine_read(dir, &m);
	assert_string_equal(m.model, "");
	assert_string_equal(m.governor, "");
	assert_string_equal(m.limits, "");
}

static void all(void **state)
{
	struct procmachine m;

	put("/proc/cpuinfo",
	    "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2.50GHz\nmodel name\t: B\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
	put("/proc/self/cgroup", "0::/a/b\n");
	procmachine_read(dir, &m);
	assert_string_equal(m.model, "Some CPU @ 2.50GHz");
	assert_string_equal(m.governor, "powersave");
	assert_string_equal(m.limits, "none");
}

/* The smallest limit counts: of the control group, and of all control groups above it. */
static void limits(void **state)
{
	struct procmachine m;

	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
	put("/sys/fs/cgroup/cpu.max", "400000 100000\n");
	procmachine_read(dir, &m);
	assert_string_equal(m.limits, "cpu 1.50");
	put("/sys/fs/cgroup/a/b/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/memory.max", "536870912\n");
	procmachine_read(dir, &m);
	assert_string_equal(m.limits, "cpu 1.50, memory 512 MiB");
	put("/sys/fs/cgroup/a/cpu.max", "150000 0\n");
	put("/sys/fs/cgroup/cpu.max", "");
	procmachine_read(dir, &m);
	assert_string_equal(m.limits, "memory 512 MiB");
}

static void limits_of_a_process(void **state)
{
	char text[PROCMACHINE_MAX];

	put("/proc/7/cgroup", "0::/a\n");
	put("/sys/fs/cgroup/a/cpu.max", "25000 100000\n");
	put("/sys/fs/cgroup/a/memory.max", "max\n");
	put("/sys/fs/cgroup/memory.max", "max\n");
	assert_true(procmachine_limits(dir, 7, text));
	assert_string_equal(text, "cpu 0.25");
	assert_true(procmachine_limits(dir, 8, text));
	assert_string_equal(text, "");
}

static void limits_of_version_1(void **state)
{
	char path[128], text[PROCMACHINE_MAX];

	snprintf(path, sizeof(path), "%s/sys/fs/cgroup/cgroup.controllers", dir);
	unlink(path);
	put("/proc/7/cgroup", "9:name=systemd:/\n4:memory:/m\n2:cpuset:/x\n1:cpuacct,cpu:/a/b\n0::/\n");
	assert_false(procmachine_limits(dir, 7, text));
	assert_string_equal(text, "");
	put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
	procmachine_limits(dir, 7, text);
	assert_string_equal(text, "none");
	put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n");
	put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "0\n");
	procmachine_limits(dir, 7, text);
	assert_string_equal(text, "none");
	put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
	procmachine_limits(dir, 7, text);
	assert_string_equal(text, "cpu 0.50, memory 1 MiB");
}

static void quota(const char *group, uint64_t quota_us, uint32_t period_us)
{
	struct procmachine_task t;

	procmachine_task(dir, 7, &t);
	assert_string_equal(t.quota.group, group);
	if (!*group)
		return;
	assert_int_equal(t.quota.amount, quota_us);
	assert_int_equal(t.quota.period_us, period_us);
}

static void quotas(void **state)
{
	char path[128];

	put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
	put("/proc/7/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	quota("", 0, 0);
	put("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
	quota("/a/b", 50000, 100000);
	/* one of two quotas; neither was ever used up */
	put("/sys/fs/cgroup/a/cpu.max", "30000 50000\n");
	quota("", 0, 0);
	put("/sys/fs/cgroup/a/cpu.stat", "nr_periods 9\nnr_throttled 3\n");
	put("/sys/fs/cgroup/a/b/cpu.stat", "nr_periods 9\nnr_throttled 0\n");
	quota("/a", 30000, 50000);
	put("/sys/fs/cgroup/a/b/cpu.stat", "nr_periods 9\nnr_throttled 1\n");
	quota("", 0, 0);
	put("/sys/fs/cgroup/a/cpu.stat", "nr_periods 9\nnr_throttled 0\n");
	quota("/a/b", 50000, 100000);
	/* a group of another cgroup namespace: only the groups of the reader's own could be read */
	put("/proc/7/cgroup", "0::/../other\n");
	put("/sys/fs/cgroup/cpu.max", "10000 50000\n");
	quota("", 0, 0);
	snprintf(path, sizeof(path), "%s/sys/fs/cgroup/cgroup.controllers", dir);
	unlink(path);
	put("/proc/7/cgroup", "2:cpu:/a/b\n");
	put("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "2000\n");
	put("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
	quota("/a/b", 2000, 100000);
}

static void memory_limits(void **state)
{
	struct procmachine_task t;

	put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
	put("/proc/7/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/memory.max", "1000\n");
	put("/sys/fs/cgroup/a/memory.high", "max\n");
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	procmachine_task(dir, 7, &t);
	assert_string_equal(t.memory.group, "/a");
	assert_int_equal(t.memory.amount, 1000);
	put("/sys/fs/cgroup/a/b/memory.high", "500\n");
	procmachine_task(dir, 7, &t);
	assert_string_equal(t.memory.group, "/a/b");
	assert_int_equal(t.memory.amount, 500);
	procmachine_task(dir, 8, &t);
	assert_string_equal(t.memory.group, "");
}

static void cpus(void **state)
{
	cpu_set_t all, one;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(procmachine_cpus(0), CPU_COUNT(&all));
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(procmachine_cpus(getpid()), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing),
					    cmocka_unit_test(all),
					    cmocka_unit_test(limits),
					    cmocka_unit_test(limits_of_a_process),
					    cmocka_unit_test(limits_of_version_1),
					    cmocka_unit_test(quotas),
					    cmocka_unit_test(memory_limits),
					    cmocka_unit_test(cpus) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
