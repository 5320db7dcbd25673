/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob.h - checks dictionary blobs (abi.h), finds them in hostile bytes, and makes stack blobs.
 * Pure; any thread. */
#ifndef CTRACE_TRACE_FORMAT_BLOB_H
#define CTRACE_TRACE_FORMAT_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* the last frame of a stack whose outermost frames are missing */
#define BLOB_STACK_REST "... (the rest was left out)"

/* Returns true if the kind is known, and sizes, strings and ids are valid. blob->size bytes must be
 * readable. */
bool blob_is_valid(const struct ct_blob *blob);

/* Copies the next blob of a known kind from *p to buf, of 65536 bytes, and moves *p to the end of
 * the blob. *n: the bytes left at *p. Returns 1, 0 at the end, or -EBADMSG if the bytes are
 * damaged. */
int blob_next(const uint8_t **p, size_t *n, uint64_t *buf);

/* Returns the id of a stack: a hash of the n frame strings, never 0. */
uint64_t blob_stack_id(const char *const *frames, size_t n);
/* Makes a CT_STACK blob of n frames, innermost first. If some do not fit, the last frame of the blob
 * says so. The blob's id is blob_stack_id() of all n frames, also of those that do not fit. The caller
 * frees the blob. Returns NULL if memory runs out. */
struct ct_stack_blob *blob_stack(uint64_t ts_ns, const char *const *frames, size_t n);

#endif
