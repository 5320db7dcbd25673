/* SPDX-License-Identifier: GPL-2.0-or-later */
/* now.h - gets the trace of the running daemon. The functions print their errors. All but now_may()
 * and now_nameless() return an exit code. One thread. */
#ifndef CTRACE_CLI_CLIENT_NOW_H
#define CTRACE_CLI_CLIENT_NOW_H

#include "cli/client/lacks.h"
#include "cli/input/timearg.h"
#include "trace/read/reader.h"

/* ret->to_ns is the present time. */
int now_range(const char *socket, struct timearg_context *ret);
/* Returns true if the daemon gives this user a snapshot of the last second. Prints no errors. */
bool now_may(const char *socket);
int now_write(const char *socket, uint64_t from_ns, uint64_t to_ns, int fd, struct lacks *ret_lacks);
/* Returns a new file in /var/tmp without a name, which vanishes when its last descriptor is closed.
 * Returns -1 after a printed error. */
int now_nameless(void);
/* Opens the records from from_ns on. The caller calls reader_free(), and then closes *ret_fd. */
int now_open(const char *socket, uint64_t from_ns, struct reader **ret, int *ret_fd, struct lacks *ret_lacks);

#endif
