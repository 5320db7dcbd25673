/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ahead.h - reads and decodes the segments of one window on several threads, and gives them out in
 * order.
 *
 * From ahead_new() to ahead_free(), the struct reader must not change: several threads read it
 * without a lock.
 */
#ifndef CTRACE_TRACE_READ_AHEAD_H
#define CTRACE_TRACE_READ_AHEAD_H

#include "trace/format/decode.h"
#include "trace/read/reader.h"

struct ahead;

struct ahead_segment {
	int err; /* 0, or an error of reader_segment(), decoder_begin() or decoder_events() */
	const struct format_segment *h;
	struct window_part at;
	struct decoder_got got;
	struct decoder *decoder;
};

/* Begins to read the segments [a, b). The arrays of the events, CPUs and words of w must have room for all of
 * them (reader_room()). Returns 0 or -ENOMEM. */
int ahead_new(const struct reader *r, size_t a, size_t b, struct window *w, struct ahead **ret);
/* Returns the next segment, valid until the next call. Call it at most b - a times. The caller may
 * move events, but only into the room of this and of earlier segments. */
struct ahead_segment ahead_next(struct ahead *ah);
void ahead_free(struct ahead *ah);

#endif
