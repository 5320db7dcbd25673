// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/window.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/bisect.h"

const struct window_task *window_task_at(const struct window *w, uint32_t tid, uint64_t ts_ns)
{
	const struct window_task *t = w->tasks;
	/* the first entry after (tid, ts_ns) */
	size_t at = BISECT(i, 0, w->n_tasks, t[i].tid > tid || (t[i].tid == tid && t[i].ts_ns > ts_ns));

	if (at > 0 && t[at - 1].tid == tid)
		return &t[at - 1];
	if (at < w->n_tasks && t[at].tid == tid)
		return &t[at];
	return NULL;
}

static int object_cmp(const void *id, const void *object)
{
	uint64_t a = *(const uint64_t *)id, b = ((const struct window_object *)object)->id;

	return a < b ? -1 : a > b;
}

const struct window_object *window_object(const struct window *w, uint64_t id)
{
	return w->n_objects ? bsearch(&id, w->objects, w->n_objects, sizeof(*w->objects), object_cmp) : NULL;
}

static int stack_cmp(const void *id, const void *stack)
{
	uint64_t a = *(const uint64_t *)id, b = ((const struct window_stack *)stack)->id;

	return a < b ? -1 : a > b;
}

const struct window_stack *window_stack(const struct window *w, uint64_t id)
{
	return w->n_stacks ? bsearch(&id, w->stacks, w->n_stacks, sizeof(*w->stacks), stack_cmp) : NULL;
}

size_t window_lower_bound(const struct window *w, uint64_t ts_ns)
{
	return BISECT(i, 0, w->n_events, w->events[i].r.ts >= ts_ns);
}

void window_free(struct window *w)
{
	if (!w)
		return;
	free(w->events);
	free(w->tasks);
	free(w->objects);
	free(w->stacks);
	free(w->states);
	for (size_t i = 0; i < w->n_resyncs; i++)
		free(w->resyncs[i].states);
	free(w->resyncs);
	arena_free(w->arena);
	free(w);
}
