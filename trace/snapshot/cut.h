/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut.h - cuts a window out of a trace. The result is a trace file of its own. Only one thread at a
 * time may use a reader. */
#ifndef CTRACE_TRACE_SNAPSHOT_CUT_H
#define CTRACE_TRACE_SNAPSHOT_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/read/reader.h"

struct cut_options {
	uint64_t from_ns, to_ns; /* boot time; 0 and UINT64_MAX stand for the whole trace */
	/* Replace network addresses, and the names of programs, files, functions and the host, by
	 * hashes under a key that is not kept (redact_names.h). */
	bool redact;
	/*
	 * The cut calls step() after each copied segment. If step() returns false, the cut ends
	 * with -ECANCELED. step may be NULL. If step is set, the cut also writes to the disk in
	 * pieces of about 8 MiB (CUT_PIECE_BYTES), so that the time between two calls stays short.
	 */
	bool (*step)(void *arg);
	void *arg;
};

/*
 * Copies the segments of src that overlap [from_ns, to_ns) into out_fd, an empty regular file.
 * out_fd becomes a trace file that is just large enough for these segments, and is synced. Segments
 * that cannot be read are left out. Returns 0, and the number of copied segments in *ret_segments.
 * On failure, returns an error with a sentence in err: an error of reader_select() or
 * redact_segment(), -EBADMSG if no segment could be read, -ECANCELED, or an errno of the write.
 * After a failure, out_fd may have a part of the new file.
 */
int cut_window(struct reader *src, const struct cut_options *opt, int out_fd, uint64_t *ret_segments,
	       char err[READER_ERR_MAX]);

#endif
