/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob.h - dictionary blobs (abi.h): checks those that come in, takes them out of hostile bytes. */
#ifndef CTRACE_TRACE_FORMAT_BLOB_H
#define CTRACE_TRACE_FORMAT_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* True for a CT_TASK, CT_OBJECT or CT_STACK blob whose sizes, strings and ids are sound.  blob->size bytes
 * may be read. */
bool blob_is_valid(const struct ct_blob *blob);

/*
 * Walks over n bytes of blobs: fills buf (65536 bytes, so that the blob is
 * aligned) with the next one and advances *p and *n.  1: there it is; 0: the end;
 * -EBADMSG: the rest makes no sense.  Blobs of unknown kinds are passed over.
 */
int blob_next(const uint8_t **p, size_t *n, uint64_t *buf);

/* Stack id: a hash (not 0) of the n frame strings. */
uint64_t blob_stack_id(const char *const *frames, size_t n);
/* Makes a CT_STACK blob (malloc; size in h.size; frames beyond what fits 64 KiB are left out, the last one
 * kept says so). NULL: out of memory. */
struct ct_stack_blob *blob_stack(uint64_t ts_ns, const char *const *frames, size_t n);

#endif
