/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_index.h - finds the file header and the segments of a trace file; reads headers only. */
#ifndef CTRACE_TRACE_FORMAT_FILE_INDEX_H
#define CTRACE_TRACE_FORMAT_FILE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"

#define FILE_INDEX_ERR_MAX    256
#define FILE_INDEX_HEADER_MAX (FORMAT_SLOT_BYTES_MIN + FORMAT_META_MAX) /* file header and meta data */

struct file_index_segment {
	struct format_segment h; /* checked: crc, version, file id, limits */
	uint32_t slot;
};

struct file_index {
	struct format_file file;
	char *meta; /* file.meta_bytes bytes, then a 0; owned */
	uint64_t file_bytes;
	bool copy_used;                          /* the file header was damaged, and its copy is not */
	VEC(struct file_index_segment) segments; /* by seq; no two overlap */
	uint32_t n_broken;                       /* slots that begin like a segment but are not one */
	uint32_t n_newer;                        /* segments of a greater major version */
};

/* Reads the file header.  0, -EBADMSG, -EIO..., -ENOMEM; err gets a sentence about name. */
int file_index_open(struct file_index *ix, int fd, const char *name, char err[FILE_INDEX_ERR_MAX]);
/* Finds the segments as they are now.  0, -EIO..., -ENOMEM. */
int file_index_scan(struct file_index *ix, int fd);
void file_index_done(struct file_index *ix);

/* A file header and its meta data (f->meta_bytes) as bytes; magic, version, size and checksum are filled in.
 * Returns how many there are in buf (FILE_INDEX_HEADER_MAX). */
size_t file_index_header(const struct format_file *f, const char *meta, uint8_t *buf);
/* The checksum that belongs into h->crc. */
uint32_t file_index_segment_crc(const void *h, size_t n);
/* Fills in what follows from the n bytes of a segment, of which the first sizeof(*h) are the room for h:
 * magic, version, sizes, checksums.  file_id, seq and the rest of h are there already. */
void file_index_segment_finish(struct format_segment *h, const uint8_t *bytes, size_t n, uint32_t slot_bytes);
/* Value of a name in meta data (pairs of 0-terminated strings), or NULL. */
const char *file_index_meta(const char *meta, size_t n, const char *name);

#endif
