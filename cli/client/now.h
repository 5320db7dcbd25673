/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * now.h - gets the trace of the running daemon, for a command. The functions return an exit code,
 * except now_nameless(). They print their errors themselves. One thread.
 */
#ifndef CTRACE_CLI_CLIENT_NOW_H
#define CTRACE_CLI_CLIENT_NOW_H

#include "cli/client/lacks.h"
#include "cli/input/timearg.h"
#include "trace/read/reader.h"

/* Asks the daemon for the range of its trace. ret->to_ns is the present time. */
int now_range(const char *socket, struct timearg_context *ret);
/* Asks the daemon to write the records of [from_ns, to_ns) to fd. */
int now_write(const char *socket, uint64_t from_ns, uint64_t to_ns, int fd, struct lacks *ret_lacks);
/* Makes a file in /var/tmp and removes its name. So no other process finds the file, and the file
 * vanishes when this process ends. Returns the descriptor, which the caller closes. On failure,
 * prints an error and returns -1. */
int now_nameless(void);
/* Opens the records from from_ns on as a trace. The caller calls reader_free(), and then closes *ret_fd. */
int now_open(const char *socket, uint64_t from_ns, struct reader **ret, int *ret_fd, struct lacks *ret_lacks);

#endif
