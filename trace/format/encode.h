/* SPDX-License-Identifier: GPL-2.0-or-later */
/* encode.h - encodes the records of one file segment as blocks (format.h). One thread at a time for
 * each encoder. */
#ifndef CTRACE_TRACE_FORMAT_ENCODE_H
#define CTRACE_TRACE_FORMAT_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"

/* The records of one CPU. In raw, the extra words of a record follow its struct ct_rec. */
struct encode_stream {
	uint16_t cpu;
	uint32_t n_records;
	uint64_t min_ns, max_ns;
	const uint64_t *raw;
};

struct encoder;
struct encoder *encoder_new(void);
void encoder_free(struct encoder *e);

/* head_bytes: room for a header in front of the body. Returns 0 or -ENOMEM. */
int encoder_begin(struct encoder *e, size_t head_bytes);
/* If the records of this segment take at most max_bytes bytes, encoder_records() does not compress them. This
 * takes less CPU time. */
void encoder_plain(struct encoder *e, size_t max_bytes);
/* Appends a block of n items of `width` bytes, as planes if width is above 1 (format_block.width).
 * If n is 0, appends nothing. Returns 0, -ENOMEM, or -EFBIG if all blocks together have more
 * than FORMAT_RAW_MAX bytes before compression. */
int encoder_block(struct encoder *e, enum format_block_type type, const void *data, size_t n, unsigned width);
/* As encoder_block() with the content of its last call for this type, which must not be the type of a column.
 * Only for the caller that has made this call for the last segment, with n above 0, and without an error.
 * Returns false, and appends nothing, if the encoder has not kept this block. */
bool encoder_again(struct encoder *e, enum format_block_type type);
/* Appends the records of n CPUs, sorted by cpu, as columns. begin_ns, kind_info: as in the segment
 * header. Returns 0, -ENOMEM or -EFBIG as encoder_block(). */
int encoder_records(struct encoder *e, const struct encode_stream *streams, size_t n, uint64_t begin_ns,
		    const uint8_t kind_info[FORMAT_KINDS]);

/* The ids in the records, valid from encoder_records() to the next encoder_begin(). tids and objs
 * have each id once, and may have the id 0. x_objs and x_stacks, from the extra words, may repeat
 * an id. */
struct encode_refs {
	const uint32_t *tids;
	size_t n_tids;
	const uint64_t *objs;
	size_t n_objs;
	const uint64_t *x_objs;
	size_t n_x_objs;
	const uint64_t *x_stacks;
	size_t n_x_stacks;
};
struct encode_refs encoder_refs(const struct encoder *e);

/* Returns the encoded segment: head_bytes zeroes, then the body. Valid until the next
 * encoder_begin(). */
uint8_t *encoder_bytes(struct encoder *e, size_t *ret_n);
void encode_kind_info(uint8_t kind_info[FORMAT_KINDS]);

#endif
