/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut.h - cuts a window out of a trace: the result is a trace file of its own.  One thread at a time per
 * reader. */
#ifndef CTRACE_TRACE_SNAPSHOT_CUT_H
#define CTRACE_TRACE_SNAPSHOT_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/read/reader.h"

struct cut_options {
	uint64_t from_ns, to_ns; /* boot time; 0 and UINT64_MAX: all */
	/* Without the names of programs, files, functions, addresses and the host: each becomes a hash under
	 * a key that is forgotten (redact_names.h). */
	bool redact;
	/*
	 * Called between the segments; when it returns false the cut ends with -ECANCELED.  With it, what is
	 * written reaches the disk in pieces, so that no call to a file system that answers takes long.  May
	 * be NULL.
	 */
	bool (*step)(void *arg);
	void *arg;
};

/*
 * Copies the segments of src that overlap [from_ns, to_ns) into out_fd (an empty regular file) as a trace
 * file of its own, just large enough, and syncs it.  Segments that cannot be read stay out.  Returns 0 and
 * *ret_segments, or -errno as window_load() or of the write, with a sentence in err.
 */
int cut_window(struct reader *src, const struct cut_options *opt, int out_fd, uint64_t *ret_segments,
	       char err[READER_ERR_MAX]);

#endif
