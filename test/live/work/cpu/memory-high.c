/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

#define GROUP "/sys/fs/cgroup/ctrace-live-memory"
#define HIGH  (8 << 20)

static bool run(const char *cmd)
{
	int rc = system(cmd);

	return WIFEXITED(rc) && !WEXITSTATUS(rc);
}

static void group_begin(void)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd),
		 "{ grep -qw memory /sys/fs/cgroup/cgroup.controllers && "
		 "echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir " GROUP " && echo %d >" GROUP
		 "/memory.high && echo %d >" GROUP "/cgroup.procs; } 2>/dev/null",
		 HIGH, getpid());
	if (run(cmd))
		return;
	rmdir(GROUP);
	skip("no memory limit of cgroup version 2 here");
}

static void group_end(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "echo %d >/sys/fs/cgroup/cgroup.procs", getpid());
	run(cmd);
	rmdir(GROUP);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
	const size_t bytes = 64 << 20;
	volatile char *p = shared(bytes);
	double end_s;

	expect("long-wait", "memory", "memory", "victim", "victim");
	group_begin();
	victim();
	hang_begins();
	end_s = now_s() + 4;
	for (size_t i = 0; i < bytes && now_s() < end_s; i += 4096)
		p[i] = 1;
	hang_ends();
	group_end();
	return 0;
}
