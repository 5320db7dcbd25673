/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redact.h - makes a segment anew without the names in it: of programs, files, addresses, functions, the
 * host.  It is decoded and encoded again, so that nothing comes through that this version does not know.
 * Private to trace/.
 */
#ifndef CTRACE_TRACE_SNAPSHOT_REDACT_H
#define CTRACE_TRACE_SNAPSHOT_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/decode.h"

struct redact;

/* With a key of its own, which nobody learns.  0 or -errno. */
int redact_new(struct redact **ret);
void redact_free(struct redact *r);
/* A whole segment, header and body, from the one with the header h; *ret_bytes belongs to r until the next
 * call.  seq and times stay; file_id and boot id become others.  n_slots is set for slots of slot_bytes.  0,
 * -EBADMSG, -ENOMEM, -EFBIG. */
int redact_segment(struct redact *r, struct decoder *d, const struct format_segment *h, const uint8_t *body,
		   uint32_t slot_bytes, uint8_t **ret_bytes, size_t *ret_n);
/* The file header, and its meta data in place, which become no longer than FORMAT_META_MAX. 0 or -ENOMEM. */
int redact_file(struct redact *r, struct format_file *f, char *meta, size_t *meta_bytes);

#endif
