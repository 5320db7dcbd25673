/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_request.h - brings the trace up to date and cuts a window out of it.  On a
 * worker's thread: the event loop and the drain go on.
 */
#ifndef CTRACE_DAEMON_CAPTURE_SNAPSHOT_REQUEST_H
#define CTRACE_DAEMON_CAPTURE_SNAPSHOT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/write/writer.h"

struct drain;
struct probe;

#define SNAPSHOT_REQUEST_ERR_MAX         512
#define SNAPSHOT_REQUEST_FDS_MAX         20000 /* descriptors written of all processes */
#define SNAPSHOT_REQUEST_INSPECTIONS_MAX 200
#define SNAPSHOT_REQUEST_PREPARE_NS      150000000ULL /* what is not looked at by then stays out */

#define SNAPSHOT_REQUEST_FLUSH_NS 3000000000ULL /* for the disk of the trace to take what was sealed */

#define SNAPSHOT_REQUEST_NOW_NS 1000000000ULL /* a window that ended less than this ago ends now */

struct snapshot_request_source {
	struct probe *probe;
	struct drain *drain;
	const char *trace; /* path of the circular file */
};

/* A snapshot in the making, or made. */
struct snapshot_request {
	const char *trace;             /* of the source */
	uint64_t from_ns, to_ns;       /* what was asked for; then what the file holds */
	uint64_t begin_ns;             /* when it was begun */
	struct writer_storage storage; /* as it was when the trace had been brought up to date */
	uint64_t missing_ns; /* what was captured in the window since then is not in the file; 0: all is */
	uint64_t segments, bytes, took_ns;
};

/*
 * Puts into the trace what is true now: inspections of the long waits not inspected since since_ns, held file
 * locks, the descriptor tables of processes; then seals it.  False: the disk of the trace has not taken it
 * all.
 */
bool snapshot_request_prepare(const struct snapshot_request_source *src, uint64_t since_ns);

/* The first half: brings the trace up to date for [from_ns, to_ns). */
void snapshot_request_begin(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns,
			    struct snapshot_request *ret);
/*
 * The second half: cuts it into fd.  Uses nothing of the source but the path.  step (may be NULL) is called
 * between the pieces; when it returns false the cut ends with -ECANCELED.  0, or -errno with a sentence in
 * err (-ERANGE: nothing in the window).
 */
int snapshot_request_finish(struct snapshot_request *s, int fd, bool (*step)(void *arg),
			    char err[SNAPSHOT_REQUEST_ERR_MAX]);
/* Both. */
int snapshot_request_take(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns, int fd,
			  struct snapshot_request *ret, char err[SNAPSHOT_REQUEST_ERR_MAX]);

/*
 * Whether fd can take a snapshot: an empty regular file, open for writing, of which any part can be written.
 * 0 or -EINVAL with a sentence.  May take as long as the file system does.
 */
int snapshot_request_check_fd(int fd, char err[SNAPSHOT_REQUEST_ERR_MAX]);

#endif
