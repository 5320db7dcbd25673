/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefile.h - opening a trace for a command, with times as options and every
 * error said.  Functions that return int return an exit code: CLI_OK, CLI_FAILED, CLI_USAGE
 * (a time that cannot be understood); what went wrong has been printed.
 */
#ifndef CTRACE_CLI_INPUT_TRACEFILE_H
#define CTRACE_CLI_INPUT_TRACEFILE_H

#include "cli/input/timearg.h"
#include "trace/read/reader.h"

/* Opens path (no empty trace either); reader_free() when done. */
int tracefile_open(const char *path, struct reader **ret);
/* Looks at an earlier boot of the machine: arg of --boot ("1": the one before the newest). NULL: the newest.
 */
int tracefile_use_boot(struct reader *r, const char *path, const char *arg);
/* What times are relative to in this trace. */
struct timearg_context tracefile_context(const struct reader *r);
/* When arg (may be NULL) is a time of the calendar that lies in an earlier boot, and none was asked for,
 * turns to that one, with a word about it.  Before anything is loaded: what reader_info() says becomes that
 * of the boot. */
void tracefile_find_boot(struct reader *r, const char *option, const char *arg);
/* The time arg of the option named option ("--at") as boot time; it must lie in the trace. */
int tracefile_time(const struct reader *r, const char *path, const char *option, const char *arg,
		   uint64_t *ret_ns);
/*
 * [from, to) of the options --from and --to, either of which may be NULL: then it is the start or end of the
 * trace (its last record is inside).  It must overlap the trace, and is clipped to it, after
 * tracefile_find_boot().
 */
int tracefile_window(struct reader *r, const char *path, const char *from, const char *to,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* window_load() with progress. */
int tracefile_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, struct window **ret);

/*
 * Goes through [from, to) in pieces of bounded size, in order: fn gets a window and which of its events
 * [first, end) belong to the piece; it returns false to stop.  Pieces that cannot be read are skipped with a
 * warning; CLI_FAILED when no piece could be.  With progress.
 */
typedef bool (*tracefile_piece_fn)(void *arg, const struct window *w, size_t first, size_t end);
int tracefile_each(struct reader *r, uint64_t from_ns, uint64_t to_ns, tracefile_piece_fn fn, void *arg);

/* One line on stderr about a trace that was just written: size, time, records, losses, and what to do next:
 * ask about process pid, 0: about what is worst.  lost_more: records that are lost besides those of which the
 * trace tells. */
void tracefile_say_written(int fd, const char *path, uint32_t pid, uint64_t lost_more);

#endif
