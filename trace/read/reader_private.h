/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_private.h - the inside of a reader, for reader.c, ahead.c and load.c. */
#ifndef CTRACE_TRACE_READ_READER_PRIVATE_H
#define CTRACE_TRACE_READ_READER_PRIVATE_H

#include "trace/format/decode.h"
#include "trace/format/file_index.h"
#include "trace/read/reader.h"

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
	unsigned boot;
	size_t first, end; /* the selected boot's part of index.segments: [first, end) */
	char *meta;
	size_t meta_bytes;
	struct reader_info info;
	struct decoder *decoder;
	struct reader_buf buf;
	unsigned n_threads;
	uint64_t kinds;
	void (*progress)(void *arg, unsigned percent);
	void *progress_arg;
};

/* reader_segment_from() and reader_segment_to() include records from before begin_ns or after
 * end_ns. */
static inline uint64_t reader_segment_from(const struct format_segment *h)
{
	return h->begin_ns < h->min_ns ? h->begin_ns : h->min_ns;
}
static inline uint64_t reader_segment_to(const struct format_segment *h)
{
	return h->end_ns > h->max_ns ? h->end_ns : h->max_ns;
}

static inline bool reader_wants(const struct reader *r, const struct format_segment *h)
{
	bool any = !r->kinds;

	for (unsigned k = 0; k < FORMAT_KINDS && !any; k++)
		any = h->kinds[k] && r->kinds >> k & 1;
	return any;
}
/* The caller sets `to` of the result. */
static inline struct decoder_room reader_room(const struct reader *r, const struct format_segment *h)
{
	/* load_paused() needs the CT_GAP records, even if they are not wanted. */
	struct decoder_room room = { .kinds = r->kinds ? r->kinds | 1ULL << CT_GAP : UINT64_MAX };

	if (reader_wants(r, h))
		decoder_count(h, room.kinds, &room.n_events, &room.n_words);
	return room;
}

/* As reader_segment(), but into buf. Several threads may call it at once. */
int reader_segment_into(const struct reader *r, size_t i, struct reader_buf *buf, struct reader_segment *ret);

#endif
