/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_index.h - finds the file header and the segments of a trace file. The functions read
 * headers. They read the body of a segment only if the file has several copies of this segment. One
 * thread at a time for each struct file_index. */
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
	struct format_segment h; /* a header whose crc, version, file id and limits have been
				    checked */
	uint32_t slot;
};

struct file_index {
	struct format_file file;
	char *meta; /* file.meta_bytes bytes, then a 0; owned */
	uint64_t file_bytes;
	bool copy_used; /* the file header is damaged; file and meta are from its copy */
	VEC(struct file_index_segment)
	segments;          /* sorted by seq, each seq once; no two segments
			      overlap */
	uint32_t n_broken; /* number of slots with the magic and file id of a segment, but a damaged
			      header */
	uint32_t n_newer;  /* number of segments of a greater major version */
};

/* Reads the file header of fd into *ix. If the header is damaged, reads its copy. name is the
 * file's name for messages. Returns 0, -ENOMEM, or -errno of pread(2) such as -EIO. Returns
 * -EBADMSG if the file is not a trace, if its header and the copy are damaged, or if this version
 * cannot read it. On failure, err has a sentence about the file. The caller calls file_index_done()
 * in all cases. */
int file_index_open(struct file_index *ix, int fd, const char *name, char err[FILE_INDEX_ERR_MAX]);
/* Finds the segments that the file has now. These segments replace the segments of an earlier scan.
 * A slot that cannot be read counts as a slot without a segment, or as broken (n_broken). Returns
 * 0, -ENOMEM, or -errno of fstat(2). */
int file_index_scan(struct file_index *ix, int fd);
void file_index_done(struct file_index *ix);

/* Writes a file header and its f->meta_bytes of meta data to buf, which has FILE_INDEX_HEADER_MAX
 * bytes. Fills in magic, version, header size and checksum. Returns the number of bytes. */
size_t file_index_header(const struct format_file *f, const char *meta, uint8_t *buf);
/* Returns the checksum of a segment header h of n bytes, for its field crc. In the checksum, this
 * field counts as 0. */
uint32_t file_index_segment_crc(const void *h, size_t n);
/* Fills in those fields of h that can be computed: magic, version, sizes, checksums. The parameter
 * `bytes` has the n bytes of the segment. Its first sizeof(*h) bytes are room for h, and are not
 * read. The caller has set file_id, seq and all other fields. */
void file_index_segment_finish(struct format_segment *h, const uint8_t *bytes, size_t n, uint32_t slot_bytes);
/* Finds a name in n bytes of meta data (pairs of 0-terminated strings: name, value). Returns a
 * pointer to its value in the meta data, or NULL if the name is not there. */
const char *file_index_meta(const char *meta, size_t n, const char *name);

#endif
