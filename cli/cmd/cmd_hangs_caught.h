/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_hangs_caught.h - `ctrace hangs` without a trace: the hangs that the daemon noticed and kept a snapshot
 * of. The daemon is asked; if no daemon runs, its directory is read.
 */
#ifndef CTRACE_CLI_CMD_CMD_HANGS_CAUGHT_H
#define CTRACE_CLI_CMD_CMD_HANGS_CAUGHT_H

#include <stdbool.h>

/* state_dir: read this directory and ask no daemon; NULL: ask the daemon at the socket. Returns an exit
 * code. */
int hangs_caught(const char *state_dir, const char *socket, bool json);

#endif
