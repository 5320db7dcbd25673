/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ringfile.h - the circular file of a writer: creates or recovers it, and writes segments into it,
 * the newest over the oldest. These functions do not know what is in a segment. A few slots at the
 * start of the file are for copies of the open segment. All other slots are the ring, which takes
 * the sealed segments.
 *
 * One thread at a time.
 */
#ifndef CTRACE_TRACE_WRITE_RINGFILE_H
#define CTRACE_TRACE_WRITE_RINGFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/format/file_index.h"

/* A buffer for ringfile_write() has room up to a multiple of this. Whole pages are written, so that
 * the kernel does not have to read the rest of a page first. */
#define RINGFILE_ALIGN 4096u

struct ringfile_slot {
	uint64_t seq; /* the seq of the segment that begins in this slot; 0: no segment begins here */
	uint64_t begin_ns;
	bool this_boot;
};

struct ringfile {
	int fd;
	uint32_t slot_bytes;
	uint32_t n_slots;
	uint64_t file_id;
	uint32_t next_slot; /* where the next segment goes if it fits before the end */
	uint64_t next_seq;
	bool continued;              /* the file had segments when it was opened, and none was sealed since */
	struct ringfile_slot *slots; /* [n_slots + 1], to find the oldest time; owned */
	/* The oldest segment of this boot, as the last search has found it: its seq and its slot. Valid while
	 * slots[oldest_slot].seq is oldest_seq. oldest_seq 0: no segment was found. */
	uint64_t oldest_seq;
	uint32_t oldest_slot;
	uint64_t newest_ns; /* end_ns of the newest segment of this boot; 0: there is none */
	/* Slots 1 to n_saves are for copies of the open segment; n_saves is 0 if the file is too small.
	 * next_save: the slot for the next copy. */
	uint32_t n_saves, next_save;
	/* False: n_saves is 0, or an older ctrace has put segments into the slots 1 to n_saves. Such slots
	 * become free when the ring begins anew at the start of the file. */
	bool has_saves;
	/* begin_ns of the open segment, if a copy of this segment has been written; otherwise 0 */
	uint64_t saved_begin_ns;
	struct {
		uint64_t from_ns, n_records;
		bool any;
	} unwritten; /* records that could not be written; the header of the next segment mentions them */
};

struct ringfile_options {
	const char *path;
	bool own_dir; /* refuse a directory that another user owns or may write (lib/owned.h) */
	uint64_t size_bytes;
	uint32_t n_cpus;
	const char *meta; /* pairs of 0-terminated strings */
	size_t meta_bytes;
	uint8_t boot_id[16];
};

/* Opens or creates the file, with the errnos of writer_open(). *r does not keep opt. */
int ringfile_open(struct ringfile *r, const struct ringfile_options *opt, char err[FILE_INDEX_ERR_MAX]);
void ringfile_done(struct ringfile *r);
/*
 * Writes a segment of n bytes. The first sizeof(struct format_segment) bytes are room for the header:
 * the function sets file_id, seq, flags, n_slots, versions and checksums in h, and copies h there. 0;
 * -EFBIG: the segment is larger than the ring; -ENOENT: the file is not open; -ENOSPC, -EIO and other
 * errnos of pwrite(2). After a failure no valid segment was written, the sequence number is still free, and
 * the records count as lost (as ringfile_unwritten()).
 */
int ringfile_write(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/*
 * Writes a copy of the open segment, as ringfile_write(), but into the next of the slots for copies.
 * The next ringfile_write() writes the segment itself, with all records of its copies. A copy never
 * goes into the slot of the copy before it, so the copy before it stays whole even if the write is cut
 * short. 0; -ENOENT; -EFBIG: the copy does not fit into a slot, or there are no slots for copies now;
 * or an errno of pwrite(2). After a failure the records do not count as lost: the caller still has
 * them.
 */
int ringfile_save(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/* Notes that n records captured since from_ns are lost. The next segment that is written mentions them. */
void ringfile_unwritten(struct ringfile *r, uint64_t from_ns, uint64_t n);
/* begin_ns of the oldest segment of this boot in the file, sealed or saved; 0: there is none. */
uint64_t ringfile_oldest_ns(struct ringfile *r);

/* Writes a file header and its meta data (as file_index_header()) to the start of the file, and, if
 * there is room, once more to FORMAT_COPY_AT. 0 or -errno. */
int ringfile_put_header(int fd, const struct format_file *f, const char *meta);

enum ringfile_state {
	RINGFILE_THERE,
	/* the file was truncated; the file has its full size again, but the data behind the cut is
	 * lost */
	RINGFILE_REPAIRED,
	RINGFILE_GONE, /* the path leads to another file, or to none */
};
/* Checks that the file is still at its path and has its full size, and repairs a truncated file.
 * Returns a ringfile_state, or -errno: the file could not be checked or repaired. */
int ringfile_look(struct ringfile *r, const struct ringfile_options *opt);

#endif
