/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - encodes the records of one file segment as blocks (format.h).
 *
 * One encoder encodes one segment after the other and keeps its buffers. An encoder knows neither
 * files nor the dictionary. encoder_refs() gives the ids to which the records refer. One thread at
 * a time for each encoder.
 */
#ifndef CTRACE_TRACE_FORMAT_ENCODE_H
#define CTRACE_TRACE_FORMAT_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"

/* The records of one CPU. raw has a struct ct_rec for each record, and directly behind it the extra
 * words of the record. The caller owns raw. */
struct encode_stream {
	uint16_t cpu;
	uint32_t n_records;
	uint64_t min_ns, max_ns;
	const uint64_t *raw;
};

struct encoder;
struct encoder *encoder_new(void);
void encoder_free(struct encoder *e);

/* Begins a segment with head_bytes zeroes, which are room for a header in front of the body.
 * Returns 0 or -ENOMEM. */
int encoder_begin(struct encoder *e, size_t head_bytes);
/* Appends one block of n items; each item has `width` bytes. If width is larger than 1, stores the
 * items as byte planes. If n is 0, appends nothing. Returns 0, -ENOMEM, or -EFBIG if all blocks of
 * the segment together would be larger than FORMAT_RAW_MAX before compression. */
int encoder_block(struct encoder *e, enum format_block_type type, const void *data, size_t n, unsigned width);
/* Appends the records of n CPUs as columns. The streams are sorted by cpu. kind_info is as in the
 * segment header. The first time of each CPU is stored relative to begin_ns, and each later time
 * relative to the record before it. Returns 0, -ENOMEM or -EFBIG, as encoder_block() does. */
int encoder_records(struct encoder *e, const struct encode_stream *streams, size_t n, uint64_t begin_ns,
		    const uint8_t kind_info[FORMAT_KINDS]);

/* The ids to which the records refer, valid after encoder_records(). tids and objs have all task
 * ids and object ids in fields of the records, each id once. An id of 0 may be in both. x_objs and
 * x_stacks have the object ids and the stack ids in the extra words of the records. In these two
 * arrays, an id may occur several times. The arrays belong to the encoder, and are valid until the
 * next encoder_begin(). */
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

/* Returns the encoded segment, of *ret_n bytes. It has head_bytes of zeroes, which the caller
 * replaces by a header, and then the body. The bytes belong to the encoder, and are valid until the
 * next encoder_begin(). */
uint8_t *encoder_bytes(struct encoder *e, size_t *ret_n);
/* Fills in the kind_info of a segment header for all record kinds of this version. */
void encode_kind_info(uint8_t kind_info[FORMAT_KINDS]);

#endif
