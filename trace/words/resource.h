/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resource.h - the kinds of things that a task can wait for, and their words.
 *
 * Pure: no I/O, no allocation, no globals that change; any thread.
 */
#ifndef CTRACE_TRACE_WORDS_RESOURCE_H
#define CTRACE_TRACE_WORDS_RESOURCE_H

#include <stdint.h>

#include "trace/format/window.h"

/* From RESOURCE_CHILD on, the kinds are in the alphabetical order of their words, because tables
 * sort rows by kind if the rows are equal otherwise. */
enum resource_kind {
	RESOURCE_NONE = 0, /* a task that runs waits for no resource */
	RESOURCE_CHILD,
	RESOURCE_CPU,
	RESOURCE_DATA_FLAG,     /* a variable in memory */
	RESOURCE_DATABASE_LOCK, /* a lock that a database makes itself, such as the lock of a row */
	RESOURCE_DISK,
	RESOURCE_EVENTFD,
	RESOURCE_FILE_LOCK,
	RESOURCE_FUSE,
	RESOURCE_FUTEX,
	RESOURCE_INPUT, /* a terminal, a keyboard, a mouse */
	RESOURCE_KERNEL_LOCK,
	RESOURCE_MEMORY,
	RESOURCE_PIPE,
	RESOURCE_QUEUE,
	RESOURCE_SIGNAL,
	RESOURCE_TCP,
	RESOURCE_TIMER,
	RESOURCE_UDP,
	RESOURCE_UNIX,
	RESOURCE_UNKNOWN,
	RESOURCE_KINDS,
};

/* Returns the word of the JSON output (doc/json.md), such as "child" or "data-flag". For
 * RESOURCE_NONE, this is "unknown". */
const char *resource_kind_word(enum resource_kind kind);

/* Returns the kind of an object, without regard to any wait. A regular file or a directory is
 * RESOURCE_FUSE on a FUSE file system, and RESOURCE_DISK on any other. id 0 is RESOURCE_UNKNOWN. */
enum resource_kind resource_of_object(const struct window *w, uint64_t id);
/* Returns the kind of a socket. If o is NULL, this is RESOURCE_UNKNOWN. */
enum resource_kind resource_of_socket(const struct window_object *o);
/* Returns the kind of the resource for which a task waits. The kind depends on `wait`, the reason
 * of the wait, and on the object id. For some reasons, such as a file lock, a sleep or a child, the
 * object does not matter. */
enum resource_kind resource_of_wait(const struct window *w, enum ct_wait wait, uint64_t id);

#endif
