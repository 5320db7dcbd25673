/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redact.h - copies a segment, with hashes in place of private names (redact_names.h). The copy has
 * only blocks and records that this version knows. Private to trace/. One thread at a time for each
 * struct redact. */
#ifndef CTRACE_TRACE_SNAPSHOT_REDACT_H
#define CTRACE_TRACE_SNAPSHOT_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/decode.h"

struct redact;

/* Makes a random key, which is never written. Returns 0, -ENOMEM, or -EIO if the kernel gives no
 * random bytes. */
int redact_new(struct redact **ret);
void redact_free(struct redact *r);
/* Redacts the segment of header h and body. *ret_bytes: the new segment with its header, valid
 * until the next call. seq and times stay as in h. file_id and boot_id become hashes. n_slots
 * becomes the number of slots that the new segment takes; a slot has slot_bytes bytes. Returns 0,
 * -ENOMEM, -EBADMSG if the segment is damaged, or -EFBIG as encoder_block() and redact_file(). */
int redact_segment(struct redact *r, struct decoder *d, const struct format_segment *h, const uint8_t *body,
		   uint32_t slot_bytes, uint8_t **ret_bytes, size_t *ret_n);
/* Redacts a file header and its meta data in place. meta has room for FORMAT_META_MAX bytes.
 * Returns 0, -ENOMEM, or -EFBIG if the result does not fit. */
int redact_file(struct redact *r, struct format_file *f, char *meta, size_t *meta_bytes);

#endif
