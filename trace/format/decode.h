/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - decodes one file segment. This is the reverse of encode.h. The bytes may be hostile
 * even if their checksum is right. One thread at a time for each decoder.
 */
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

/* Begins a segment, and finds the blocks in the n bytes of its body. The caller keeps h and body
 * valid until the last call for this segment. DECODER_SLACK bytes after the body must be readable
 * too. Returns 0, or -EBADMSG if the blocks are damaged or larger than limits.h allows. */
int decoder_begin(struct decoder *d, const struct format_segment *h, const uint8_t *body, size_t n);
/* Gives the decompressed bytes of one block. *ret_n is 0 if the segment does not have the block.
 * The bytes belong to the decoder, or lie in the body. The pointer is valid until the next
 * decoder_begin() or decoder_free(), but no longer than the body. Returns 0, -ENOMEM, or -EBADMSG
 * if the block is damaged. */
int decoder_block(struct decoder *d, enum format_block_type type, const uint8_t **ret_p, size_t *ret_n);
/* Where the records of a segment go. */
struct decoder_room {
	struct window_event *events; /* room for n_events records */
	size_t n_events;             /* the number that decoder_count() gives */
	struct window_words *words;  /* the extra words of all segments */
	uint32_t first_word;         /* index of the first entry for this segment; not 0 */
	size_t n_words;              /* number of entries for this segment, as decoder_count() gives
					it */
	uint64_t kinds;              /* bit n: records of kind n are wanted, if this version knows the kind */
};
/* Gives the number of records of the wanted kinds, and how many of these records have extra words.
 * Both numbers come from the header of the segment, and a damaged segment may have more or fewer
 * records. */
void decoder_count(const struct format_segment *h, uint64_t kinds, size_t *ret_events, size_t *ret_words);
/* Decodes the wanted records into *room, sorted by (ts, cpu, order within the CPU). Leaves out
 * records of kinds that this version does not know. *ret_n is the number of decoded records.
 * *ret_n_cpus is the highest CPU number in the CPUS block plus 1, or 0 if this block is empty.
 * Returns 0, -ENOMEM, or -EBADMSG if the segment is damaged. After a failure the events and words
 * of *room are undefined. */
int decoder_events(struct decoder *d, const struct decoder_room *room, size_t *ret_n, uint32_t *ret_n_cpus);

#endif
