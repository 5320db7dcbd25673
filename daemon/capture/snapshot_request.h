/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_request.h - brings the trace up to date and cuts a window out of it. The functions run
 * on the thread of a worker (worker.h), so the event loop and the drain thread need not wait for
 * them. At the end of the daemon, they run on the main thread. All times are boot time in ns.
 */
#ifndef CTRACE_DAEMON_CAPTURE_SNAPSHOT_REQUEST_H
#define CTRACE_DAEMON_CAPTURE_SNAPSHOT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/writer.h"

struct drain;
struct probe;

#define SNAPSHOT_REQUEST_ERR_MAX 512
/* When this many descriptors have been read, of all processes together, no further descriptor table
 * is read. */
#define SNAPSHOT_REQUEST_FDS_MAX 20000

struct snapshot_request_source {
	struct probe *probe;
	struct drain *drain;
	const char *trace; /* path of the circular file */
};

/* A snapshot that is being made or has been made. */
struct snapshot_request {
	const char *trace; /* path of the source; borrowed */
	/* The window that the caller wants. snapshot_request_finish() changes it to the window that
	 * the file holds. */
	uint64_t from_ns, to_ns;
	uint64_t begin_ns;             /* when the work began */
	struct writer_storage storage; /* state of the storage after the trace was brought up to date */
	/* Records of the window that were captured at this time or later may be missing in the
	 * snapshot. 0: no records are missing. */
	uint64_t missing_ns;
	uint64_t segments, bytes, took_ns;
};

/*
 * Puts the present state into the trace: inspections of the long waits that had no inspection since
 * since_ns, file locks, and descriptor tables of processes. Then seals the file segment. Returns
 * false if the disk has not taken the sealed file segments within SNAPSHOT_REQUEST_FLUSH_NS.
 */
bool snapshot_request_prepare(const struct snapshot_request_source *src, uint64_t since_ns);

/* The first half of a snapshot: brings the trace up to date for [from_ns, to_ns). */
void snapshot_request_begin(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns,
			    struct snapshot_request *ret);
/*
 * The second half of a snapshot: cuts the window into fd. Uses only the path of the source that
 * snapshot_request_begin() got. Calls step() after each file segment; step may be NULL. If step()
 * returns false, snapshot_request_finish() returns -ECANCELED. Returns 0, or -errno with a sentence
 * in err; -ERANGE means that the window is empty, or lies outside of the trace. If the trace cannot
 * be opened, fd stays unchanged. After any other failure fd is empty.
 */
int snapshot_request_finish(struct snapshot_request *s, int fd, bool (*step)(void *arg),
			    char err[SNAPSHOT_REQUEST_ERR_MAX]);
/* Makes a whole snapshot: calls snapshot_request_begin() and snapshot_request_finish(). */
int snapshot_request_take(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns, int fd,
			  struct snapshot_request *ret, char err[SNAPSHOT_REQUEST_ERR_MAX]);

/*
 * Checks that fd can take a snapshot: fd has to be an empty regular file, open for writing, that
 * can be made larger. Returns 0, or -EINVAL with a sentence in err. The check may take as long as
 * the file system needs.
 */
int snapshot_request_check_fd(int fd, char err[SNAPSHOT_REQUEST_ERR_MAX]);

#endif
