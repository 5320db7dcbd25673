/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hangs_caught.h - `ctrace hangs` without a trace: lists the hangs that the daemon has caught. If
 * the request to the daemon at the default socket fails, reads /var/lib/ctrace/hangs.
 */
#ifndef CTRACE_CLI_CMD_CMD_HANGS_CAUGHT_H
#define CTRACE_CLI_CMD_CMD_HANGS_CAUGHT_H

#include <stdbool.h>

/* state_dir: reads this state directory, and asks no daemon; NULL: asks the daemon. Returns an exit
 * code. */
int hangs_caught(const char *state_dir, const char *socket, bool json);

#endif
