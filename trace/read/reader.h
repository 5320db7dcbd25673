/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - reads a trace file: a circular file (also while it is being
 * written), a snapshot or a recording; they are one format.
 *
 * Bytes are hostile: nothing in a file can crash the reader or make it use
 * memory out of proportion to the file.  One thread at a time per reader.
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
	/* A file goes on after a reboot, when boot time begins again: one boot is looked at at a time. */
	uint32_t n_boots, boot;  /* boot: which, counted back from the newest */
	uint32_t n_segments;     /* of that boot, like everything below */
	uint32_t n_cut_slots;    /* slots that the file should have and has not: it was cut off */
	uint32_t n_bad_slots;    /* segments that are missing or broken */
	uint64_t from_ns, to_ns; /* boot time; 0, 0 when there is no segment */
	uint64_t first_seq;
	uint64_t used_slots;
	uint64_t records; /* as the segment headers say */
	uint64_t records_by_kind[64];
	uint64_t lost_by_cause[CT_LOSS_CAUSES];
	struct clock_offsets offsets; /* of the newest segment */
	uint32_t n_cpus;
	const char *hooks, *host, *kernel, *machine; /* owned by the reader */
};

#define READER_ERR_MAX 512
/* Opens and indexes a file.  -ENOENT, -EACCES, -EBADMSG (not a ctrace file, a newer version, or nothing in it
 * is whole), -ENOMEM.  err gets a sentence: what, why, what to do. */
int reader_open(const char *path, struct reader **ret, char err[READER_ERR_MAX]);
/* The same, from an open descriptor, which stays the caller's. */
int reader_open_fd(int fd, const char *name, struct reader **ret, char err[READER_ERR_MAX]);
void reader_free(struct reader *r);
const struct reader_info *reader_info(const struct reader *r);
/* Looks at the boot that is `back` before the newest one (0: the newest, as after opening).  0, -ERANGE:
 * there are not so many; -ENOMEM. */
int reader_use_boot(struct reader *r, unsigned back);
/* Indexes again a file that is being written. */
int reader_refresh(struct reader *r, char err[READER_ERR_MAX]);

/*
 * Loads [from_ns, to_ns) (boot time; clipped to the file; 0 and UINT64_MAX: all).  Touches only the slots it
 * needs. -ERANGE: the window and the file do not overlap; -EBADMSG: no slot in it could be read; -ENOMEM;
 * -E2BIG: more than the given number of events (0: 64 million, less for a small file).  Segments that are
 * damaged or missing are skipped, counted and become CT_GAP events, as does the time when no daemon ran.
 */
int window_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, uint64_t max_events, struct window **ret,
		char err[READER_ERR_MAX]);

/* Progress of a long load: called now and then with 0..100; may be NULL. */
void reader_on_progress(struct reader *r, void (*fn)(void *arg, unsigned percent), void *arg);

/*
 * For copying: the file as it is, segment by segment.  All that these hand out stays the reader's.
 */
struct reader_file {
	const struct format_file *header;
	const char *name;
	const char *meta; /* of the newest segment that can be read, or of the file */
	size_t meta_bytes;
	struct decoder *decoder; /* of the reader: begun anew for each segment */
};
struct reader_file reader_file(const struct reader *r);

/* Clips [*from_ns, *to_ns) to the trace and finds the segments [*ret_a, *ret_b) that it touches; *ret_b ==
 * *ret_a when it lies in a hole. 0 or -ERANGE. */
int reader_select(const struct reader *r, uint64_t *from_ns, uint64_t *to_ns, size_t *ret_a, size_t *ret_b,
		  char err[READER_ERR_MAX]);

struct reader_segment {
	const struct format_segment *h;
	const uint8_t *bytes; /* header, then body; valid until the next segment is read */
	size_t n;
};
/* Reads segment i as it was indexed.  0; -ESTALE: it has been overwritten since; -EBADMSG: it is damaged or
 * cannot be read; -ENOMEM. */
int reader_segment(struct reader *r, size_t i, struct reader_segment *ret);

#endif
