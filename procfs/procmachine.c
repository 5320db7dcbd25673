// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/procmachine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

#define LINE_MAX_BYTES 512

/* Finds the first line of the file that begins with `begin`, and writes the rest of this line.
 * Returns false if there is no such line. */
static bool find_line(const char *root, const char *path, const char *begin, char *buf, size_t size)
{
	char name[PATH_MAX], line[LINE_MAX_BYTES];
	_cleanup_fclose_ FILE *f = NULL;
	size_t n = strlen(begin);

	if (snprintf(name, sizeof(name), "%s%s", root, path) < PATH_MAX)
		f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, begin, n))
			continue;
		snprintf(buf, size, "%s", line + n);
		return true;
	}
	return false;
}

/* The smallest limits of a control group and of the groups above it; UINT64_MAX: no limit. */
struct limits {
	double cpus;
	uint64_t memory;
	bool known;
};

static void add_limits(const char *root, const char *cgroup, struct limits *l)
{
	char path[PATH_MAX], text[LINE_MAX_BYTES];
	unsigned long long quota, period;

	if (snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", cgroup) < PATH_MAX &&
	    find_line(root, path, "", text, sizeof(text)) &&
	    sscanf(text, "%llu %llu", &quota, &period) == 2 && period)
		l->cpus = MIN(l->cpus, (double)quota / (double)period);
	if (snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", cgroup) < PATH_MAX &&
	    find_line(root, path, "", text, sizeof(text)) && sscanf(text, "%llu", &quota) == 1)
		l->memory = MIN(l->memory, (uint64_t)quota);
}

static struct limits find_limits(const char *root)
{
	struct limits l = { .cpus = (double)UINT64_MAX, .memory = UINT64_MAX };
	char cgroup[PATH_MAX], unused[8];
	char *slash = cgroup;

	l.known = find_line(root, "/sys/fs/cgroup/cgroup.controllers", "", unused, sizeof(unused)) &&
		  find_line(root, "/proc/self/cgroup", "0::", cgroup, sizeof(cgroup));
	while (l.known && slash) {
		slash = strrchr(cgroup, '/');
		add_limits(root, cgroup, &l);
		if (slash)
			*slash = '\0';
	}
	return l;
}

static void put_limits(const struct limits *l, char buf[PROCMACHINE_MAX])
{
	bool cpus = l->cpus < (double)UINT64_MAX, memory = l->memory < UINT64_MAX;
	int n = 0;

	if (cpus)
		n = snprintf(buf, PROCMACHINE_MAX, "cpu %.2f%s", l->cpus, memory ? ", " : "");
	if (memory)
		snprintf(buf + n, PROCMACHINE_MAX - (size_t)n, "memory %llu MiB",
			 (unsigned long long)(l->memory >> 20));
	if (!cpus && !memory)
		snprintf(buf, PROCMACHINE_MAX, "%s", l->known ? "none" : "");
}

void procmachine_read(const char *root, struct procmachine *ret)
{
	struct limits l = find_limits(root);
	char *model;

	*ret = (struct procmachine){ 0 };
	if (find_line(root, "/proc/cpuinfo", "model name", ret->model, sizeof(ret->model))) {
		model = ret->model + strspn(ret->model, "\t :");
		memmove(ret->model, model, strlen(model) + 1);
	}
	find_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", ret->governor,
		  sizeof(ret->governor));
	put_limits(&l, ret->limits);
}
