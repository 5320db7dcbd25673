/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefile.h - opens a trace, and reads times from options. Functions that return int print their
 * errors and return an exit code: CLI_USAGE for a bad time or boot, or an empty window. One
 * thread. */
#ifndef CTRACE_CLI_INPUT_TRACEFILE_H
#define CTRACE_CLI_INPUT_TRACEFILE_H

#include "cli/input/timearg.h"
#include "cli/input/windowarg.h"
#include "trace/read/reader.h"

/* An empty trace is an error. The caller calls reader_free(). */
int tracefile_open(const char *path, struct reader **ret);
/* Does the part of tracefile_open() that comes after opening the file: prints an error for an empty trace,
 * frees it and sets *trace to NULL. Warns of a trace that is cut off. */
int tracefile_check(struct reader **trace, const char *path);
/* arg: the argument of --boot, such as "1" for the boot before the newest. NULL: does nothing. */
int tracefile_use_boot(struct reader *r, const char *path, const char *arg);
struct timearg_context tracefile_context(const struct reader *r);
/* If arg is a wall clock time in an earlier boot, and not in the newest one, changes to that boot
 * and prints a warning. Does nothing if an earlier boot is in use, or if arg is NULL. Call this
 * before anything is loaded. */
void tracefile_find_boot(struct reader *r, const char *option, const char *arg);
/* Reads the argument of `option`, such as "--at", as boot time. This time has to lie in the
 * trace. */
int tracefile_time(const struct reader *r, const char *path, const char *option, const char *arg,
		   uint64_t *ret_ns);
/* Reads --at, --from, --to and --last, and clips the window to the trace. The window has to overlap the
 * trace. With --at, the window is the moment, but at least MOMENT_NS. Calls tracefile_find_boot() first. */
int tracefile_window(struct reader *r, const char *path, const struct windowarg *window,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* As tracefile_window(), for a command that looks for waits at the moment of --at. With --at, the window is
 * LOAD_AROUND_NS longer at both ends, so that it has the whole waits. *ret_at: the moment. */
int tracefile_moment(struct reader *r, const char *path, const struct windowarg *window,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns, struct timearg_moment *ret_at);
int tracefile_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, struct window **ret);

/*
 * Walks through [from, to) in pieces of limited size, in order of time. fn gets a window, which is
 * valid during the call, and the events [first, end) of the piece. fn returns false to stop. Skips
 * a piece that cannot be read. Returns CLI_FAILED if memory is short, or no piece can be read.
 */
typedef bool (*tracefile_piece_fn)(void *arg, const struct window *w, size_t first, size_t end);
int tracefile_each(struct reader *r, uint64_t from_ns, uint64_t to_ns, tracefile_piece_fn fn, void *arg);

/* Prints a line on stderr about a new trace, with the next command to type. command: a command was recorded.
 * lost_more: the number of lost records that the trace does not mention. */
void tracefile_say_written(int fd, const char *path, bool command, uint64_t lost_more);

#endif
