/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - takes one segment apart again (see encode.h).  Its bytes may be
 * hostile even where their checksum is right.
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

/* Finds the blocks of a body, which must stay while the decoder is asked about them; DECODER_SLACK bytes after
 * it must be readable.
 * 0, -EBADMSG, -ENOMEM. */
int decoder_begin(struct decoder *d, const struct format_segment *h, const uint8_t *body, size_t n);
/* The bytes of one block; *ret_n is 0 when it is not there.  Valid until the next decoder_begin().
 * 0, -EBADMSG, -ENOMEM. */
int decoder_block(struct decoder *d, enum format_block_type type, const uint8_t **ret_p, size_t *ret_n);
/* Decodes the records into out, which has room for h->n_records, sorted by (ts, cpu, order within the CPU).
 * Kinds that this version does not know are left out. *ret_n_cpus: more than any of their CPUs.
 * 0, -EBADMSG, -ENOMEM. */
int decoder_events(struct decoder *d, struct window_event *out, size_t *ret_n, uint32_t *ret_n_cpus);

#endif
