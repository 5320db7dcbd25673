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

/* The size of a buffer for ringfile_write() or ringfile_save() is a multiple of this. Both
 * functions write whole pages, so that the kernel does not have to read the rest of a page
 * first. */
#define RINGFILE_ALIGN 4096u

struct ringfile_slot {
	uint64_t seq; /* the seq of the segment that begins in this slot, or 0 if none begins here */
	uint64_t begin_ns;
	bool this_boot;
};

struct ringfile {
	int fd;
	uint32_t slot_bytes;
	uint32_t n_slots;
	uint64_t file_id;
	uint32_t next_slot; /* where the next segment goes if there is room up to the end of the
			       file */
	uint64_t next_seq;
	bool continued;              /* the file had segments when it was opened, and no segment was
					written since */
	struct ringfile_slot *slots; /* n_slots + 1 entries, to find the oldest segment; owned */
	/* The seq and the slot of the oldest segment of this boot, as ringfile_oldest_ns() found
	 * them last. They are valid while slots[oldest_slot].seq is oldest_seq. If no segment was
	 * found, oldest_seq is 0. */
	uint64_t oldest_seq;
	uint32_t oldest_slot;
	uint64_t newest_ns; /* end_ns of the newest segment of this boot, or 0 if there is none */
	/* Slots 1 to n_saves are for copies of the open segment. If the file would have fewer than
	 * RINGFILE_SAVES_MIN such slots, n_saves is 0. next_save is the slot for the next copy. */
	uint32_t n_saves, next_save;
	/* has_saves is false if n_saves is 0, or if an older ctrace has put segments of the ring
	 * into the slots 1 to n_saves. Such slots become free when the ring begins anew at the
	 * start of the file. */
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
	bool own_dir; /* refuse a directory that another user owns or may write to (lib/owned.h) */
	uint64_t size_bytes;
	uint32_t n_cpus;
	const char *meta; /* pairs of 0-terminated strings */
	size_t meta_bytes;
	uint8_t boot_id[16];
};

/* Opens or creates the file. Returns 0, or an error as writer_open() with a sentence in err. *r
 * does not keep opt. */
int ringfile_open(struct ringfile *r, const struct ringfile_options *opt, char err[FILE_INDEX_ERR_MAX]);
void ringfile_done(struct ringfile *r);
/*
 * Writes a segment of n bytes. The first sizeof(struct format_segment) bytes are room for the
 * header. The function sets file_id, seq, flags, n_slots, versions and checksums in h, and copies h
 * to this room. Returns 0, -EFBIG if the segment is larger than the ring, -ENOENT if the file is
 * not open, or an errno of pwrite(2) such as -ENOSPC or -EIO. After a failure, the file has no
 * valid segment from this call, the sequence number is still free, and the records count as lost,
 * as with ringfile_unwritten().
 */
int ringfile_write(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/*
 * Writes a copy of the open segment, as ringfile_write(), but into the next of the slots for
 * copies. The next ringfile_write() writes the segment itself, with all records of its copies. A
 * copy never goes into the slot of the previous copy, so the previous copy stays whole even if the
 * write is cut short. Returns 0, -ENOENT if the file is not open, or an errno of pwrite(2). Returns
 * -EFBIG if the copy does not fit into a slot, or if there are no slots for copies now. After a
 * failure, the records do not count as lost, because the caller still has them.
 */
int ringfile_save(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/* Notes that n records captured since from_ns are lost. The header of the next segment that is
 * written mentions them. */
void ringfile_unwritten(struct ringfile *r, uint64_t from_ns, uint64_t n);
/* Returns begin_ns of the oldest segment of this boot in the file, or 0 if there is none. If the
 * file has no sealed segment of this boot, this is begin_ns of a copy of the open segment. */
uint64_t ringfile_oldest_ns(struct ringfile *r);

/* Writes a file header and its meta data (as file_index_header()) to the start of the file. If
 * there is room, writes them once more to FORMAT_COPY_AT. Returns 0, -ENOMEM, or an errno of
 * pwrite(2). */
int ringfile_put_header(int fd, const struct format_file *f, const char *meta);

enum ringfile_state {
	RINGFILE_THERE,
	/* The file was truncated. It has its full size again, but the data behind the cut is lost. */
	RINGFILE_REPAIRED,
	RINGFILE_GONE, /* the path leads to another file, or to none */
};
/* Checks that the file is still at its path and has its full size. Repairs a truncated file.
 * Returns a ringfile_state, or a negative errno if the file could not be checked or repaired. */
int ringfile_look(struct ringfile *r, const struct ringfile_options *opt);

#endif
