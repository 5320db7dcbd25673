/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutate_private.h - the parts of a trace file, for the files that implement mutate.h. */
#ifndef CTRACE_TEST_MUTATE_PRIVATE_H
#define CTRACE_TEST_MUTATE_PRIVATE_H

#include "ctrace/format.h"
#include "lib/vec.h"
#include "test/fuzz/mutate.h"

#define MUTATE_LIES_MAX     4u
#define MUTATE_SEGMENTS_MAX 32u
#define MUTATE_BLOCKS_MAX   48u

/* A false value that mutate_store() writes into a header. `at`: the offset in bytes */
struct mutate_lie {
	uint16_t at;
	uint8_t size;
	uint64_t value;
};

struct mutate_lies {
	struct mutate_lie v[MUTATE_LIES_MAX];
	unsigned n;
};

struct mutate_block {
	struct format_block h;
	struct mutate_lies lies;
	VEC(uint8_t) raw;
};

struct mutate_segment {
	struct format_segment h;
	struct mutate_lies lies;
	VEC(struct mutate_block) blocks;
};

struct mutate {
	struct format_file h;
	struct mutate_lies lies;
	VEC(char) meta;
	VEC(struct mutate_segment) segments;
	size_t cut; /* bytes at the end that mutate_store() leaves out */
	uint64_t rng;
};

uint64_t mutate_draw(struct mutate *m);
/* Returns a random number below n, or 0 if n is 0. */
size_t mutate_below(struct mutate *m, size_t n);
/* Returns a random segment, or NULL if there is none. */
struct mutate_segment *mutate_segment(struct mutate *m);
void mutate_segment_done(struct mutate_segment *s);

void mutate_record(struct mutate *m);

#endif
