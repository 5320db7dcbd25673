// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/procmachine.h"

#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

#define LINE_MAX_BYTES 512

/* Writes the rest of the first line that begins with `begin`. */
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
	struct procmachine_task task;
	unsigned n_quotas, n_throttled;
};

#define CGROUPS     "/sys/fs/cgroup"
#define UNLIMITED_1 (1ULL << 60) /* cgroup v1: this memory limit or more means no limit */

static bool read_cgroup(const char *root, const char *mount, const char *cgroup, const char *name,
			char text[LINE_MAX_BYTES])
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s%s/%s", mount, cgroup, name) < PATH_MAX &&
	       find_line(root, path, "", text, LINE_MAX_BYTES);
}

static bool was_throttled(const char *root, const char *mount, const char *cgroup)
{
	char path[PATH_MAX], times[LINE_MAX_BYTES];

	return snprintf(path, sizeof(path), "%s%s/cpu.stat", mount, cgroup) < PATH_MAX &&
	       find_line(root, path, "nr_throttled ", times, sizeof(times)) && strcmp(times, "0") != 0;
}

static void set_limit(struct procmachine_limit *l, const char *cgroup, uint64_t amount, uint64_t period_us)
{
	l->amount = amount;
	l->period_us = (uint32_t)period_us;
	if (snprintf(l->group, sizeof(l->group), "%s", *cgroup ? cgroup : "/") >= PATH_MAX)
		l->group[0] = '\0';
}

static void add_quota(const char *root, const char *mount, const char *cgroup, uint64_t quota_us,
		      uint64_t period_us, struct limits *l)
{
	bool throttled;

	if (!quota_us || !period_us)
		return;
	throttled = was_throttled(root, mount, cgroup);
	l->cpus = MIN(l->cpus, (double)quota_us / (double)period_us);
	if (!l->n_quotas++ || (throttled && !l->n_throttled))
		set_limit(&l->task.quota, cgroup, quota_us, period_us);
	l->n_throttled += throttled;
}

/* Returns UINT64_MAX if there is no number. */
static uint64_t read_number(const char *root, const char *mount, const char *cgroup, const char *name)
{
	char text[LINE_MAX_BYTES];
	unsigned long long n;

	return read_cgroup(root, mount, cgroup, name, text) && sscanf(text, "%llu", &n) == 1 ? n : UINT64_MAX;
}

static void add_memory(const char *cgroup, uint64_t limit, struct limits *l)
{
	if (limit && (!l->task.memory.group[0] || limit < l->task.memory.amount))
		set_limit(&l->task.memory, cgroup, limit, 0);
}

static void add_v2(const char *root, const char *cgroup, struct limits *l)
{
	uint64_t max = read_number(root, CGROUPS, cgroup, "memory.max");
	uint64_t limit = MIN(max, read_number(root, CGROUPS, cgroup, "memory.high"));
	unsigned long long quota, period;
	char text[LINE_MAX_BYTES];

	if (read_cgroup(root, CGROUPS, cgroup, "cpu.max", text) &&
	    sscanf(text, "%llu %llu", &quota, &period) == 2)
		add_quota(root, CGROUPS, cgroup, quota, period, l);
	l->memory = MIN(l->memory, max);
	if (limit < UINT64_MAX)
		add_memory(cgroup, limit, l);
}

static void add_v1_cpu(const char *root, const char *cgroup, struct limits *l)
{
	long long quota, period;
	char text[LINE_MAX_BYTES];

	if (!read_cgroup(root, CGROUPS "/cpu", cgroup, "cpu.cfs_quota_us", text) ||
	    sscanf(text, "%lld", &quota) != 1)
		return;
	l->known = true;
	if (quota > 0 && read_cgroup(root, CGROUPS "/cpu", cgroup, "cpu.cfs_period_us", text) &&
	    sscanf(text, "%lld", &period) == 1 && period > 0)
		add_quota(root, CGROUPS "/cpu", cgroup, (uint64_t)quota, (uint64_t)period, l);
}

