/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resource.h - the kinds of things that a task can wait for, and their words. Pure; any thread. */
#ifndef CTRACE_TRACE_WORDS_RESOURCE_H
#define CTRACE_TRACE_WORDS_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format/window.h"

/* From RESOURCE_ARCHIVE on, the kinds are sorted by their word (resource_kind_word()). Rows in
 * analysis/account/ have this order. */
enum resource_kind {
	RESOURCE_NONE = 0,
	RESOURCE_ARCHIVE,    /* of a database: its log has to be archived */
	RESOURCE_CHECKPOINT, /* of a database */
	RESOURCE_CHILD,
	RESOURCE_CPU,
	RESOURCE_DATA_FLAG,
	RESOURCE_DATABASE_LOCK, /* made by a database itself, such as the lock of a row */
	RESOURCE_DISK,
	RESOURCE_EVENTFD,
	RESOURCE_FILE_LOCK,
	RESOURCE_FUSE,
	RESOURCE_FUTEX,
	RESOURCE_INPUT,
	RESOURCE_JAVA_LOCK, /* a monitor, or a lock of java.util.concurrent, with a known owner */
	RESOURCE_JAVA_TASK, /* a FutureTask that a known thread runs */
	RESOURCE_KERNEL_LOCK,
	/* a futex without a known owner; the stack, or the memory of the program, shows that it is a lock */
	RESOURCE_LOCK,
	RESOURCE_MEMORY,
	RESOURCE_NETWORK_FS, /* a file system with a server, such as NFS: resource_network_fs() */
	RESOURCE_PIPE,
	RESOURCE_QUEUE,
	RESOURCE_SEMAPHORE, /* of System V */
	RESOURCE_SIGNAL,
	RESOURCE_STANDBY, /* of a database: a standby has to confirm that it has the log */
	RESOURCE_TCP,
	RESOURCE_TIMER,
	RESOURCE_UDP,
	RESOURCE_UNIX,
	RESOURCE_UNKNOWN,
	RESOURCE_KINDS,
};

/* Returns the word of doc/json.md, such as "data-flag". RESOURCE_NONE is "unknown". */
const char *resource_kind_word(enum resource_kind kind);

/* Files and directories are RESOURCE_FUSE, RESOURCE_NETWORK_FS or RESOURCE_DISK. */
enum resource_kind resource_of_object(const struct window *w, uint64_t id);
/* o is a file or directory, or NULL. If it is on a network file system, returns the name of this kind of file
 * system, such as "NFS". Otherwise returns NULL. The server may also be on this host. */
const char *resource_network_fs(const struct window_object *o);
/* Returns true if the bytes of the file or directory o surely are on a disk or in the memory of this machine:
 * its file system has a block device, or is one of those that are known to be local. o may be NULL. */
bool resource_is_local_file(const struct window_object *o);
enum resource_kind resource_of_socket(const struct window_object *o);
/* Returns what a task waits for. nr: the system call of the wait. id: the object of the wait. For some waits,
 * such as a sleep, the id does not matter. */
enum resource_kind resource_of_wait(const struct window *w, enum ct_wait wait, unsigned nr, uint64_t id);

#endif
