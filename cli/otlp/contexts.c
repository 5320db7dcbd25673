// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/contexts.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "analysis/requests/parts.h"
#include "cli/thresholds.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "trace/words/markname.h"

enum { SOCKET, TRACE_HIGH, TRACE_LOW, PARENT, MARKS };

/* The marks that a task has made of its next context */
struct begun {
	uint32_t request, n;
	uint64_t ids[MARKS];
};

struct reading {
	const struct services *s;
	struct contexts *ret;
	uint64_t names[MARKS]; /* the objects of the marks */
	struct map of;         /* task -> its entry in begun */
	VEC(struct begun) begun;
};

static struct begun *begun_of(struct reading *k, uint32_t task)
{
	uint64_t at;

	if (map_get(&k->of, task, &at))
		return &k->begun.v[at];
	if (VEC_PUSH(&k->begun, (struct begun){ 0 }) || map_set(&k->of, task, k->begun.n - 1))
		return NULL;
	return &k->begun.v[k->begun.n - 1];
}

static uint32_t request_of(const struct services *s, uint32_t task, uint64_t ino, uint64_t ts_ns)
{
	const struct graph_task *tasks = s->g->tasks;
	uint32_t request;

	if (!ino)
		return parts_only_open(&s->parts, task, ts_ns, OTLP_CONTEXT_LOOKS);
	request = parts_open_on(&s->parts, CT_OBJ_ID(CT_OBJ_SOCK, ino), ts_ns);
	return request != GRAPH_NONE && tasks[s->requests.v[request].server].tgid == tasks[task].tgid
		       ? request
		       : GRAPH_NONE;
}

static int set(struct reading *k, const struct begun *b)
{
	struct contexts *c = k->ret;
	struct context new = { .trace = { htobe64(b->ids[TRACE_HIGH]), htobe64(b->ids[TRACE_LOW]) },
			       .parent = htobe64(b->ids[PARENT]) },
		       *old;

	if (!(new.trace[0] | new.trace[1]) || !new.parent)
		return 0;
	if (b->request == GRAPH_NONE) {
		c->n_unused++;
		return 0;
	}
	if (!c->v)
		c->v = calloc(k->s->requests.n, sizeof(*c->v));
	if (!c->v)
		return -ENOMEM;
	old = &c->v[b->request];
	if (!old->parent) {
		*old = new;
	} else if (old->trace[0] != new.trace[0] || old->trace[1] != new.trace[1] ||
		   old->parent != new.parent) {
		c->n_unused += old->differ ? 1 : 2;
		old->differ = true;
	}
	return 0;
}

/* If records were lost, the next mark of the task may be one of its next request. So all four marks have to
 * be of one request. */
static int read_mark(struct reading *k, unsigned which, const struct window_event *e)
{
	uint32_t task = graph_task_at(k->s->g, e->r.tid, e->r.ts);
	uint64_t id = window_words(k->s->g->w, e)[0];
	struct begun *b = task == GRAPH_NONE ? NULL : begun_of(k, task);

	if (!b)
		return task == GRAPH_NONE ? 0 : -ENOMEM;
	if (which == SOCKET)
		*b = (struct begun){ .request = request_of(k->s, task, id, e->r.ts) };
	if (b->n != which || b->request != request_of(k->s, task, b->n ? b->ids[SOCKET] : id, e->r.ts)) {
		b->n = 0;
		return 0;
	}
	b->ids[b->n++] = id;
	if (b->n < MARKS)
		return 0;
	b->n = 0;
	return set(k, b);
}

int contexts_find(const struct services *s, struct contexts *ret)
{
	struct reading k = {
		.s = s,
		.ret = ret,
		.names = { markname_id("traceparent.socket"), markname_id("traceparent.trace-high"),
			   markname_id("traceparent.trace-low"), markname_id("traceparent.parent") }
	};
	const struct window *w = s->g->w;
	int r = 0;

	*ret = (struct contexts){ 0 };
	for (size_t i = 0; i < w->n_events && !r; i++) {
		const struct ct_rec *rec = &w->events[i].r;

		if (rec->kind != CT_MARK || rec->flags || ct_mark_what(rec) != CT_MARK_POINT)
			continue;
		for (unsigned which = 0; which < MARKS && !r; which++)
			if (rec->obj == k.names[which])
				r = read_mark(&k, which, &w->events[i]);
	}
	VEC_FREE(&k.begun);
	map_done(&k.of);
	return r;
}

void contexts_done(struct contexts *c)
{
	free(c->v);
	*c = (struct contexts){ 0 };
}
