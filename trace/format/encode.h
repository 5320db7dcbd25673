/* SPDX-License-Identifier: GPL-2.0-or-later */
/* encode.h - encodes the records of one file segment as blocks (format.h). One encoder encodes many
 * segments, one after the other. One thread at a time for each encoder. */
#ifndef CTRACE_TRACE_FORMAT_ENCODE_H
#define CTRACE_TRACE_FORMAT_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"

/* The records of one CPU. In raw, the extra words of a record directly follow its struct ct_rec.
 * The caller owns raw. */
struct encode_stream {
	uint16_t cpu;
	uint32_t n_records;
	uint64_t min_ns, max_ns;
	const uint64_t *raw;
};

struct encoder;
struct encoder *encoder_new(void);
void encoder_free(struct encoder *e);

/* Begins a segment. head_bytes: room for a header in front of the body. Returns 0 or -ENOMEM. */
int encoder_begin(struct encoder *e, size_t head_bytes);
/* Appends a block of n items of `width` bytes each. If width is above 1, the items are
 * stored as planes (format_block.width). If n is 0, appends nothing. Returns 0, -ENOMEM, or -EFBIG
 * if all blocks together would be larger than FORMAT_RAW_MAX before compression. */
int encoder_block(struct encoder *e, enum format_block_type type, const void *data, size_t n, unsigned width);
/* Appends the records of n CPUs, sorted by cpu, as columns. kind_info is as in the segment header.
 * begin_ns is the begin of the segment. Returns 0, -ENOMEM or -EFBIG as encoder_block(). */
int encoder_records(struct encoder *e, const struct encode_stream *streams, size_t n, uint64_t begin_ns,
		    const uint8_t kind_info[FORMAT_KINDS]);

/* The ids in the records, valid from encoder_records() to the next encoder_begin(). The encoder
 * owns the arrays. tids and objs have each id once, and may have the id 0. x_objs and x_stacks are
 * from the extra words, and may have an id several times. */
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

/* Returns the encoded segment: head_bytes zeroes, then the body. The encoder owns the bytes, which
 * are valid until the next encoder_begin(). */
uint8_t *encoder_bytes(struct encoder *e, size_t *ret_n);
void encode_kind_info(uint8_t kind_info[FORMAT_KINDS]);

#endif
