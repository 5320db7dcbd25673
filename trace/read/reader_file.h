/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_file.h - inside of a reader: what window_load() and snapshot_cut() share. Private to trace/. */
#ifndef CTRACE_TRACE_READ_READER_FILE_H
#define CTRACE_TRACE_READ_READER_FILE_H

#include "trace/format/decode.h"
#include "trace/format/index.h"
#include "trace/read/reader.h"

struct reader {
	int fd;
	bool owns_fd;
	char *name;
	struct index index;
	unsigned boot;     /* the one that is looked at, counted back from the newest */
	size_t first, end; /* its segments in index.segments */
	char *meta;        /* of its newest segment that can be read, or of the file */
	size_t meta_bytes;
	struct reader_info info;
	struct decoder *decoder;
	VEC(uint8_t) buf; /* of the segment read last */
	void (*progress)(void *arg, unsigned percent);
	void *progress_arg;
	bool (*step)(void *arg);
	void *step_arg;
};

/* What a segment has to tell about: the capture of it and its records. */
static inline uint64_t reader_segment_from(const struct format_segment *h)
{
	return h->begin_ns < h->min_ns ? h->begin_ns : h->min_ns;
}
static inline uint64_t reader_segment_to(const struct format_segment *h)
{
	return h->end_ns > h->max_ns ? h->end_ns : h->max_ns;
}

/*
 * Reads segment i as it was indexed into r->buf: header, then body.
 * 0; -ESTALE: it has been overwritten since; -EBADMSG: it is damaged or cannot be
 * read; -ENOMEM.
 */
int reader_segment(struct reader *r, size_t i);

/* Clips [*from_ns, *to_ns) to the trace and finds the segments [*ret_a, *ret_b) that it touches; *ret_b ==
 * *ret_a when it lies in a hole. 0 or -ERANGE. */
int reader_select(const struct reader *r, uint64_t *from_ns, uint64_t *to_ns, size_t *ret_a, size_t *ret_b,
		  char err[READER_ERR_MAX]);

#endif
