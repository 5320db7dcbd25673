/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_private.h - the inside of a reader, for reader.c and load.c. */
#ifndef CTRACE_TRACE_READ_READER_PRIVATE_H
#define CTRACE_TRACE_READ_READER_PRIVATE_H

#include "trace/format/decode.h"
#include "trace/format/file_index.h"
#include "trace/read/reader.h"

struct reader {
	int fd;
	bool owns_fd;
	char *name;
	struct file_index index;
	unsigned boot;     /* the selected one; 0: the newest, 1: the one before it */
	size_t first, end; /* its segments in index.segments */
	char *meta;        /* of the newest segment that can be read; without one, of the file header */
	size_t meta_bytes;
	struct reader_info info;
	struct decoder *decoder;
	VEC(uint8_t) buf; /* of the segment read last */
	void (*progress)(void *arg, unsigned percent);
	void *progress_arg;
};

/* The time that a segment covers: from begin_ns to end_ns, and further if it has records outside. */
static inline uint64_t reader_segment_from(const struct format_segment *h)
{
	return h->begin_ns < h->min_ns ? h->begin_ns : h->min_ns;
}
static inline uint64_t reader_segment_to(const struct format_segment *h)
{
	return h->end_ns > h->max_ns ? h->end_ns : h->max_ns;
}

#endif
