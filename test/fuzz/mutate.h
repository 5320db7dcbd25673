/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutate.h - takes a trace file apart, changes it, and puts it together again with sizes and checksums that
 * are right, so that a change gets past the checks that every random change fails.
 *
 * A changed field may be one of the sizes itself: then that one is wrong, and the checksums are still right.
 * The same seed makes the same change.  One thread for each struct mutate.
 */
#ifndef CTRACE_TEST_MUTATE_H
#define CTRACE_TEST_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#define MUTATE_SLOT_BYTES 4096u      /* of what is put together */
#define MUTATE_BYTES_MAX  (1u << 20) /* a longer result is refused */

struct mutate;

/* Changes n bytes in place, of which size are there; returns the new length.  LLVMFuzzerMutate() is one. */
typedef size_t (*mutate_bytes_fn)(uint8_t *p, size_t n, size_t size);

/* Takes apart what it can of n bytes; keeps no pointer to them.  NULL: no file header, or out of memory. */
struct mutate *mutate_new(const uint8_t *p, size_t n);
/* Accepts NULL. */
void mutate_free(struct mutate *m);

/* One to eight changes.  bytes: changes the content of some blocks; NULL: none does. */
void mutate_change(struct mutate *m, uint64_t seed, mutate_bytes_fn bytes);

/* Puts the file together in size bytes at to.  Its length; 0: it does not fit. */
size_t mutate_store(const struct mutate *m, uint8_t *to, size_t size);

#endif
