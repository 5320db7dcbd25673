/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_fixture.h - makes a directory and random records, and checks what the reader returns. */
#ifndef CTRACE_TEST_TRACE_FIXTURE_H
#define CTRACE_TEST_TRACE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "lib/vec.h"
#include "trace/read/reader.h"
#include "trace/write/writer.h"

#define FIXTURE_BYTES (4u << 20)

struct fixture {
	char dir[64];
	char path[96];
	uint64_t rng;
	struct writer *w;
	uint64_t now;
	VEC(struct fixture_event) all;
	uint32_t segment;
};
struct fixture_event {
	struct window_record e;
	uint32_t segment;
	uint32_t order;
};

int fixture_setup(void **state);
int fixture_teardown(void **state);

uint64_t fixture_random(struct fixture *f);
/* Returns a random number, often one at a boundary: 0, 1, the maximum. */
uint64_t fixture_number(struct fixture *f);
struct window_record fixture_record(struct fixture *f, uint8_t kind);
/* Returns a random CT_SWITCH or CT_WAKE of one of 40 tasks, as on a busy machine. */
struct window_record fixture_usual(struct fixture *f, uint16_t cpu);

void fixture_open(struct fixture *f, uint64_t bytes);
void fixture_add(struct fixture *f, const struct window_record *e);
/* Adds n records of fixture_usual() on a few CPUs, about 1 us apart. */
void fixture_busy(struct fixture *f, unsigned n);
void fixture_seal(struct fixture *f);
void fixture_task(struct fixture *f, uint32_t tid, const char *comm);
void fixture_object(struct fixture *f, uint64_t id, uint64_t peer, const char *name);

struct window *fixture_load(struct fixture *f, uint64_t from, uint64_t to);
/* Checks that w has exactly the records of the segments from `first` on with ts < to, in order. */
void fixture_check(struct fixture *f, const struct window *w, uint32_t first, uint64_t to);
uint8_t *fixture_slurp(const char *path, size_t *ret_n);
void fixture_spew(const char *path, const void *p, size_t n);

#endif
