// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "procfs/procmachine.h"
#include "trace/words/describe.h"

struct baseline_machine machine_now(void)
{
	struct baseline_machine m = { .cpus = (unsigned)get_nprocs_conf() };
	struct procmachine facts;
	struct utsname u;

	if (!uname(&u)) {
		describe_clean(u.release, m.kernel, sizeof(m.kernel));
		describe_clean(u.machine, m.arch, sizeof(m.arch));
	}
	procmachine_read("", &facts);
	describe_clean(facts.model, m.model, sizeof(m.model));
	describe_clean(facts.governor, m.governor, sizeof(m.governor));
	describe_clean(facts.limits, m.cgroup, sizeof(m.cgroup));
	m.allowed_cpus = procmachine_cpus(0);
	return m;
}
