/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.h - merges the dictionaries of several segments into one window, and reads the checkpoint
 * of a segment. One thread at a time. */
#ifndef CTRACE_TRACE_READ_COLLECT_H
#define CTRACE_TRACE_READ_COLLECT_H

#include "lib/map.h"
#include "lib/vec.h"
#include "lib/arena.h"
#include "trace/format/decode.h"
#include "trace/format/window.h"

struct collect {
	struct arena *arena;
	uint64_t budget;
	VEC(struct window_task) tasks;
	VEC(struct window_cmdline) cmdlines;
	VEC(struct window_object) objects;
	VEC(struct window_stack) stacks;
	struct map task_index;
	struct map cmdline_index;
	struct map object_index;
	struct map stack_index;
	uint64_t blob[8192];
};

/* budget: the most bytes to keep (limits_kept_bytes()). Returns NULL if memory runs out. */
struct collect *collect_new(uint64_t budget);
void collect_free(struct collect *c);
/* Takes the new names from the decoder's segment. Segments come in order. Returns 0, -ENOMEM,
 * -EBADMSG if the segment is damaged, or -E2BIG if the budget is used up. */
int collect_dictionary(struct collect *c, struct decoder *d);
/* Gives the checkpoint of the decoder's segment, sorted by tid. The caller frees *ret_states.
 * Returns 0, or an error of collect_dictionary(). */
int collect_states(struct collect *c, struct decoder *d, struct window_state **ret_states, size_t *ret_n);
/* Moves all entries to w, sorted. Only collect_free() may follow. */
void collect_finish(struct collect *c, struct window *w);

#endif
