// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts about a machine, from files that a test has written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "procfs/procmachine.h"

static char dir[64];

/* Writes a file below dir, and makes its directories. */
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

/* The smallest limit of all groups counts, also that of the uppermost one. */
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing), cmocka_unit_test(all),
					    cmocka_unit_test(limits) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
