/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut.h - copies a range of time of a trace into a trace file of its own. One thread at a time for
 * each reader. */
#ifndef CTRACE_TRACE_SNAPSHOT_CUT_H
#define CTRACE_TRACE_SNAPSHOT_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/read/reader.h"

struct cut_options {
	uint64_t from_ns, to_ns; /* the range in boot time; 0 and UINT64_MAX: the whole trace */
	bool redact;
	/* Called after each copied segment. false ends the cut with -ECANCELED. May be NULL. */
	bool (*step)(void *arg);
	void *arg;
};

/*
 * Copies the segments of src that overlap the range into out_fd, an empty regular file, and syncs
 * this file. Leaves out segments that cannot be read. *ret_segments: the number of copied segments.
 * Returns 0, or one of these errors with a sentence in err:
 * - -ENOMEM;
 * - an error of reader_select();
 * - with `redact`: an error of redact_new(), redact_segment() or redact_file(), but -EMSGSIZE instead
 *   of -EFBIG;
 * - -EBADMSG: no segment could be read;
 * - -ECANCELED;
 * - -errno of the write or sync.
 *
 * After a failure, out_fd may have a part of the new file.
 */
int cut_window(struct reader *src, const struct cut_options *opt, int out_fd, uint64_t *ret_segments,
	       char err[READER_ERR_MAX]);

#endif
