// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/limits.h"

#include "lib/cleanup.h"

/*
 * The limits are higher than what measured traces needed:
 * - a record took at least 2.1 bytes in a body;
 * - compression made dictionaries and checkpoints 20 times smaller, other blocks 3 to 5 times.
 *
 * The _FREE parts are for small files, for which the factors alone may be too low.
 */
#define RECORDS_FREE   65536u
#define RECORDS_FACTOR 2u
#define RAW_FREE       (1u << 20)
#define RAW_FACTOR     128u
#define KEPT_FREE      (16u << 20)
#define KEPT_FACTOR    32u
/* A late record goes into the segment that follows, so two segments may overlap. In measured
 * traces, two segments overlapped by at most a few thousand records. */
#define MOVES_FREE   (1u << 20)
#define MOVES_FACTOR 16u

static bool slot_bytes_ok(uint32_t n)
{
	return n >= FORMAT_SLOT_BYTES_MIN && n <= FORMAT_SLOT_BYTES_MAX && !(n & (n - 1));
}

static bool time_ok(uint64_t ns)
{
	return ns < FORMAT_TIME_MAX;
}

static bool offset_ok(int64_t ns)
{
	return ns >= -(int64_t)FORMAT_TIME_MAX && ns <= (int64_t)FORMAT_TIME_MAX;
}

bool limits_file_ok(const struct format_file *f)
{
	return f->header_bytes >= sizeof(*f) && f->header_bytes <= FORMAT_SLOT_BYTES_MIN &&
	       f->meta_bytes <= FORMAT_META_MAX && slot_bytes_ok(f->slot_bytes) && f->n_slots &&
	       f->n_slots <= FORMAT_SLOTS_MAX && f->n_cpus <= FORMAT_CPUS_MAX &&
	       (uint64_t)f->header_bytes + f->meta_bytes <= f->slot_bytes;
}

static bool segment_sizes_ok(const struct format_file *f, const struct format_segment *h, uint32_t slot)
{
	uint64_t bytes = (uint64_t)h->header_bytes + h->body_bytes;

	return h->header_bytes >= sizeof(*h) && h->header_bytes <= LIMITS_SEGMENT_HEADER_MAX &&
	       h->body_bytes <= FORMAT_BODY_MAX && h->n_slots && slot <= f->n_slots &&
	       h->n_slots <= f->n_slots + 1 - slot &&
	       h->n_slots == (bytes + f->slot_bytes - 1) / f->slot_bytes;
}

static bool segment_counts_ok(const struct format_segment *h)
{
	uint64_t raw = limits_raw_bytes(h->body_bytes), blobs = raw / sizeof(struct ct_blob);

	return h->n_cpus <= FORMAT_CPUS_MAX && h->n_records <= FORMAT_RECORDS_MAX &&
	       h->n_records <= limits_records(h->body_bytes) && h->n_tasks <= blobs &&
	       h->n_objects <= blobs && h->n_stacks <= blobs &&
	       h->n_states <= raw / sizeof(struct format_state);
}

static bool segment_times_ok(const struct format_segment *h)
{
	return h->begin_ns <= h->end_ns && time_ok(h->end_ns) && h->min_ns <= h->max_ns &&
	       time_ok(h->max_ns) && time_ok(h->gap_from_ns) && offset_ok(h->boot_to_mono_ns) &&
	       offset_ok(h->boot_to_real_ns);
}

bool limits_segment_ok(const struct format_file *f, const struct format_segment *h, uint32_t slot)
{
	return h->seq && segment_sizes_ok(f, h, slot) && segment_counts_ok(h) && segment_times_ok(h);
}

bool limits_cpus_ok(const struct format_segment *h, const struct format_cpu *cpus, size_t n)
{
	uint64_t records = 0;

	for (size_t i = 0; i < n; i++) {
		if (cpus[i].cpu >= FORMAT_CPUS_MAX || (i && cpus[i].cpu <= cpus[i - 1].cpu))
			return false;
		records += cpus[i].n_records;
	}
	return records == h->n_records;
}

bool limits_words_ok(uint8_t kind, const uint64_t x[2])
{
	switch (kind) {
	case CT_GAP:
		return time_ok(x[0]) && time_ok(x[1]);
	case CT_SHED:
	case CT_HANG:
	case CT_FOUND:
	case CT_INPUT:
		return time_ok(x[0]);
	case CT_MARK:
		return time_ok(x[1]);
	default:
		return true;
	}
}

bool limits_state_ok(const struct format_state *s)
{
	return s->run <= FORMAT_RUN_RUNNING && time_ok(s->last.ts) &&
	       (s->cpu < FORMAT_CPUS_MAX || s->cpu == FORMAT_CPU_NONE);
}

bool limits_blob_ok(const struct ct_blob *blob)
{
	return time_ok(blob->ts) &&
	       (blob->kind != CT_TASK || time_ok(((const struct ct_task_blob *)blob)->start_ns));
}

bool limits_block_ok(enum format_block_type type, uint32_t raw_bytes)
{
	return type != FORMAT_META || raw_bytes <= FORMAT_META_MAX;
}

uint64_t limits_raw_bytes(uint64_t body_bytes)
{
	return MIN(RAW_FREE + RAW_FACTOR * body_bytes, (uint64_t)FORMAT_RAW_MAX);
}

uint64_t limits_records(uint64_t body_bytes)
{
	return RECORDS_FREE + RECORDS_FACTOR * body_bytes;
}

uint64_t limits_kept_bytes(uint64_t body_bytes)
{
	return KEPT_FREE + KEPT_FACTOR * body_bytes;
}

uint64_t limits_moves(uint64_t n_records)
{
	return MOVES_FREE + MOVES_FACTOR * n_records;
}
