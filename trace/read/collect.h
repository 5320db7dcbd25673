/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect.h - brings the dictionaries and checkpoints of several segments together for a window. */
#ifndef CTRACE_TRACE_READ_COLLECT_H
#define CTRACE_TRACE_READ_COLLECT_H

#include "lib/map.h"
#include "lib/vec.h"
#include "lib/arena.h"
#include "trace/format/decode.h"
#include "trace/format/window.h"

struct collect {
	struct arena *arena;
	uint64_t budget; /* bytes that may still be kept */
	VEC(struct window_task) tasks;
	VEC(struct window_object) objects;
	VEC(struct window_stack) stacks;
	struct map task_index; /* tid -> its newest entry */
	struct map object_index;
	struct map stack_index;
	uint64_t blob[8192]; /* the one at hand, aligned */
};

/* budget: how many bytes may be kept (limits_kept_bytes()).  NULL: no memory. */
struct collect *collect_new(uint64_t budget);
void collect_free(struct collect *c);
/* Takes what is new in the dictionary of a segment; segments in their order.  0, -EBADMSG, -ENOMEM, -E2BIG.
 */
int collect_dictionary(struct collect *c, struct decoder *d);
/* The checkpoint of a segment, sorted by tid.  0, -EBADMSG, -ENOMEM, -E2BIG. */
int collect_states(struct collect *c, struct decoder *d, struct window_state **ret_states, size_t *ret_n);
/* Hands everything over to w, sorted. */
void collect_finish(struct collect *c, struct window *w);

#endif
