/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h - the settings under which a recorded command runs: its CPUs, and the limits of its control
 * groups. The command may change them, so the caller looks again from time to time, and once more when the
 * command is a zombie. One thread.
 */
#ifndef CTRACE_CLI_CLIENT_SETTINGS_H
#define CTRACE_CLI_CLIENT_SETTINGS_H

#include <stdint.h>
#include <sys/types.h>

#include "procfs/procmachine.h"

struct settings {
	unsigned cpus; /* 0: not known */
	char limits[PROCMACHINE_MAX];
	/* next_ns: the time of the next look (boot time). step_ns: from the last look to the next. */
	uint64_t next_ns, step_ns;
};

/* Looks at the process if now_ns is at least s->next_ns. now_ns of UINT64_MAX: in any case. */
void settings_look(struct settings *s, pid_t pid, uint64_t now_ns);
/* Writes the settings into the finished trace file fd. Returns 0 or CLI_FAILED after a printed error. */
int settings_write(const struct settings *s, int fd);

#endif
