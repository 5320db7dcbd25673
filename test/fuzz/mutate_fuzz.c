// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "test/fuzz/mutate.h"

#define MUTATE_FUZZ_RAW 8 /* LLVMFuzzerMutate() alone makes one of this many changes */

size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t size, unsigned seed)
{
	struct mutate *m = seed % MUTATE_FUZZ_RAW ? mutate_new(p, n) : NULL;
	size_t stored = 0;

	if (m) {
		mutate_change(m, seed, LLVMFuzzerMutate);
		stored = mutate_store(m, p, size);
	}
	mutate_free(m);
	return stored ? stored : LLVMFuzzerMutate(p, n, size);
}
