/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits.h - limits for the headers, counts, sizes and times in a trace file. Pure; any thread.
 *
 * Any program may have written the file, with right checksums. So each number is checked before its
 * first use.
 * - A file header beyond a limit: the reader uses the copy of the header, or refuses the file.
 * - A segment beyond a limit counts as damaged.
 *
 * The limits on memory grow with the bytes in the segments, not with the size of the file, which
 * may have huge holes.
 */
#ifndef CTRACE_TRACE_FORMAT_LIMITS_H
#define CTRACE_TRACE_FORMAT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"

/* bytes: a segment with a longer header counts as damaged. Headers of this version are much shorter; the rest
 * is room for the headers of later minor versions. */
#define LIMITS_SEGMENT_HEADER_MAX 4096u

/* A command may use at most LIMITS_MEMORY_FACTOR bytes of memory for each byte of the slots that have
 * segments (reader_info.used_slots), plus LIMITS_MEMORY_BYTES. test/unit/trace/limits_test.c checks this. */
#define LIMITS_MEMORY_FACTOR 4096u
#define LIMITS_MEMORY_BYTES  (256u << 20)

bool limits_file_ok(const struct format_file *f);
bool limits_segment_ok(const struct format_file *f, const struct format_segment *h, uint32_t slot);
/* Returns true if the CPU numbers rise and are below FORMAT_CPUS_MAX, and the records of all CPUs
 * add up to h->n_records. */
bool limits_cpus_ok(const struct format_segment *h, const struct format_cpu *cpus, size_t n);
bool limits_words_ok(uint8_t kind, const uint64_t x[2]);
bool limits_state_ok(const struct format_state *s);
bool limits_blob_ok(const struct ct_blob *blob);

static inline bool limits_ts_ok(const struct format_segment *h, uint64_t ts_ns)
{
	return ts_ns >= h->min_ns && ts_ns <= h->max_ns;
}

bool limits_block_ok(enum format_block_type type, uint32_t raw_bytes);
/* The most bytes that all blocks of a segment together may have after decompression. */
uint64_t limits_raw_bytes(uint64_t body_bytes);
/* The most records of one body, or of all bodies of a window. body_bytes: their size. */
uint64_t limits_records(uint64_t body_bytes);
/* The most bytes of dictionaries and checkpoints in a window. body_bytes: the size of all its
 * bodies. */
uint64_t limits_kept_bytes(uint64_t body_bytes);
/* The most records that order_join() may move for a window of n_records records. */
uint64_t limits_moves(uint64_t n_records);

#endif
