/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_request.h - brings the trace up to date, and copies a window of it. Runs on the thread
 * of a worker (worker.h); at the end of the daemon, on the main thread. All times are boot time in
 * ns.
 */
#ifndef CTRACE_DAEMON_CAPTURE_SNAPSHOT_REQUEST_H
#define CTRACE_DAEMON_CAPTURE_SNAPSHOT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/writer.h"

struct drain;
struct probe;

#define SNAPSHOT_REQUEST_ERR_MAX 512
/* After this many descriptors of all processes, no further descriptor table is read. */
#define SNAPSHOT_REQUEST_FDS_MAX 20000

struct snapshot_request_source {
	struct probe *probe;
	struct drain *drain;
	const char *trace;
};

struct snapshot_request {
	const char *trace;
	/* The wanted window. snapshot_request_finish() sets it to the window in the file. */
	uint64_t from_ns, to_ns;
	uint64_t begin_ns;
	struct writer_storage storage;
	/* From this time on, records of the window may be missing. 0: none is missing. */
	uint64_t missing_ns;
	uint64_t segments, bytes, took_ns;
};

/*
 * Puts the present state into the trace: file locks, descriptor tables, and inspections of long
 * waits. Skips waits that were inspected since since_ns. Then seals the file segment. Returns
 * false if the disk is slower than SNAPSHOT_REQUEST_FLUSH_NS.
 */
bool snapshot_request_prepare(const struct snapshot_request_source *src, uint64_t since_ns);

/* First half of a snapshot: brings the trace up to date for [from_ns, to_ns). */
void snapshot_request_begin(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns,
			    struct snapshot_request *ret);
/*
 * Second half of a snapshot: copies the window from s->trace into fd. Calls step(), which may be
 * NULL, after each file segment. Returns 0, or -errno with a sentence in err:
 * - -ECANCELED: step() returned false;
 * - -ERANGE: the window is empty, or outside of the trace.
 * If the trace cannot be opened, fd stays unchanged. After other failures, fd is empty.
 */
int snapshot_request_finish(struct snapshot_request *s, int fd, bool (*step)(void *arg),
			    char err[SNAPSHOT_REQUEST_ERR_MAX]);
int snapshot_request_take(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns, int fd,
			  struct snapshot_request *ret, char err[SNAPSHOT_REQUEST_ERR_MAX]);

/*
 * fd has to be an empty regular file that can grow, open for writing without O_APPEND and O_DIRECT.
 * Returns 0, or -EINVAL with a sentence in err. Takes as long as the file system needs.
 */
int snapshot_request_check_fd(int fd, char err[SNAPSHOT_REQUEST_ERR_MAX]);

#endif
