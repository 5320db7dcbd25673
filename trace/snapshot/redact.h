/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact.h - makes a copy of a segment. In the copy, hashes replace network addresses, and the
 * names of programs, files, functions and the host (redact_names.h lists what is not replaced). The
 * functions decode the segment and encode it again, so that the result has only blocks and records
 * that this version knows. Private to trace/. Only one thread at a time may use a struct redact.
 */
#ifndef CTRACE_TRACE_SNAPSHOT_REDACT_H
#define CTRACE_TRACE_SNAPSHOT_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/decode.h"

struct redact;

/* Makes a struct redact with a random key, which is never written anywhere. Returns 0, -ENOMEM, or
 * -EIO if the kernel gives no random bytes. */
int redact_new(struct redact **ret);
void redact_free(struct redact *r);
/* Redacts the segment with the header h and the given body. *ret_bytes is the new segment with its
 * header. r owns these bytes, and they are valid until the next call of redact_segment() with r. In
 * the new header, seq and all times are as in h, file_id and boot_id are hashes, and n_slots is set
 * for slots of slot_bytes. Returns 0, -ENOMEM, -EBADMSG if the segment is damaged, or -EFBIG as
 * encoder_block() does. */
int redact_segment(struct redact *r, struct decoder *d, const struct format_segment *h, const uint8_t *body,
		   uint32_t slot_bytes, uint8_t **ret_bytes, size_t *ret_n);
/* Redacts a file header and its meta data in place. meta has room for FORMAT_META_MAX bytes.
 * Returns 0, -ENOMEM, or -EFBIG if the redacted meta data does not fit. */
int redact_file(struct redact *r, struct format_file *f, char *meta, size_t *meta_bytes);

#endif
