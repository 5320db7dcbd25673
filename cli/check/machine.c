// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/machine.h"

#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "lib/cleanup.h"
#include "trace/words/describe.h"

#define LINE_MAX_BYTES 4096

/* Reads the first line that begins with `start`, without the start and without the newline. */
static void read_line(const char *path, const char *start, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[LINE_MAX_BYTES];

	buf[0] = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, start, strlen(start)))
			continue;
		line[strcspn(line, "\n")] = 0;
		describe_clean(line + strlen(start), buf, size);
		return;
	}
}

static void read_model(char *buf, size_t size)
{
	char line[LINE_MAX_BYTES];
	const char *colon;

	read_line("/proc/cpuinfo", "model name", line, sizeof(line));
	colon = strchr(line, ':');
	describe_clean(colon ? colon + 1 + strspn(colon + 1, " \t") : "", buf, size);
}

/* The limits of the control group of ctrace, with cgroup v2. */
static void read_limits(char *buf, size_t size)
{
	char group[1024], path[1200], cpu[64], memory[64];

	read_line("/proc/self/cgroup", "0::", group, sizeof(group));
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
	read_line(path, "", cpu, sizeof(cpu));
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
	read_line(path, "", memory, sizeof(memory));
	buf[0] = 0;
	if (cpu[0] && strncmp(cpu, "max", strlen("max")))
		snprintf(buf, size, "cpu %s", cpu);
	if (memory[0] && strcmp(memory, "max"))
		snprintf(buf + strlen(buf), size - strlen(buf), "%smemory %s", buf[0] ? ", " : "", memory);
}

struct baseline_machine machine_now(void)
{
	struct baseline_machine m = { .cpus = (unsigned)get_nprocs_conf() };
	struct utsname u;

	if (!uname(&u)) {
		describe_clean(u.release, m.kernel, sizeof(m.kernel));
		describe_clean(u.machine, m.arch, sizeof(m.arch));
	}
	read_model(m.model, sizeof(m.model));
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", m.governor,
		  sizeof(m.governor));
	read_limits(m.cgroup, sizeof(m.cgroup));
	return m;
}
