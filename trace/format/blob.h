/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob.h - checks dictionary blobs (abi.h), finds them in hostile bytes, and makes stack blobs.
 * Pure; any thread. */
#ifndef CTRACE_TRACE_FORMAT_BLOB_H
#define CTRACE_TRACE_FORMAT_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* Returns true if the blob is of a known kind, and its sizes, strings and ids are valid. The caller
 * has checked that blob->size bytes are readable. */
bool blob_is_valid(const struct ct_blob *blob);

/*
 * Copies the next blob of a known kind from *p to buf, and moves *p behind this blob. *n is the
 * number of bytes that are left at *p. buf has 65536 bytes.
 *
 * Returns 1 if buf has a valid blob, 0 at the end of the bytes, or -EBADMSG if the bytes are
 * damaged.
 */
int blob_next(const uint8_t **p, size_t *n, uint64_t *buf);

/* Returns the id of a stack: a hash of the n frame strings, never 0. */
uint64_t blob_stack_id(const char *const *frames, size_t n);
/* Makes a CT_STACK blob of n frames, innermost first. The caller frees the blob. If some frames do
 * not fit, the last frame of the blob says so. The id is always that of all n frames. Returns NULL
 * if memory runs out. */
struct ct_stack_blob *blob_stack(uint64_t ts_ns, const char *const *frames, size_t n);

#endif
