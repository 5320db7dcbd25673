/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob.h - dictionary blobs (abi.h): checks blobs, takes them one by one out of hostile bytes, and
 * makes stack blobs. Pure; any thread. */
#ifndef CTRACE_TRACE_FORMAT_BLOB_H
#define CTRACE_TRACE_FORMAT_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* Returns true if the blob is a CT_TASK, CT_CMDLINE, CT_OBJECT or CT_STACK, and its sizes, strings
 * and ids are valid. The caller has made sure that blob->size bytes are readable. */
bool blob_is_valid(const struct ct_blob *blob);

/*
 * Finds the next blob of a known kind in the *n bytes at *p, and copies it to buf, which has 65536
 * bytes. Skips blobs of unknown kinds. After the call, *p and *n are the bytes behind the last blob
 * that was copied or skipped.
 *
 * Returns 1 if buf has a valid blob whose times are within their limits (limits.h), or 0 at the end
 * of the bytes. Returns -EBADMSG if the bytes are damaged. The caller then stops.
 */
int blob_next(const uint8_t **p, size_t *n, uint64_t *buf);

/* Returns the id of a stack, which is a hash of its n frame strings and never 0. */
uint64_t blob_stack_id(const char *const *frames, size_t n);
/* Makes a CT_STACK blob of n frames, innermost first. The caller frees the blob. The blob has at
 * most 64 KiB (h.size) and 1024 frames. If some frames do not fit, the last frame of the blob says
 * that the rest was left out. The id of the blob is always the id of all n frames. Returns NULL if
 * memory runs out. */
struct ct_stack_blob *blob_stack(uint64_t ts_ns, const char *const *frames, size_t n);

#endif
