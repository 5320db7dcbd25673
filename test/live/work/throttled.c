/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program is ready to run and a CPU is free, but the CPU quota of its control group is used up. */
#include "work.h"

static int run(const char *fmt, const char *group, int pid)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), fmt, group, pid);
	int rc = system(cmd);
	return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

int main(void)
{
	bool v1 = access("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", F_OK) == 0;
	char group[128], back[64];
	int bad;

	expect("starved", "starved", "cpu", "victim", "victim");
	snprintf(back, sizeof(back), "/sys/fs/cgroup%s", v1 ? "/cpu" : "");
	snprintf(group, sizeof(group), "%s/ctrace-live-%d", back, getpid());
	bad = v1 ? run("{ mkdir %1$s && echo 4000 >%1$s/cpu.cfs_quota_us && echo %2$d >%1$s/cgroup.procs; } "
		       "2>/dev/null",
		       group, getpid())
		 : run("{ echo +cpu >/sys/fs/cgroup/cgroup.subtree_control; mkdir %1$s && echo 4000 100000 "
		       ">%1$s/cpu.max &&"
		       " echo %2$d >%1$s/cgroup.procs; } 2>/dev/null",
		       group, getpid());
	if (!bad) {
		victim();
		hang_begins();
		compute_cpu_ms(100);
		hang_ends();
		run("echo %2$d >%1$s/cgroup.procs", back, getpid());
	}
	rmdir(group);
	if (bad)
		skip("no CPU quota of the cgroups here");
	return 0;
}
