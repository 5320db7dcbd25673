// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/settings.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/snapshot/label.h"

void settings_look(struct settings *s, pid_t pid, uint64_t now_ns)
{
	char limits[PROCMACHINE_MAX];
	unsigned cpus;
	bool v2;

	if (now_ns < s->next_ns)
		return;
	s->step_ns = s->step_ns ? MIN(s->step_ns * 2, SETTINGS_LAST_NS) : SETTINGS_FIRST_NS;
	s->next_ns = now_ns + s->step_ns;
	cpus = procmachine_cpus(pid);
	if (cpus)
		s->cpus = cpus;
	v2 = procmachine_limits("", pid, limits);
	/* With control groups of version 1, "none" may mean only that the process is exiting. */
	if (limits[0] && (v2 || !s->limits[0] || strcmp(limits, "none")))
		snprintf(s->limits, sizeof(s->limits), "%s", limits);
}

int settings_write(const struct settings *s, int fd)
{
	char cpus[16] = "", err[LABEL_ERR_MAX];
	const struct label labels[] = { { "command_cpus", cpus }, { "command_limits", s->limits } };

	if (s->cpus)
		snprintf(cpus, sizeof(cpus), "%u", s->cpus);
	if (!label_add(fd, labels, ARRAY_SIZE(labels), err))
		return CLI_OK;
	return cli_error("cannot add the settings of the command to the recording: %s", err);
}
