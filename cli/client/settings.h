/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h - the settings under which a recorded command runs: its CPUs, and the limits of its
 * control groups. A command may change them itself (taskset, systemd-run), so look again from time to
 * time, and once more when it is a zombie. One thread.
 */
#ifndef CTRACE_CLI_CLIENT_SETTINGS_H
#define CTRACE_CLI_CLIENT_SETTINGS_H

#include <stdint.h>
#include <sys/types.h>

#include "procfs/procmachine.h"

struct settings {
	unsigned cpus; /* 0: not known */
	char limits[PROCMACHINE_MAX];
	uint64_t next_ns, step_ns; /* when to look again (boot time), and the time between the looks */
};

/* Looks at the process pid, if next_ns has passed, or if `now_ns` is UINT64_MAX. */
void settings_look(struct settings *s, pid_t pid, uint64_t now_ns);
/* Writes the settings to the finished trace fd. Returns 0 or CLI_FAILED after a printed error. */
int settings_write(const struct settings *s, int fd);

#endif
