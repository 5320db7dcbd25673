/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutate.h - changes a trace file, and then corrects its sizes and checksums, so that most files
 * pass the reader's first checks. The same seed makes the same changes, except for those of a
 * mutate_bytes_fn. One thread at a time for each struct mutate.
 */
#ifndef CTRACE_TEST_MUTATE_H
#define CTRACE_TEST_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#define MUTATE_SLOT_BYTES 4096u
/* the size of a buffer for a file; also the most bytes of one block */
#define MUTATE_BYTES_MAX (1u << 20)

struct mutate;

/* Changes n bytes in place, in a buffer of `size` bytes. Returns the new length. Example:
 * LLVMFuzzerMutate(). */
typedef size_t (*mutate_bytes_fn)(uint8_t *p, size_t n, size_t size);

/* Keeps no pointer to the n bytes. Returns NULL if there is no file header or no memory. */
struct mutate *mutate_new(const uint8_t *p, size_t n);
void mutate_free(struct mutate *m);

/* Makes one to eight changes. If `bytes` is not NULL, some of these changes call it, to change the
 * data of a block of the trace. */
void mutate_change(struct mutate *m, uint64_t seed, mutate_bytes_fn bytes);

/* Returns the length of the file, or 0 if `to` has too few bytes. */
size_t mutate_store(const struct mutate *m, uint8_t *to, size_t size);

#endif