static void add_v1_memory(const char *root, const char *cgroup, struct limits *l)
{
	uint64_t limit = read_number(root, CGROUPS "/memory", cgroup, "memory.limit_in_bytes");

	l->known = l->known || limit < UINT64_MAX;
	if (limit >= UNLIMITED_1)
		return;
	l->memory = MIN(l->memory, limit);
	add_memory(cgroup, limit, l);
}

/* Calls add() for the control group with the path `cgroup`, and for the groups above it. Changes
 * the text `cgroup`. */
static void add_upwards(const char *root, char *cgroup, struct limits *l,
			void (*add)(const char *root, const char *cgroup, struct limits *l))
{
	if (!strncmp(cgroup, "/..", 3))
		return; /* outside of the caller's cgroup namespace */
	for (char *slash = cgroup; slash;) {
		slash = strrchr(cgroup, '/');
		add(root, cgroup, l);
		if (slash)
			*slash = '\0';
	}
}

/* list: a line of /proc/PID/cgroup without its number, such as "cpu,cpuacct:/a/b". */
static char *path_of(char *list, const char *controller)
{
	size_t n = strlen(controller);
	char *path = strchr(list, ':');

	for (char *word = list; path && word < path; word += strcspn(word, ",:") + 1)
		if (strcspn(word, ",:") == n && !strncmp(word, controller, n))
			return path + 1;
	return NULL;
}

static void find_v1(const char *root, const char *file, struct limits *l)
{
	char name[PATH_MAX], line[LINE_MAX_BYTES];
	_cleanup_fclose_ FILE *f = NULL;

	if (snprintf(name, sizeof(name), "%s%s", root, file) < PATH_MAX)
		f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':'), *path;

		line[strcspn(line, "\n")] = '\0';
		if (!list)
			continue;
		path = path_of(list + 1, "cpu");
		if (path)
			add_upwards(root, path, l, add_v1_cpu);
		path = path_of(list + 1, "memory");
		if (path)
			add_upwards(root, path, l, add_v1_memory);
	}
}

/* pid 0: the caller */
static struct limits find_limits(const char *root, pid_t pid, bool *ret_v2)
{
	struct limits l = { .cpus = (double)UINT64_MAX, .memory = UINT64_MAX };
	char cgroup[PATH_MAX], file[64], unused[8];

	if (pid)
		snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)pid);
	else
		snprintf(file, sizeof(file), "/proc/self/cgroup");
	*ret_v2 = find_line(root, CGROUPS "/cgroup.controllers", "", unused, sizeof(unused));
	if (!*ret_v2) {
		find_v1(root, file, &l);
		return l;
	}
	l.known = find_line(root, file, "0::", cgroup, sizeof(cgroup));
	if (l.known)
		add_upwards(root, cgroup, &l, add_v2);
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
	bool v2;
	struct limits l = find_limits(root, 0, &v2);
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

bool procmachine_limits(const char *root, pid_t pid, char ret[PROCMACHINE_MAX])
{
	bool v2;
	struct limits l = find_limits(root, pid, &v2);

	ret[0] = '\0';
	put_limits(&l, ret);
	return v2;
}

void procmachine_task(const char *root, pid_t tid, struct procmachine_task *ret)
{
	bool v2;
	struct limits l = find_limits(root, tid, &v2);

	*ret = l.task;
	if (l.n_quotas > 1 && l.n_throttled != 1)
		ret->quota.group[0] = '\0';
}

unsigned procmachine_cpus(pid_t pid)
{
	size_t size = CPU_ALLOC_SIZE(PROCMACHINE_CPUS_MAX);
	cpu_set_t set[PROCMACHINE_CPUS_MAX / CPU_SETSIZE];

	memset(set, 0, sizeof(set));
	return sched_getaffinity(pid, size, set) ? 0 : (unsigned)CPU_COUNT_S(size, set);
}
