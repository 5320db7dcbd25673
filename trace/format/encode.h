/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * encode.h - turns the records of one segment into blocks (format.h).
 *
 * One encoder is used for one segment after the other; it keeps its buffers.
 * It knows nothing of files or of the dictionary, but tells which ids the
 * records refer to.
 */
#ifndef CTRACE_TRACE_FORMAT_ENCODE_H
#define CTRACE_TRACE_FORMAT_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "lib/vec.h"

/* The records of one CPU: struct ct_rec, each followed by its words. */
struct encode_stream {
	uint16_t cpu;
	uint32_t n_records;
	uint64_t min_ns, max_ns;
	const uint64_t *raw;
};

struct encoder;
struct encoder *encoder_new(void);
void encoder_free(struct encoder *e);

/* Begins a segment; leaves room for head_bytes in front of the body. 0 or -ENOMEM. */
int encoder_begin(struct encoder *e, size_t head_bytes);
/* Appends one block: n items of width bytes; width > 1 stores them as byte planes.  Nothing when n is 0.
 * 0, -ENOMEM, or -EFBIG when the limits of a segment are passed. */
int encoder_block(struct encoder *e, enum format_block_type type, const void *data, size_t n, unsigned width);
/* Appends the records as columns; streams sorted by cpu.  kind_info as in the segment header. */
int encoder_records(struct encoder *e, const struct encode_stream *streams, size_t n, uint64_t begin_ns,
		    const uint8_t kind_info[FORMAT_KINDS]);

/* After encoder_records(): every value of the fields that hold a task id or an object id, without 0.  The
 * words of records that may be ids of objects or stacks are in refs, which may repeat. Owned by the encoder.
 */
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

/* The whole: head_bytes (not filled in), then the body.  Owned by the encoder. */
uint8_t *encoder_bytes(struct encoder *e, size_t *ret_n);
/* What a segment made of the kinds that this version knows says about them. */
void encode_kind_info(uint8_t kind_info[FORMAT_KINDS]);

#endif
