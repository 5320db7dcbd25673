/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttled.h - a control group with a CPU quota of 4 ms in 100 ms. */
#ifndef CTRACE_TEST_LIVE_THROTTLED_H
#define CTRACE_TEST_LIVE_THROTTLED_H

#include "work.h"

static char quota_group[128], quota_back[64];

static int quota_run(const char *fmt)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), fmt, quota_group, getpid(), quota_back);
	int rc = system(cmd);
	return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

static void quota_begin(void)
{
	bool v1 = access("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", F_OK) == 0;
	int bad;

	snprintf(quota_back, sizeof(quota_back), "/sys/fs/cgroup%s", v1 ? "/cpu" : "");
	snprintf(quota_group, sizeof(quota_group), "%s/ctrace-live-%d", quota_back, getpid());
	bad = v1 ? quota_run(
			   "{ mkdir %1$s && echo 4000 >%1$s/cpu.cfs_quota_us && echo %2$d >%1$s/cgroup.procs; } "
			   "2>/dev/null")
		 : quota_run(
			   "{ echo +cpu >/sys/fs/cgroup/cgroup.subtree_control; mkdir %1$s && echo 4000 100000 "
			   ">%1$s/cpu.max && echo %2$d >%1$s/cgroup.procs; } 2>/dev/null");
	if (!bad)
		return;
	rmdir(quota_group);
	skip("no CPU quota of the cgroups here");
}

static void quota_end(void)
{
	quota_run("echo %2$d >%3$s/cgroup.procs");
	rmdir(quota_group);
}

#endif
