// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/top/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* The first line of /proc/stat, see proc(5). guest and guest_nice are already part of user and nice. */
enum {
	TICKS_USER,
	TICKS_NICE,
	TICKS_SYSTEM,
	TICKS_IDLE,
	TICKS_IOWAIT,
	TICKS_IRQ,
	TICKS_SOFTIRQ,
	TICKS_STEAL,
	TICKS_N
};

void machine_update(struct machine *m)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/stat", "re");
	uint64_t ticks[TICKS_N] = { 0 }, busy, all = 0;

	if (!f || fscanf(f,
			 "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			 " %" SCNu64 " %" SCNu64,
			 &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6],
			 &ticks[7]) != TICKS_N)
		return;
	for (unsigned i = 0; i < TICKS_N; i++)
		all += ticks[i];
	busy = all - ticks[TICKS_IDLE] - ticks[TICKS_IOWAIT];
	if (all > m->all_ticks && busy >= m->busy_ticks)
		m->busy_percent = 100.0 * (double)(busy - m->busy_ticks) / (double)(all - m->all_ticks);
	m->busy_ticks = busy;
	m->all_ticks = all;
}

/* Returns the share of the last 10 s in which at least one task waited for the resource, in percent. A
 * negative number: the kernel does not measure it. */
static double pressure(const char *resource)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64];
	double percent;

	snprintf(path, sizeof(path), "/proc/pressure/%s", resource);
	f = fopen(path, "re");
	return f && fscanf(f, "some avg10=%lf", &percent) == 1 ? percent : -1;
}

void machine_words(const struct machine *m, char buf[MACHINE_WORDS_MAX])
{
	static const char *const resources[][2] = { { "cpu", "a CPU" },
						    { "io", "a disk" },
						    { "memory", "memory" } };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *sep = "; in the last 10 s, tasks waited for";
	size_t n;

	n = (size_t)snprintf(buf, MACHINE_WORDS_MAX, "%ld CPU%s, %.0f %% busy", cpus, cpus == 1 ? "" : "s",
			     m->busy_percent);
	for (size_t i = 0; i < ARRAY_SIZE(resources); i++) {
		double percent = pressure(resources[i][0]);

		if (percent < 0)
			continue;
		n += (size_t)snprintf(buf + n, MACHINE_WORDS_MAX - n, "%s %s %.0f %%", sep, resources[i][1],
				      percent);
		sep = ",";
	}
}
