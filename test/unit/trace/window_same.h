/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CTRACE_TEST_WINDOW_SAME_H
#define CTRACE_TEST_WINDOW_SAME_H

#include <string.h>

#include "trace/format/window.h"

static inline bool window_same_bytes(const void *a, size_t n_a, const void *b, size_t n_b, size_t size)
{
	return n_a == n_b && (!n_a || !memcmp(a, b, n_a * size));
}

static inline bool window_same_events(const struct window *a, const struct window *b)
{
	for (size_t i = 0; i < a->n_events && i < b->n_events; i++) {
		struct window_record x = window_record(a, &a->events[i]), y = window_record(b, &b->events[i]);

		if (memcmp(&x, &y, sizeof(x)))
			return false;
	}
	return a->n_events == b->n_events;
}

static inline bool window_same_objects(const struct window *a, const struct window *b)
{
	for (size_t i = 0; i < a->n_objects && i < b->n_objects; i++) {
		const struct window_object *x = &a->objects[i], *y = &b->objects[i];

		if (x->id != y->id || x->ts_ns != y->ts_ns || x->peer != y->peer || strcmp(x->name, y->name))
			return false;
	}
	return a->n_objects == b->n_objects;
}

static inline bool window_same_stacks(const struct window *a, const struct window *b)
{
	for (size_t i = 0; i < a->n_stacks && i < b->n_stacks; i++) {
		const struct window_stack *x = &a->stacks[i], *y = &b->stacks[i];

		if (x->id != y->id || x->n_frames != y->n_frames)
			return false;
		for (unsigned k = 0; k < x->n_frames; k++)
			if (strcmp(x->frames[k], y->frames[k]))
				return false;
	}
	return a->n_stacks == b->n_stacks;
}

static inline bool window_same_resyncs(const struct window *a, const struct window *b)
{
	for (size_t i = 0; i < a->n_resyncs && i < b->n_resyncs; i++) {
		const struct window_resync *x = &a->resyncs[i], *y = &b->resyncs[i];

		if (x->from_ns != y->from_ns || x->ns != y->ns ||
		    !window_same_bytes(x->states, x->n_states, y->states, y->n_states, sizeof(*x->states)))
			return false;
	}
	return a->n_resyncs == b->n_resyncs;
}

static inline bool window_same(const struct window *a, const struct window *b)
{
	return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->state_ns == b->state_ns &&
	       a->file_from_ns == b->file_from_ns && a->file_to_ns == b->file_to_ns &&
	       a->offsets.boot_to_mono_ns == b->offsets.boot_to_mono_ns &&
	       a->offsets.boot_to_real_ns == b->offsets.boot_to_real_ns && a->n_cpus == b->n_cpus &&
	       a->lost_records == b->lost_records && a->skipped_slots == b->skipped_slots &&
	       window_same_events(a, b) &&
	       window_same_bytes(a->tasks, a->n_tasks, b->tasks, b->n_tasks, sizeof(*a->tasks)) &&
	       window_same_bytes(a->states, a->n_states, b->states, b->n_states, sizeof(*a->states)) &&
	       window_same_objects(a, b) && window_same_stacks(a, b) && window_same_resyncs(a, b);
}

#endif
