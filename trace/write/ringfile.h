/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringfile.h - the circular file of a writer: creates or recovers it, and writes segments, the
 * newest over the oldest. A few slots at the start of the file are for copies of the open segment.
 * The other slots are the ring, for sealed segments. One thread at a time. */
#ifndef CTRACE_TRACE_WRITE_RINGFILE_H
#define CTRACE_TRACE_WRITE_RINGFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/format/file_index.h"

/* Buffers for ringfile_write() and ringfile_save() have a multiple of this size: to write a part of
 * a page, the kernel would first read the page. */
#define RINGFILE_ALIGN 4096u

struct ringfile_slot {
	uint64_t seq;
	uint64_t begin_ns;
	bool this_boot;
};

struct ringfile {
	int fd;
	uint32_t slot_bytes;
	uint32_t n_slots;
	uint64_t file_id;
	uint32_t next_slot; /* where the next segment goes if it fits before the end of the file */
	uint64_t next_seq;
	bool continued; /* the file was opened with segments, and none was written since then */
	struct ringfile_slot *slots;
	/* For ringfile_oldest_ns(): while slots[oldest_slot].seq is oldest_seq, this slot has the oldest
	 * segment. If oldest_seq is 0, the oldest segment is not known. */
	uint64_t oldest_seq;
	uint32_t oldest_slot;
	uint64_t newest_ns; /* end_ns of the newest segment or copy of this boot; 0 if none */
	/* Slots 1 to n_saves are for copies of the open segment, the next one in slot next_save. */
	uint32_t n_saves, next_save;
	/* copies can be made: there are slots for copies, and they hold no segment of an older ctrace */
	bool has_saves;
	/* begin_ns of the open segment if it has a copy; otherwise 0 */
	uint64_t saved_begin_ns;
	struct {
		uint64_t from_ns, n_records;
		bool any;
	} unwritten; /* lost records, for the header of the next segment */
};

struct ringfile_options {
	const char *path;
	bool own_dir; /* refuse a directory that another user owns or may write to (lib/owned.h) */
	uint64_t size_bytes;
	uint32_t n_cpus;
	const char *meta;
	size_t meta_bytes;
	uint8_t boot_id[16];
};

/* Opens or creates the file. Returns 0, or an error of writer_open() with a sentence in err. Does
 * not keep opt. */
int ringfile_open(struct ringfile *r, const struct ringfile_options *opt, char err[FILE_INDEX_ERR_MAX]);
void ringfile_done(struct ringfile *r);
/* Writes a segment of n bytes. The first sizeof(*h) bytes are room for h. Fills in file_id, seq,
 * flags and lost records of h, and all that file_index_segment_finish() fills in. Returns 0, -EFBIG
 * if the segment is larger than the ring, -ENOENT if no file is open, or an errno of pwrite(2).
 * After a failure, the seq is still free, and the records count as lost. */
int ringfile_write(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/* As ringfile_write(), but writes a copy of the open segment. The previous copy stays whole.
 * Returns 0, -ENOENT, -EFBIG if the copy does not fit or the file has no slots for copies, or an
 * errno of pwrite(2). After a failure, no records count as lost. */
int ringfile_save(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/* Counts n records since from_ns as lost. The header of the next segment says so. */
void ringfile_unwritten(struct ringfile *r, uint64_t from_ns, uint64_t n);
/* Returns begin_ns of the oldest sealed segment of this boot. If there is none, returns
 * saved_begin_ns. */
uint64_t ringfile_oldest_ns(struct ringfile *r);

/* Writes a file header and its meta data to the start of the file, and to FORMAT_COPY_AT if they
 * fit. Returns 0, -ENOMEM, or an errno of pwrite(2). */
int ringfile_put_header(int fd, const struct format_file *f, const char *meta);

enum ringfile_state {
	RINGFILE_THERE,
	/* was truncated; has its full size again, but the data after the cut is lost */
	RINGFILE_REPAIRED,
	RINGFILE_GONE, /* the path leads to another file, or to none */
};
/* Checks the path of the file, and repairs a truncated file. Returns a ringfile_state or -errno. */
int ringfile_look(struct ringfile *r, const struct ringfile_options *opt);

#endif
