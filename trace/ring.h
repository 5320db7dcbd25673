/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the file of a writer: creates or recovers it and puts segments into
 * it, the newest over the oldest.  What is in a segment is not its business.
 */
#ifndef CTRACE_TRACE_RING_H
#define CTRACE_TRACE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/index.h"

struct ring_slot {
	uint64_t seq; /* of the segment that begins here; 0: none does */
	uint64_t begin_ns;
};

struct ring {
	int fd;
	uint32_t slot_bytes;
	uint32_t n_slots;
	uint64_t file_id;
	uint32_t next_slot; /* where the next segment goes if it fits before the end */
	uint64_t next_seq;
	bool continued;          /* there were segments in the file when it was opened */
	struct ring_slot *slots; /* [n_slots + 1], for the oldest time; owned */
	uint64_t newest_ns;
};

struct ring_options {
	uint64_t size_bytes;
	uint32_t n_cpus;
	const char *meta; /* pairs of 0-terminated strings */
	size_t meta_bytes;
};

/* As writer_open(). */
int ring_open(struct ring *r, const char *path, const struct ring_options *opt, char err[INDEX_ERR_MAX]);
void ring_done(struct ring *r);
/*
 * Writes a segment: n bytes, of which the first sizeof(struct format_segment)
 * are filled in here from h (file id, seq, n_slots, crc and versions are set).
 * 0, -EFBIG: larger than the file; -ENOSPC, -EIO...: nothing valid was written
 * and the sequence number is not used up.
 */
int ring_write(struct ring *r, struct format_segment *h, uint8_t *bytes, size_t n);
/* begin_ns of the oldest segment that is still there; 0 when there is none. */
uint64_t ring_oldest_ns(const struct ring *r);

#endif
