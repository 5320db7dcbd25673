/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutate.h - takes a trace file apart, changes it, and puts it together again with right sizes and
 * checksums. So the changed file gets past the checksums and sizes that the reader checks first.
 *
 * A change may also give a field of a header, such as a size, a wrong value. The checksums are
 * still right then. The same seed makes the same changes, except for those that a mutate_bytes_fn
 * makes. Only one thread at a time may use a struct mutate.
 */
#ifndef CTRACE_TEST_MUTATE_H
#define CTRACE_TEST_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#define MUTATE_SLOT_BYTES 4096u /* the size of a slot of the new file */
/* bytes: enough room for a new file; also the limit of one block */
#define MUTATE_BYTES_MAX (1u << 20)

struct mutate;

/*
 * Changes n bytes in place. The buffer has `size` bytes. Returns the new length. LLVMFuzzerMutate()
 * is such a function.
 */
typedef size_t (*mutate_bytes_fn)(uint8_t *p, size_t n, size_t size);

/*
 * Takes n bytes apart, as far as possible. Keeps no pointer to these bytes. Returns NULL if there
 * is no file header, or if memory runs out.
 */
struct mutate *mutate_new(const uint8_t *p, size_t n);
/* Accepts NULL. */
void mutate_free(struct mutate *m);

/* Makes one to eight changes. If `bytes` is not NULL, some of the changes call this function for
 * the content of a block. */
void mutate_change(struct mutate *m, uint64_t seed, mutate_bytes_fn bytes);

/* Writes the changed file to `to`, which has `size` bytes. Returns the length of the file, or 0 if
 * it does not fit. */
size_t mutate_store(const struct mutate *m, uint8_t *to, size_t size);

#endif
