/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_window_private.h - shared by text_window.c, text_names.c (tasks, objects, waits) and
 * text_record.c (records). */
#ifndef CTRACE_TEST_TEXT_WINDOW_PRIVATE_H
#define CTRACE_TEST_TEXT_WINDOW_PRIVATE_H

#include <stdint.h>
#include <stdlib.h>

#include "lib/vec.h"
#include "test/unit/text/text_window.h"
#include "test/unit/trace/window_fill.h"

struct cpu_of {
	uint32_t tid;
	uint16_t cpu;
};

struct states {
	VEC(struct window_state) v;
};

struct text_window {
	struct window w;
	VEC(struct window_record) events;
	VEC(struct window_task) tasks;
	VEC(struct window_object) objects;
	VEC(struct window_stack) stacks;
	VEC(struct window_cmdline) cmdlines;
	VEC(struct window_resync) resyncs;
	struct states states[2]; /* [0]: at the checkpoint; [1]: after the resync */
	struct states *states_now;
	VEC(struct cpu_of) cpus;
	VEC(void *) owned;
	VEC(char *) rounds;
	VEC(const char *) graph;
	bool repeating;
	uint64_t round_ns, every_ns, first, n_rounds;
	uint16_t next_cpu;
};

struct record {
	struct text_window *t;
	struct text_line *l;
	uint64_t ns;
	uint32_t tid;
	uint8_t ctx;
	uint16_t nr;
};

#define PUSH(vec, ...)                                                                                       \
	do {                                                                                                 \
		if (VEC_PUSH(vec, __VA_ARGS__))                                                              \
			abort();                                                                             \
	} while (0)

const struct window_task *text_declared(const struct text_window *t, uint32_t tid);
/* Returns a pointer to the number of the task's last CPU, or to 0 if no line shows it. Valid until
 * the next call. */
uint16_t *text_cpu_of(struct text_window *t, uint32_t tid);
uint8_t text_wait_of(struct text_line *l, const char *word);
uint64_t text_number_field(struct text_line *l, const char *key, uint64_t otherwise);
uint64_t text_word_field(struct text_line *l, const char *key, const struct text_word *words);
uint32_t text_task_field(const struct text_window *t, struct text_line *l, const char *key);
/* Returns 0 and takes no word if the next word has no ':'. */
uint64_t text_object_if_any(struct text_line *l);
uint64_t text_object_next(struct text_line *l);
void text_add_run(struct record *r, uint32_t tid);
uint64_t text_since_field(struct record *r);
void text_add_record(struct text_window *t, struct text_line *l, uint64_t ns);

#endif
