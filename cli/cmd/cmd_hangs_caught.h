/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_hangs_caught.h - `ctrace hangs` without a trace: the hangs that the daemon noticed and kept a snapshot
 * of.  It is asked, and when it does not run its directory is read.
 */
#ifndef CTRACE_CLI_CMD_CMD_HANGS_CAUGHT_H
#define CTRACE_CLI_CMD_CMD_HANGS_CAUGHT_H

#include <stdbool.h>

/* state_dir: read that directory and ask nobody; NULL: ask the daemon at the socket.  An exit code. */
int hangs_caught(const char *state_dir, const char *socket, bool json);

#endif
