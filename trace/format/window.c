// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/fields.h"
#include "lib/arena.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/memory.h"

struct window_record window_record(const struct window *w, const struct window_event *e)
{
	const uint64_t *x = window_words(w, e);

	return (struct window_record){ .r = e->r, .x = { x[0], x[1] }, .cpu = window_cpu(w, e) };
}

const struct window_task *window_task_span(const struct window *w, uint32_t tid, uint64_t ts_ns,
					   uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const struct window_task *t = w->tasks;
	size_t at = BISECT(i, 0, w->n_tasks, t[i].tid > tid || (t[i].tid == tid && t[i].ts_ns > ts_ns));
	bool before = at > 0 && t[at - 1].tid == tid;

	if (before)
		at--;
	else if (at == w->n_tasks || t[at].tid != tid)
		return NULL;
	*ret_from_ns = at > 0 && t[at - 1].tid == tid ? t[at].ts_ns : 0;
	*ret_to_ns = at + 1 < w->n_tasks && t[at + 1].tid == tid ? t[at + 1].ts_ns : UINT64_MAX;
	return &t[at];
}

const struct window_task *window_task_at(const struct window *w, uint32_t tid, uint64_t ts_ns)
{
	uint64_t from_ns, to_ns;

	return window_task_span(w, tid, ts_ns, &from_ns, &to_ns);
}

static uint64_t window_start_ns(const struct window *w, uint32_t tgid, uint64_t ts_ns)
{
	const struct window_task *t = window_task_at(w, tgid, ts_ns);

	return t ? t->start_ns : 0;
}

const char *window_cmdline_since(const struct window *w, uint32_t tid, uint64_t ts_ns, uint64_t *ret_since_ns)
{
	const struct window_task *t = window_task_at(w, tid, ts_ns);
	const struct window_cmdline *c = w->cmdlines;
	size_t at = t ? BISECT(i, 0, w->n_cmdlines,
			       c[i].tgid > t->tgid || (c[i].tgid == t->tgid && c[i].ts_ns > ts_ns))
		      : 0;

	/* An entry from before the start of this process belongs to an earlier process with this id. */
	bool known = at && c[at - 1].tgid == t->tgid && c[at - 1].ts_ns >= window_start_ns(w, t->tgid, ts_ns);

	*ret_since_ns = known ? c[at - 1].ts_ns : 0;
	return known ? c[at - 1].text : "";
}

const char *window_cmdline(const struct window *w, uint32_t tid, uint64_t ts_ns)
{
	uint64_t since_ns;

	return window_cmdline_since(w, tid, ts_ns, &since_ns);
}

const struct window_object *window_object(const struct window *w, uint64_t id)
{
	size_t at = BISECT(i, 0, w->n_objects, w->objects[i].id >= id);

	return at < w->n_objects && w->objects[at].id == id ? &w->objects[at] : NULL;
}

bool window_object_same_name(const struct window_object *a, const struct window_object *b)
{
	return !strcmp(a->name, b->name);
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

static unsigned changes_of(const struct ct_rec *r)
{
	if (r->kind == CT_SWITCH)
		return (r->tid != 0) + (ct_switch_next(r) != 0);
	return r->kind == CT_WAKE || r->kind == CT_FORK || r->kind == CT_FOUND;
}

int window_index(struct window *w)
{
	size_t blocks = RANK_BLOCKS(w->n_events), n_switches = 0, n_changes = 0;

	w->with_words = malloc(blocks * sizeof(*w->with_words));
	if (!w->with_words)
		return -ENOMEM;
	for (size_t k = 0; k < blocks; k++) {
		size_t n = MIN(w->n_events - k * 64, (size_t)64);
		uint64_t bits = 0;

		for (size_t i = 0; i < n; i++) {
			const struct ct_rec *r = &w->events[k * 64 + i].r;

			bits |= (uint64_t)(CT_KIND_WORDS(r->kind) != 0) << i;
			n_switches += r->kind == CT_SWITCH;
			n_changes += changes_of(r);
		}
		w->with_words[k].bits = bits;
	}
	w->n_switches = n_switches;
	w->n_changes = n_changes;
	w->n_words = rank_count(w->with_words, blocks);
	return 0;
}

static void *shrunk(void *p, size_t bytes)
{
	void *q = realloc(p, bytes);

	return q ? q : p;
}

void window_shrink(struct window *w, size_t n_events)
{
	w->n_events = n_events;
	w->events = shrunk(w->events, (n_events + 1) * sizeof(*w->events));
	w->cpus = shrunk(w->cpus, (n_events + 1) * sizeof(*w->cpus));
	w->with_words = shrunk(w->with_words, RANK_BLOCKS(n_events) * sizeof(*w->with_words));
}

void window_drop_cpus(struct window *w)
{
	free(w->cpus);
	w->cpus = NULL;
}

void window_give_back(struct window *w, size_t from, size_t to)
{
	if (from < to)
		huge_give_back(w->events + from, (to - from) * sizeof(*w->events));
}

void window_free(struct window *w)
{
	if (!w)
		return;
	free(w->events);
	free(w->cpus);
	free(w->words);
	free(w->with_words);
	free(w->tasks);
	free(w->cmdlines);
	free(w->objects);
	free(w->stacks);
	free(w->states);
	for (size_t i = 0; i < w->n_resyncs; i++)
		free(w->resyncs[i].states);
	free(w->resyncs);
	arena_free(w->arena);
	free(w);
}
