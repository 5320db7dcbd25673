/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - brings the trace up to date and cuts a window out of it.  On the
 * worker's thread: the event loop and the drain go on.
 */
#ifndef CTRACE_DAEMON_SNAPSHOT_H
#define CTRACE_DAEMON_SNAPSHOT_H

#include <stdint.h>

struct drain;
struct probe;

#define SNAPSHOT_ERR_MAX    512
#define SNAPSHOT_FDS_MAX    20000 /* descriptors written of all processes */
#define SNAPSHOT_VISITS_MAX 200
#define SNAPSHOT_PREPARE_NS 150000000ULL /* what is not looked at by then stays out */

#define SNAPSHOT_FLUSH_NS   3000000000ULL /* for the disk of the trace to take what was sealed */

#define SNAPSHOT_NOW_NS 1000000000ULL /* a window that ended less than this ago ends now */

struct snapshot_source {
	struct probe *probe;
	struct drain *drain;
	const char *trace; /* path of the circular file */
};

struct snapshot_result {
	uint64_t segments, from_ns, to_ns, bytes, took_ns;
};

/*
 * Puts into the trace what is true now: visits of the long waits not visited since since_ns, held file locks,
 * the descriptor tables of processes; then seals it.
 */
void snapshot_prepare(const struct snapshot_source *src, uint64_t since_ns);

/* Prepares, and cuts [from_ns, to_ns) into fd.  0, or -errno with a sentence in err (-ERANGE: nothing in the
 * window). */
int snapshot_take(const struct snapshot_source *src, uint64_t from_ns, uint64_t to_ns, int fd,
		  struct snapshot_result *ret, char err[SNAPSHOT_ERR_MAX]);

/* Whether fd can take a snapshot: an empty regular file, open for writing.  0 or -EINVAL with a sentence. */
int snapshot_check_fd(int fd, char err[SNAPSHOT_ERR_MAX]);

#endif
