/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefile.h - opens a trace for a command, and reads times from options. A function that returns
 * int prints its errors itself and returns an exit code. CLI_USAGE: a time or the number of a boot
 * cannot be understood, or --from is not before --to. One thread.
 */
#ifndef CTRACE_CLI_INPUT_TRACEFILE_H
#define CTRACE_CLI_INPUT_TRACEFILE_H

#include "cli/input/timearg.h"
#include "trace/read/reader.h"

/* Opens path. An empty trace is an error. The caller calls reader_free(). */
int tracefile_open(const char *path, struct reader **ret);
/* As tracefile_open(), for a trace that is open already. An empty trace is freed, and *trace
 * becomes NULL. */
int tracefile_check(struct reader **trace, const char *path);
/* arg: the argument of --boot, such as "1" for the boot before the newest. NULL: does nothing. */
int tracefile_use_boot(struct reader *r, const char *path, const char *arg);
struct timearg_context tracefile_context(const struct reader *r);
/* If arg is a wall clock time that lies in an earlier boot, and not in the newest one, changes to
 * the earlier boot and prints a warning. Does nothing if an earlier boot is already in use, or if
 * arg is NULL. Call this before anything is loaded. */
void tracefile_find_boot(struct reader *r, const char *option, const char *arg);
/* Reads the argument of `option`, such as "--at", as boot time. The time has to lie in the
 * trace. */
int tracefile_time(const struct reader *r, const char *path, const char *option, const char *arg,
		   uint64_t *ret_ns);
/*
 * Reads the window of --from and --to. from NULL: the start of the trace. to NULL: the end of the
 * trace, just behind the last record. The window has to overlap the trace, and is clipped to the
 * trace. Calls tracefile_find_boot() first.
 */
int tracefile_window(struct reader *r, const char *path, const char *from, const char *to,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns);
int tracefile_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, struct window **ret);

/*
 * Walks through [from, to) in pieces of limited size, in order of time. fn gets a window, which is
 * valid during the call, and the events [first, end) of the piece. fn returns false to stop. A
 * piece that cannot be read is skipped, with a warning unless no file segment overlaps it. Returns
 * CLI_FAILED if no piece can be read, if memory is short, or if a piece of 1 ns is still too large.
 * Shows progress.
 */
typedef bool (*tracefile_piece_fn)(void *arg, const struct window *w, size_t first, size_t end);
int tracefile_each(struct reader *r, uint64_t from_ns, uint64_t to_ns, tracefile_piece_fn fn, void *arg);

/* Prints a line on stderr about a new trace, with the next command to type. pid: the process for
 * that command, or 0. lost_more: the number of lost records that the trace does not mention. */
void tracefile_say_written(int fd, const char *path, uint32_t pid, uint64_t lost_more);

#endif
