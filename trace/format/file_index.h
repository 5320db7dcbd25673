/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_index.h - finds the file header and the segments of a trace file. One thread at a time for
 * each struct file_index. */
#ifndef CTRACE_TRACE_FORMAT_FILE_INDEX_H
#define CTRACE_TRACE_FORMAT_FILE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"

#define FILE_INDEX_ERR_MAX    256
#define FILE_INDEX_HEADER_MAX (FORMAT_SLOT_BYTES_MIN + FORMAT_META_MAX)

struct file_index_segment {
	struct format_segment h; /* checked: crc, version, file id and limits */
	uint32_t slot;
};

struct file_index {
	struct format_file file;
	char *meta; /* file.meta_bytes bytes, then a 0; owned */
	uint64_t file_bytes;
	bool copy_used; /* the file header is damaged; file and meta are from its copy */
	VEC(struct file_index_segment)
	segments;          /* sorted by seq, each seq once; not overlapping */
	uint32_t n_broken; /* slots of this file with a damaged segment header */
	uint32_t n_newer;  /* segments of a greater major version */
};

/* Reads the file header, or its copy if the header is damaged. name: for messages. Returns 0,
 * -ENOMEM, -errno of pread(2), or -EBADMSG if the file is no trace, is damaged, or has a greater
 * major version. On failure, err has a sentence. The caller calls file_index_done() in all
 * cases. */
int file_index_open(struct file_index *ix, int fd, const char *name, char err[FILE_INDEX_ERR_MAX]);
/* Finds the segments of the file anew. A slot whose header cannot be read is no error. Returns 0,
 * -ENOMEM, or -errno of fstat(2). */
int file_index_scan(struct file_index *ix, int fd);
void file_index_done(struct file_index *ix);

/* Writes the file header f and f->meta_bytes bytes of meta data to buf, of FILE_INDEX_HEADER_MAX
 * bytes. Fills in magic, version, header size and checksum. Returns the number of written bytes. */
size_t file_index_header(const struct format_file *f, const char *meta, uint8_t *buf);
/* Returns the checksum of a segment header of n bytes. Its field crc counts as 0. */
uint32_t file_index_segment_crc(const void *h, size_t n);
/* Fills in magic, version, sizes and checksums of h; the caller fills in the rest. `bytes` is the
 * whole segment of n bytes, but its first sizeof(*h) bytes are not read. */
void file_index_segment_finish(struct format_segment *h, const uint8_t *bytes, size_t n, uint32_t slot_bytes);
/* Returns the value of a name, or NULL. meta: pairs of 0-terminated strings, name and value. */
const char *file_index_meta(const char *meta, size_t n, const char *name);

#endif
