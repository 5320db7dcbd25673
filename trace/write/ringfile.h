/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ringfile.h - the file of a writer: creates or recovers it and puts segments into
 * it, the newest over the oldest.  What is in a segment is not its business.
 *
 * One thread at a time.
 */
#ifndef CTRACE_TRACE_WRITE_RINGFILE_H
#define CTRACE_TRACE_WRITE_RINGFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/format/file_index.h"

/* What is handed to ringfile_write() has room up to a multiple of this: whole pages are written, so that
 * nothing of the file has to be read for it. */
#define RINGFILE_ALIGN 4096u

struct ringfile_slot {
	uint64_t seq; /* of the segment that begins here; 0: none does */
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
	bool continued; /* there were segments in the file when it was opened, and none was written since */
	struct ringfile_slot *slots; /* [n_slots + 1], for the oldest time; owned */
	uint64_t newest_ns;          /* of this boot */
	struct {
		uint64_t from_ns, n_records;
		bool any;
	} unwritten; /* what the next segment has to tell of */
};

struct ringfile_options {
	const char *path;
	bool own_dir; /* its directory is to be the user's alone, see lib/owned.h */
	uint64_t size_bytes;
	uint32_t n_cpus;
	const char *meta; /* pairs of 0-terminated strings */
	size_t meta_bytes;
	uint8_t boot_id[16];
};

/* As writer_open(). */
int ringfile_open(struct ringfile *r, const struct ringfile_options *opt, char err[FILE_INDEX_ERR_MAX]);
void ringfile_done(struct ringfile *r);
/*
 * Writes a segment: n bytes, of which the first sizeof(struct format_segment)
 * are filled in here from h (file id, seq, n_slots, crc and versions are set).
 * 0, -EFBIG: larger than the file; -ENOSPC, -EIO...: nothing valid was written, the sequence number is not
 * used up, and ringfile_unwritten() is done.
 */
int ringfile_write(struct ringfile *r, struct format_segment *h, uint8_t *bytes, size_t n);
/* n records captured since from_ns will not be written: the next segment says so. */
void ringfile_unwritten(struct ringfile *r, uint64_t from_ns, uint64_t n);
/* begin_ns of the oldest segment of this boot that is still there; 0 when there is none. */
uint64_t ringfile_oldest_ns(const struct ringfile *r);

/* Writes a file header (as file_index_header()) and its meta data, where they belong and as the copy. */
int ringfile_put_header(int fd, const struct format_file *f, const char *meta);

enum ringfile_state {
	RINGFILE_THERE,
	RINGFILE_REPAIRED, /* somebody had cut it short; what was behind the cut is lost */
	RINGFILE_GONE,     /* the path is of another file, or of none */
};
/* Whether the file is still what it was.  A ringfile_state, or -errno: it cannot be made whole. */
int ringfile_look(struct ringfile *r, const struct ringfile_options *opt);

#endif
