/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_private.h - the inside of a reader, for reader.c, ahead.c and load.c. */
#ifndef CTRACE_TRACE_READ_READER_PRIVATE_H
#define CTRACE_TRACE_READ_READER_PRIVATE_H

#include "trace/format/decode.h"
#include "trace/format/file_index.h"
#include "trace/read/reader.h"

/* The bytes of a segment. */
struct reader_buf {
	uint8_t *v;
	size_t n;
	size_t cap;
};

struct reader {
	int fd;
	bool owns_fd;
	char *name;
	struct file_index index;
	unsigned boot;     /* the selected boot: 0 for the newest boot, 1 for the boot before it */
	size_t first, end; /* the segments of this boot in index.segments: [first, end) */
	char *meta;        /* the meta data of the newest segment that can be read, or else of the
			      file header */
	size_t meta_bytes;
	struct reader_info info;
	struct decoder *decoder;
	struct reader_buf buf; /* the segment that reader_segment() read last */
	unsigned n_threads;    /* the number of threads that window_load() may create */
	uint64_t kinds;        /* bit n is set if records of kind n are wanted; 0 if all are */
	void (*progress)(void *arg, unsigned percent);
	void *progress_arg;
};

/* These two functions return the begin and the end of the time that a segment covers. It covers the
 * time from begin_ns to end_ns, and also the times of its records outside this range. */
static inline uint64_t reader_segment_from(const struct format_segment *h)
{
	return h->begin_ns < h->min_ns ? h->begin_ns : h->min_ns;
}
static inline uint64_t reader_segment_to(const struct format_segment *h)
{
	return h->end_ns > h->max_ns ? h->end_ns : h->max_ns;
}

/* Returns whether the segment may have records that are wanted. */
static inline bool reader_wants(const struct reader *r, const struct format_segment *h)
{
	bool any = !r->kinds;

	for (unsigned k = 0; k < FORMAT_KINDS && !any; k++)
		any = h->kinds[k] && r->kinds >> k & 1;
	return any;
}
/* Returns the room that window_load() needs for a segment. The pointers in the result are not set.
 * If the segment has any wanted record, its CT_GAP records are wanted too, for load_paused(). */
static inline struct decoder_room reader_room(const struct reader *r, const struct format_segment *h)
{
	struct decoder_room room = { .kinds = r->kinds ? r->kinds | 1ULL << CT_GAP : UINT64_MAX };

	if (reader_wants(r, h))
		decoder_count(h, room.kinds, &room.n_events, &room.n_words);
	return room;
}

/* As reader_segment(), but puts the bytes into buf. The function does not change the reader, so
 * several threads may call it at once. */
int reader_segment_into(const struct reader *r, size_t i, struct reader_buf *buf, struct reader_segment *ret);

#endif
