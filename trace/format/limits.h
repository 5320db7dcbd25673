/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - the limits of what a reader accepts from a trace file: headers, counts, sizes and
 * times. (Some of the numbers are in ctrace/format.h.)
 *
 * The checksums of a file say that nothing has changed since somebody wrote the file. They do not
 * say who wrote it. So every number of a file is compared with its limit before any other code uses
 * it. If the file header is beyond its limits, the file is refused. If anything else is beyond its
 * limits, its segment counts as damaged.
 *
 * Memory: two things are bounded.
 * - The memory that a window keeps: by the size of its segments, with limits_records() and
 *   limits_kept_bytes(). The size of the file is no bound, because a file may have holes.
 * - The memory that the decoder needs for one segment: by the size of that segment, with
 *   limits_raw_bytes().
 *
 * With a window, its graph and its analyses, a command needs at most LIMITS_MEMORY_FACTOR bytes for
 * each byte of the file, and LIMITS_MEMORY_BYTES besides.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_TRACE_FORMAT_LIMITS_H
#define CTRACE_TRACE_FORMAT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"

/* The longest segment header that is accepted: a later minor version may have a longer one than
 * ours. */
#define LIMITS_SEGMENT_HEADER_MAX 4096u

/* test/unit/trace/limits_test.c checks that a command keeps to these two. */
#define LIMITS_MEMORY_FACTOR 4096u
#define LIMITS_MEMORY_BYTES  (256u << 20)

/* Whether the sizes and counts of a file header are within their limits. It does not look at magic,
 * version and checksum. */
bool limits_file_ok(const struct format_file *f);
/* Whether sizes, counts and times of a segment header are within their limits. The segment begins
 * in the given slot of a file with the header f. */
bool limits_segment_ok(const struct format_file *f, const struct format_segment *h, uint32_t slot);
/* Whether the n entries of the CPUS block of a segment are sound: possible CPU numbers in rising
 * order, which together have all h->n_records. */
bool limits_cpus_ok(const struct format_segment *h, const struct format_cpu *cpus, size_t n);
/* Whether those extra words x of a record that are times are within their limits. Which words are
 * times depends on the kind. */
bool limits_words_ok(uint8_t kind, const uint64_t x[2]);
bool limits_state_ok(const struct format_state *s);
/* Whether the times of a blob are within their limits. blob_is_valid() (blob.h) has accepted it. */
bool limits_blob_ok(const struct ct_blob *blob);

/* Whether a record with this time may be in the segment: from min_ns to max_ns of its header. */
static inline bool limits_ts_ok(const struct format_segment *h, uint64_t ts_ns)
{
	return ts_ns >= h->min_ns && ts_ns <= h->max_ns;
}

/* Whether a block of that type may have raw_bytes once it is decompressed. */
bool limits_block_ok(enum format_block_type type, uint32_t raw_bytes);
/* How many bytes all blocks of a segment may have once they are decompressed. body_bytes: of its
 * body. */
uint64_t limits_raw_bytes(uint64_t body_bytes);
/* How many records a segment may have, or all segments of a window. body_bytes: of its body, or the
 * sum of the bodies. */
uint64_t limits_records(uint64_t body_bytes);
/* How many bytes of dictionaries and checkpoints a window may keep. body_bytes: the sum over its
 * segments. */
uint64_t limits_kept_bytes(uint64_t body_bytes);
/* How many records order_join() may move in all for a window of n_records. */
uint64_t limits_moves(uint64_t n_records);

#endif
