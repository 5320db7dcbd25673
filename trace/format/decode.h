/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - decodes one file segment. The bytes may be hostile even if their checksum is right.
 * One thread at a time for each decoder. */
#ifndef CTRACE_TRACE_FORMAT_DECODE_H
#define CTRACE_TRACE_FORMAT_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/format.h"
#include "trace/format/window.h"

#define DECODER_SLACK 8

struct decoder;
struct decoder *decoder_new(void);
void decoder_free(struct decoder *d);

/* Begins a segment whose body has n bytes. h and body must stay valid until the last call for this
 * segment, with DECODER_SLACK readable bytes after body. Returns 0, or -EBADMSG if the blocks are
 * damaged or too large (limits.h). */
int decoder_begin(struct decoder *d, const struct format_segment *h, const uint8_t *body, size_t n);
/* Gives the decompressed bytes of one block. *ret_n is 0 if the segment lacks it. The bytes are
 * valid until the next decoder_begin() or decoder_free(). The caller must keep the body for so long.
 * Returns 0, -ENOMEM, or -EBADMSG if the block is damaged. */
int decoder_block(struct decoder *d, enum format_block_type type, const uint8_t **ret_p, size_t *ret_n);
struct decoder_room {
	struct window_part to;
	size_t n_events, n_words; /* from decoder_count() */
	uint64_t kinds;           /* bit n: records of kind n are wanted */
};
struct decoder_got {
	size_t n_events, n_words;
	uint32_t n_cpus; /* the highest number in the CPUS block plus 1, or 0 if it is empty */
};
/* Counts the wanted records, and how many have extra words. A damaged header may give wrong
 * counts. */
void decoder_count(const struct format_segment *h, uint64_t kinds, size_t *ret_events, size_t *ret_words);
/* Decodes the wanted records of known kinds into *room, sorted by (ts, cpu, order within the CPU).
 * Returns 0, -ENOMEM, or -EBADMSG if the segment is damaged. After a failure, *room is undefined. */
int decoder_events(struct decoder *d, const struct decoder_room *room, struct decoder_got *ret);

#endif
