/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - limits for the headers, counts, sizes and times that a reader accepts from a trace
 * file. Some of the limits are in ctrace/format.h.
 *
 * The checksums of a file show that nothing has changed since the file was written. The checksums
 * do not show that ctrace wrote the file. So every number of a file is compared with its limit
 * before any other code uses this number. If a number of the file header is beyond its limit, the
 * reader uses the copy of the header. If the copy is beyond a limit too, the file is refused. If a
 * number of a segment is beyond its limit, this segment counts as damaged.
 *
 * Two amounts of memory are bounded:
 * - The size of the segments of a window bounds the memory that the window keeps (limits_records(),
 *   limits_kept_bytes()). The size of the file is no bound, because a file may have holes.
 * - The size of a segment bounds the memory that the decoder needs for it (limits_raw_bytes()).
 *
 * A command that loads a window, builds its graph and analyses it needs at most this memory:
 * LIMITS_MEMORY_FACTOR bytes for each byte of the file, and LIMITS_MEMORY_BYTES besides.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_TRACE_FORMAT_LIMITS_H
#define CTRACE_TRACE_FORMAT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"

/* The longest segment header that is accepted. A later minor version may have longer headers than
 * ours. */
#define LIMITS_SEGMENT_HEADER_MAX 4096u

/* test/unit/trace/limits_test.c checks that a command needs no more memory than these two numbers
 * allow. */
#define LIMITS_MEMORY_FACTOR 4096u
#define LIMITS_MEMORY_BYTES  (256u << 20)

/* Returns true if the sizes and counts of a file header are within their limits. Does not check
 * magic, version and checksum. */
bool limits_file_ok(const struct format_file *f);
/* Returns true if the sizes, counts and times of a segment header are within their limits. The
 * segment begins in `slot` of a file with the header f. */
bool limits_segment_ok(const struct format_file *f, const struct format_segment *h, uint32_t slot);
/* Returns true if the n entries of the CPUS block of a segment are valid. The CPU numbers must be
 * possible and in rising order, and the entries together must have h->n_records records. */
bool limits_cpus_ok(const struct format_segment *h, const struct format_cpu *cpus, size_t n);
/* Returns true if each time in the extra words x of a record is within its limit. The kind of the
 * record says which words are times. */
bool limits_words_ok(uint8_t kind, const uint64_t x[2]);
bool limits_state_ok(const struct format_state *s);
/* Returns true if the times of a blob are within their limits. The caller has checked the blob with
 * blob_is_valid() (blob.h). */
bool limits_blob_ok(const struct ct_blob *blob);

/* Returns true if a record with this time may be in the segment: if the time is from min_ns to
 * max_ns of the header, both included. */
static inline bool limits_ts_ok(const struct format_segment *h, uint64_t ts_ns)
{
	return ts_ns >= h->min_ns && ts_ns <= h->max_ns;
}

/* Returns true if a block of this type may have raw_bytes bytes after decompression. */
bool limits_block_ok(enum format_block_type type, uint32_t raw_bytes);
/* Returns the largest number of bytes that all blocks of a segment together may have after
 * decompression. body_bytes is the size of the segment's body. */
uint64_t limits_raw_bytes(uint64_t body_bytes);
/* Returns the largest number of records that a segment, or all segments of a window together, may
 * have. body_bytes is the size of the segment's body, or the sum over all bodies. */
uint64_t limits_records(uint64_t body_bytes);
/* Returns the largest number of bytes of dictionaries and checkpoints that a window may keep.
 * body_bytes is the sum over the bodies of its segments. */
uint64_t limits_kept_bytes(uint64_t body_bytes);
/* Returns the largest number of records that all calls of order_join() for one window together may
 * move. n_records is the number of records of the window. */
uint64_t limits_moves(uint64_t n_records);

#endif
