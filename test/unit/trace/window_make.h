/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_make.h - windows made by hand. Add events in the order of time. Times are in ms, except
 * for make_event(), which takes ns. make_free() frees the result of make_done(). */
#ifndef CTRACE_TEST_WINDOW_MAKE_H
#define CTRACE_TEST_WINDOW_MAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "test/unit/trace/window_fill.h"

#define MS 1000000ULL

struct make {
	struct window w;
	VEC(struct window_record) events;
	VEC(struct window_task) tasks;
	VEC(struct window_object) objects;
};

static inline struct window_record *make_event(struct make *m, uint64_t ns, uint16_t cpu, enum ct_kind kind,
					       uint32_t tid, uint32_t peer)
{
	struct window_record e = {
		.r = { .ts = ns, .kind = kind, .tid = tid, .peer = peer, .nr = CT_NR_NONE }, .cpu = cpu
	};

	if (VEC_PUSH(&m->events, e))
		abort();
	return &m->events.v[m->events.n - 1];
}

/* Adds a switch: prev begins a wait, and next gets the CPU. CT_W_NONE: prev is preempted.
 * CT_W_YIELD: prev yields. 0 is the idle task. */
static inline struct window_record *make_switch(struct make *m, uint64_t ms, uint16_t cpu, uint32_t prev,
						uint32_t next, enum ct_wait wait, uint64_t obj)
{
	struct window_record *e = make_event(m, ms * MS, cpu, CT_SWITCH, prev, next);

	e->r.wait = wait;
	e->r.obj = obj;
	e->r.state = wait == CT_W_NONE || wait == CT_W_YIELD ? CT_ST_RUNNING : CT_ST_SLEEP;
	return e;
}

static inline struct window_record *make_wake(struct make *m, uint64_t ms, uint16_t cpu, uint32_t tid,
					      uint32_t waker, uint64_t obj)
{
	struct window_record *e = make_event(m, ms * MS, cpu, CT_WAKE, tid, waker);

	e->r.obj = obj;
	return e;
}

static inline void make_task(struct make *m, uint32_t tid, uint32_t tgid, uint32_t ppid, const char *comm)
{
	struct window_task t = { .tid = tid, .tgid = tgid, .ppid = ppid };

	snprintf(t.comm, sizeof(t.comm), "%s", comm);
	if (VEC_PUSH(&m->tasks, t))
		abort();
}

static inline struct window_object *make_object(struct make *m, uint64_t id)
{
	if (VEC_PUSH(&m->objects, (struct window_object){ .id = id, .name = "" }))
		abort();
	return &m->objects.v[m->objects.n - 1];
}

static inline int make_by_tid(const void *a, const void *b)
{
	const struct window_task *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static inline int make_by_id(const void *a, const void *b)
{
	const struct window_object *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static inline const struct window *make_done(struct make *m, uint64_t to_ms)
{
	if (m->tasks.n)
		qsort(m->tasks.v, m->tasks.n, sizeof(*m->tasks.v), make_by_tid);
	if (m->objects.n)
		qsort(m->objects.v, m->objects.n, sizeof(*m->objects.v), make_by_id);
	m->w.to_ns = m->w.file_to_ns = to_ms * MS;
	m->w.n_cpus = 2;
	window_fill(&m->w, m->events.v, m->events.n);
	m->w.tasks = m->tasks.v;
	m->w.n_tasks = m->tasks.n;
	m->w.objects = m->objects.v;
	m->w.n_objects = m->objects.n;
	return &m->w;
}

static inline void make_free(struct make *m)
{
	window_empty(&m->w);
	VEC_FREE(&m->events);
	VEC_FREE(&m->tasks);
	VEC_FREE(&m->objects);
}

#endif
