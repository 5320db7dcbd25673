/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefile.h - opens a trace for a command, and reads times from options. A function that returns int
 * prints its errors itself and returns an exit code: CLI_OK, CLI_FAILED, or CLI_USAGE (a time that cannot be
 * understood). One thread.
 */
#ifndef CTRACE_CLI_INPUT_TRACEFILE_H
#define CTRACE_CLI_INPUT_TRACEFILE_H

#include "cli/input/timearg.h"
#include "trace/read/reader.h"

/* Opens path. An empty trace is an error. The caller calls reader_free(). */
int tracefile_open(const char *path, struct reader **ret);
/* Prepares a trace that is open already, as tracefile_open() does. If the trace is empty,
 * prints an error, frees the trace, and sets *trace to NULL. */
int tracefile_check(struct reader **trace, const char *path);
/* Makes the reader read another boot of the machine. arg: the argument of --boot ("1": the boot
 * before the newest); NULL: the function does nothing. */
int tracefile_use_boot(struct reader *r, const char *path, const char *arg);
/* The context for times in this trace. */
struct timearg_context tracefile_context(const struct reader *r);
/* If the reader reads the newest boot, and arg is a wall clock time that lies in an earlier boot
 * and not in the newest one, makes the reader read that earlier boot, and prints a warning. arg may
 * be NULL. Call this function before anything is loaded: afterwards, reader_info() describes the
 * chosen boot. */
void tracefile_find_boot(struct reader *r, const char *option, const char *arg);
/* Reads arg, the argument of option (such as "--at"), as boot time. The time has to lie in the trace. */
int tracefile_time(const struct reader *r, const char *path, const char *option, const char *arg,
		   uint64_t *ret_ns);
/*
 * Reads the window [from, to) from the arguments of --from and --to. NULL stands for the start or the end
 * of the trace. The end of the trace lies behind the last record, so that the window has this record. Calls
 * tracefile_find_boot() first. The window has to overlap the trace, and is clipped to it.
 */
int tracefile_window(struct reader *r, const char *path, const char *from, const char *to,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* As window_load(), but shows the progress. The caller calls window_free(). */
int tracefile_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, struct window **ret);

/*
 * Walks through [from, to) in pieces of limited size, in order of time. fn gets a window for each
 * piece; the events [first, end) of the window belong to the piece. fn returns false to stop. The
 * window is valid during the call. A piece that cannot be read is skipped: silently if no daemon
 * ran in the time of the piece, otherwise with a warning. Returns CLI_FAILED if no piece can be
 * read. Also ends with CLI_FAILED at the first piece for which there is not enough memory, or that
 * is too large for a window even if it is 1 ns long. Shows progress.
 */
typedef bool (*tracefile_piece_fn)(void *arg, const struct window *w, size_t first, size_t end);
int tracefile_each(struct reader *r, uint64_t from_ns, uint64_t to_ns, tracefile_piece_fn fn, void *arg);

/* Prints one line on stderr about a trace that was just written: size, time, records, losses, and the
 * next command to type. pid: the process for the next command; 0: the next command looks for the
 * worst wait. lost_more: the number of lost records that the trace itself does not mention. */
void tracefile_say_written(int fd, const char *path, uint32_t pid, uint64_t lost_more);

#endif
