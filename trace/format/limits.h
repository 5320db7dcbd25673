/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - what a reader of a trace file accepts: all limits of headers,
 * counts, sizes and times are here (and their numbers in ctrace/format.h).
 *
 * The checksums of a file say that nothing has changed since somebody wrote the
 * file.  They do not say who that was.  So every number of a file is compared
 * with its limit before anything else sees it.  A file header beyond its limits
 * refuses the file; anything else beyond its limits makes its segment a damaged
 * one.
 *
 * Memory: what a window keeps is bounded by the size of the segments in it (and
 * not of the file, which may have holes), by limits_records() and
 * limits_kept_bytes(); what the decoder needs for one segment is bounded by the
 * size of that segment, by limits_raw_bytes().  With a window's graph and its
 * analyses a command needs at most LIMITS_MEMORY_FACTOR bytes for each byte of
 * the file, and LIMITS_MEMORY_BYTES besides.
 */
#ifndef CTRACE_TRACE_FORMAT_LIMITS_H
#define CTRACE_TRACE_FORMAT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"

/* A header of a later minor version may be longer than ours, up to this. */
#define LIMITS_SEGMENT_HEADER_MAX 4096u

/* Test test/unit/limits_test.c holds both. */
#define LIMITS_MEMORY_FACTOR 4096u
#define LIMITS_MEMORY_BYTES  (256u << 20)

/* The sizes and counts of a file header are possible ones.  Magic, version and checksum are not looked at. */
bool limits_file_ok(const struct format_file *f);
/* The same of the header of a segment in a slot of a file with header f; its times too. */
bool limits_segment_ok(const struct format_file *f, const struct format_segment *h, uint32_t slot);
/* The n entries of the CPUS block of a segment: CPUs that can be, in rising order, which have all its
 * records. */
bool limits_cpus_ok(const struct format_segment *h, const struct format_cpu *cpus, size_t n);
/* The words x of a record of that kind: those that are times are possible ones. */
bool limits_words_ok(uint8_t kind, const uint64_t x[2]);
bool limits_state_ok(const struct format_state *s);
/* A valid blob (blob.h) of a kind that is known: its times are possible ones. */
bool limits_blob_ok(const struct ct_blob *blob);

/* The records of a segment have times from min_ns to max_ns of its header. */
static inline bool limits_ts_ok(const struct format_segment *h, uint64_t ts_ns)
{
	return ts_ns >= h->min_ns && ts_ns <= h->max_ns;
}

/* A block of that type may have so many bytes once decompressed. */
bool limits_block_ok(enum format_block_type type, uint32_t raw_bytes);
/* What the blocks of a segment with so long a body may have in all once decompressed. */
uint64_t limits_raw_bytes(uint64_t body_bytes);
/* How many records a segment with so long a body, or the segments of a window with such bodies, may have. */
uint64_t limits_records(uint64_t body_bytes);
/* How much of dictionaries and checkpoints a window of such segments keeps. */
uint64_t limits_kept_bytes(uint64_t body_bytes);
/* How many records the joining of its segments may move, in a window of so many records. */
uint64_t limits_moves(uint64_t n_records);

#endif
