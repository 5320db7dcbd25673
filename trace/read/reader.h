/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - reads a trace: a circular file, even one in use, a snapshot or a recording.
 *
 * The bytes are hostile: no file can crash the reader, or make it use memory out of proportion to
 * the file's size. One thread at a time for each reader.
 */
#ifndef CTRACE_TRACE_READ_READER_H
#define CTRACE_TRACE_READ_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/format/window.h"

struct decoder;
struct reader;

struct reader_info {
	uint16_t version;
	uint64_t file_bytes;
	uint32_t slot_bytes;
	uint32_t n_slots;
	/* n_boots: the boots in the file. boot: the boot that the reader shows; 0 is the newest, 1 the
	 * one before. */
	uint32_t n_boots, boot;
	uint32_t n_segments;
	uint32_t n_cut_slots; /* missing at the end of a truncated file */
	/* The larger of two numbers: segments that are missing from this boot, and damaged segment
	 * headers in the file. */
	uint32_t n_bad_slots;
	/* All members below are about the boot that the reader shows. */
	uint64_t from_ns, to_ns; /* boot time; both are 0 without segments */
	uint64_t first_seq;
	uint64_t used_slots;
	uint64_t records;
	uint64_t records_by_kind[64];
	uint64_t lost_by_cause[CT_LOSS_CAUSES];
	struct clock_offsets offsets;
	uint8_t boot_id[16]; /* zeroes without segments */
	uint32_t n_cpus;
	/* owned by the reader; "": not known */
	const char *hooks, *host, *kernel, *machine, *cpu, *governor, *limits;
	const char *command_cpus, *command_limits; /* of the recorded command */
};

#define READER_ERR_MAX 512
/*
 * Opens a trace. A new file without segments is no error. Returns 0, -ENOMEM, -errno of open(2),
 * fstat(2) or pread(2), or -EBADMSG in these cases:
 * - the file is not regular, or no trace;
 * - the file header is damaged, or has a greater major version;
 * - all segments are damaged, cut off, or of a greater major version.
 *
 * On failure, err has a sentence.
 */
int reader_open(const char *path, struct reader **ret, char err[READER_ERR_MAX]);
/* As reader_open(). The caller closes fd after reader_free(). name: for messages. */
int reader_open_fd(int fd, const char *name, struct reader **ret, char err[READER_ERR_MAX]);
void reader_free(struct reader *r);
const struct reader_info *reader_info(const struct reader *r);
/* Selects a boot, as reader_info.boot. Default: 0. Returns 0, -ENOMEM, or -ERANGE if there is no
 * such boot. */
int reader_use_boot(struct reader *r, unsigned back);
/* Finds the segments anew. Returns 0, or an error of file_index_scan() with a sentence in err. */
int reader_refresh(struct reader *r, char err[READER_ERR_MAX]);

/*
 * Loads [from_ns, to_ns) in boot time, clipped to the file. 0 and UINT64_MAX load all. The caller
 * frees *ret with window_free(). Damaged or missing segments, and a time without a daemon, become
 * CT_GAP events. Returns 0, or one of these errors with a sentence in err:
 * - -ERANGE: no segment is in the window;
 * - -EBADMSG: no segment in the window could be read;
 * - -E2BIG: more than max_events events (0: 67 million), or more than limits.h allows;
 * - -ENOMEM.
 */
int window_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, uint64_t max_events, struct window **ret,
		char err[READER_ERR_MAX]);

/* Returns the earliest time from which on the trace has at most max_events events of the wanted kinds (0: as
 * many as window_load() loads). */
uint64_t reader_newest(const struct reader *r, uint64_t max_events);

/* After each segment, window_load() calls fn with the percentage done (0..100). fn may be NULL. */
void reader_on_progress(struct reader *r, void (*fn)(void *arg, unsigned percent), void *arg);

/* Lets window_load() decode on up to n threads. By default, the caller's thread decodes. Each
 * thread takes memory for one more segment. The result does not depend on n. */
void reader_use_threads(struct reader *r, unsigned n);

/* Makes window_load() load only some kinds: bit n stands for kind n. 0, the default, loads all.
 * Even without bit CT_GAP, CT_GAP records may be loaded. */
void reader_want_kinds(struct reader *r, uint64_t kinds);

/* For code that copies a trace, one segment after another. The reader owns all results below. */
struct reader_file {
	const struct format_file *header;
	const char *name;
	const char *meta; /* as for file_index_meta() */
	size_t meta_bytes;
	struct decoder *decoder;
};
struct reader_file reader_file(const struct reader *r);

/* Clips [*from_ns, *to_ns) to the trace. A *to_ns of UINT64_MAX is not clipped. Finds the segments
 * [*ret_a, *ret_b) of this range: none, if it lies in a hole of the trace. Returns 0, or -ERANGE with
 * a sentence in err if no part of the range is in the trace. */
int reader_select(const struct reader *r, uint64_t *from_ns, uint64_t *to_ns, size_t *ret_a, size_t *ret_b,
		  char err[READER_ERR_MAX]);

struct reader_segment {
	const struct format_segment *h;
	const uint8_t *bytes; /* header, then body; valid until the next segment is read */
	size_t n;
};
/* Returns 0, -ENOMEM, -ESTALE if the daemon has overwritten the segment, or -EBADMSG if it is
 * damaged or cannot be read. */
int reader_segment(struct reader *r, size_t i, struct reader_segment *ret);

#endif
