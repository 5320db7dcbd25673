// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/locks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/map.h"
#include "trace/words/frame.h"

/* The waits for one lock that have not ended, as a list: the first one ends first. */
struct queue {
	uint32_t first, last;
	uint32_t ended; /* the wait that ended last, if its goroutine has done nothing since; or GRAPH_NONE */
	uint64_t released_ns; /* the last release; 0: none */
	/* So many releases found no waiter, the last one at spare_ns. Their waiters may be about to wait, and
	 * then do not wait. */
	uint32_t spare;
	uint64_t spare_ns;
	uint32_t since; /* finding.since */
};

struct lock_stack {
	uint64_t obj, ts_ns, stack;
};

struct finding {
	const struct parts *p;
	struct locks *ret;
	struct map queue_of; /* lock -> index in queues */
	VEC(struct queue) queues;
	struct map open; /* strand -> index in waits of its wait that has not ended */
	uint32_t since;  /* earlier waits were forgotten after a gap */
	VEC(struct lock_stack) stacks;
};

static uint64_t strand_key(const struct graph *g, uint32_t task, uint64_t strand)
{
	return hash_add(hash_add(HASH_START, g->tasks[task].tgid), strand);
}

static struct queue *queue_of(struct finding *k, uint64_t obj)
{
	struct queue empty = {
		.first = GRAPH_NONE, .last = GRAPH_NONE, .ended = GRAPH_NONE, .since = k->since
	};
	uint64_t at;

	if (map_get(&k->queue_of, obj, &at)) {
		if (k->queues.v[at].since != k->since)
			k->queues.v[at] = empty;
		return &k->queues.v[at];
	}
	if (VEC_PUSH(&k->queues, empty) || map_set(&k->queue_of, obj, k->queues.n - 1))
		return NULL;
	return &k->queues.v[k->queues.n - 1];
}

/* Returns the wait of the goroutine that has not ended, as far as is known, or GRAPH_NONE. */
static uint32_t open_wait(const struct finding *k, uint64_t strand)
{
	uint64_t at;

	return map_get(&k->open, strand, &at) && at >= k->since ? (uint32_t)at : GRAPH_NONE;
}

static int enqueue(struct finding *k, struct queue *q, uint32_t at)
{
	struct lock_wait *v = k->ret->waits.v;
	bool first = v[at].again || q->first == GRAPH_NONE;

	v[at].next = first ? q->first : GRAPH_NONE;
	if (!first)
		v[q->last].next = at;
	if (v[at].next == GRAPH_NONE)
		q->last = at;
	if (first)
		q->first = at;
	return map_set(&k->open, v[at].strand, at);
}

/*
 * The goroutine of a wait that has not ended does something. So the wait has ended: when the lock was
 * released last, the goroutine came, and got the lock before the goroutine that was woken. The other one then
 * waits again, inside of the same call.
 */
static int overtake(struct finding *k, struct queue *q, uint32_t wait)
{
	struct lock_wait *v = k->ret->waits.v;
	uint32_t other = q->ended;

	map_del(&k->open, v[wait].strand);
	if (q->released_ns > v[wait].from_ns)
		v[wait].to_ns = q->released_ns;
	q->ended = GRAPH_NONE;
	if (other == GRAPH_NONE || open_wait(k, v[other].strand) != GRAPH_NONE)
		return 0;
	v[other].to_ns = 0;
	return enqueue(k, q, other);
}

/* Call this for each record of a goroutine at the lock. */
static int acts(struct finding *k, struct queue *q, uint64_t strand, uint64_t obj)
{
	uint32_t wait = open_wait(k, strand);

	if (q->ended != GRAPH_NONE && k->ret->waits.v[q->ended].strand == strand)
		q->ended = GRAPH_NONE;
	if (wait == GRAPH_NONE)
		return 0;
	if (k->ret->waits.v[wait].obj == obj)
		return overtake(k, q, wait);
	map_del(&k->open, strand); /* its end has no record */
	return 0;
}

static int begin_wait(struct finding *k, struct lock_wait w)
{
	struct queue *q = queue_of(k, w.obj);
	uint32_t before = open_wait(k, w.strand);

	if (!q)
		return -ENOMEM;
	if (!w.again && before != GRAPH_NONE && k->ret->waits.v[before].obj == w.obj &&
	    w.from_ns - k->ret->waits.v[before].from_ns <= LOCK_RACE_NS)
		return 0; /* when a stack grows, Go begins the function anew */
	if (acts(k, q, w.strand, w.obj))
		return -ENOMEM;
	if (w.from_ns - q->spare_ns > LOCK_RACE_NS)
		q->spare = 0;
	if (q->spare) {
		q->spare--;
		return 0;
	}
	return VEC_PUSH(&k->ret->waits, w) ? -ENOMEM : enqueue(k, q, (uint32_t)k->ret->waits.n - 1);
}

static int end_wait(struct finding *k, struct lock_release r)
{
	struct queue *q = queue_of(k, r.obj);

	if (!q || VEC_PUSH(&k->ret->releases, r) || acts(k, q, r.strand, r.obj))
		return -ENOMEM;
	q->released_ns = r.ts_ns;
	while (q->first != GRAPH_NONE) {
		struct lock_wait *w = &k->ret->waits.v[q->first];
		bool open = open_wait(k, w->strand) == q->first;

		if (open)
			q->ended = q->first;
		q->first = w->next;
		if (!open)
			continue;
		w->to_ns = r.ts_ns;
		map_del(&k->open, w->strand);
		return 0;
	}
	q->spare = r.ts_ns - q->spare_ns > LOCK_RACE_NS ? 1 : q->spare + 1;
	q->spare_ns = r.ts_ns;
	return 0;
}

static int read_lock(struct finding *k, uint32_t event)
{
	const struct graph *g = k->p->g;
	const struct window_event *e = &g->w->events[event];
	uint32_t task = graph_task_at(g, e->r.tid, e->r.ts);
	uint64_t strand;

	if (task == GRAPH_NONE || ct_lock_what(&e->r) > CT_LOCK_RELEASE)
		return 0;
	strand = strand_key(g, task, window_words(g->w, e)[0]);
	if (ct_lock_what(&e->r) == CT_LOCK_RELEASE)
		return end_wait(
			k, (struct lock_release){
				   .obj = e->r.obj, .ts_ns = e->r.ts, .strand = strand, .event = event });
	return begin_wait(k, (struct lock_wait){ .from_ns = e->r.ts,
						 .obj = e->r.obj,
						 .strand = strand,
						 .event = event,
						 .request = GRAPH_NONE,
						 .again = ct_lock_what(&e->r) == CT_LOCK_AGAIN });
}

static int read_record(struct finding *k, uint32_t event)
{
	const struct window *w = k->p->g->w;
	const struct window_event *e = &w->events[event];

	if (e->r.kind == CT_LOCK)
		return read_lock(k, event);
	if (e->r.kind == CT_JOB_STACK)
		return VEC_PUSH(&k->stacks, (struct lock_stack){ e->r.obj, e->r.ts, window_words(w, e)[1] });
	/* After a gap, it is not known who waits. */
	if (e->r.kind == CT_GAP)
		k->since = (uint32_t)k->ret->waits.n;
	return 0;
}

static int recv_cmp(const void *a, const void *b)
{
	const struct strand_recv *x = a, *y = b;

	if (x->strand != y->strand)
		return x->strand < y->strand ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static int find_recvs(const struct graph *g, struct locks *l)
{
	for (uint32_t i = 0; i < g->w->n_events; i++) {
		const struct ct_rec *r = &g->w->events[i].r;
		uint64_t strand = r->kind == CT_RECV ? ct_recv_strand(r) : 0;
		uint32_t task = strand ? graph_task_at(g, r->tid, r->ts) : GRAPH_NONE;

		if (task != GRAPH_NONE &&
		    VEC_PUSH(&l->recvs, (struct strand_recv){ strand_key(g, task, strand), i }))
			return -ENOMEM;
	}
	VEC_SORT(&l->recvs, recv_cmp);
	return 0;
}

/* Returns the request for which the goroutine works at the event, or GRAPH_NONE. Between the receive of the
 * request and the event, the goroutine may have received answers of other services. */
static uint32_t request_of(const struct parts *p, uint64_t strand, uint32_t event)
{
	const struct strand_recv *v = p->locks.recvs.v;
	const struct window_event *events = p->g->w->events;
	size_t i = BISECT(n, 0, p->locks.recvs.n,
			  v[n].strand > strand || (v[n].strand == strand && v[n].event > event));

	for (unsigned looks = 0; looks < STRAND_LOOKS && i && v[i - 1].strand == strand && scan_step(p->g);
	     looks++, i--) {
		uint32_t request =
			parts_open_on(p, events[v[i - 1].event].r.obj, events[event].r.ts, STRAND_LOOKS);
		uint32_t got = request == GRAPH_NONE ? GRAPH_NONE : p->r->v[request].got;

		if (got != GRAPH_NONE && got <= v[i - 1].event)
			return request;
	}
	return GRAPH_NONE;
}

static int wait_cmp(const void *a, const void *b)
{
	const struct lock_wait *x = a, *y = b;

	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Keeps the waits that have ended, of known requests. A goroutine cannot wait while its request is answered,
 * so the end of such a wait is wrong. */
static void keep_known(struct finding *k)
{
	const struct parts *p = k->p;
	struct locks *l = k->ret;
	size_t kept = 0;

	for (size_t i = 0; i < l->waits.n; i++) {
		struct lock_wait w = l->waits.v[i];
		uint32_t answered;

		w.request = w.to_ns ? request_of(p, w.strand, w.event) : GRAPH_NONE;
		answered = w.request == GRAPH_NONE ? GRAPH_NONE : p->r->v[w.request].answered;
		if (answered != GRAPH_NONE && p->g->w->events[answered].r.ts >= w.to_ns)
			l->waits.v[kept++] = w;
	}
	l->waits.n = kept;
	VEC_SORT(&l->waits, wait_cmp);
}

static int release_cmp(const void *a, const void *b)
{
	const struct lock_release *x = a, *y = b;

	if (x->obj != y->obj)
		return x->obj < y->obj ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Returns the innermost frame that is not of the runtime of Go or its locks, or NULL. */
static const char *caller_of(const struct graph *g, uint64_t stack)
{
	const struct window_stack *s = window_stack(g->w, stack);

	for (uint16_t i = 0; s && i < s->n_frames; i++)
		if (!frame_is_go_runtime(s->frames[i]))
			return frame_is_address(s->frames[i]) || frame_is_rest(s->frames[i]) ? NULL
											     : s->frames[i];
	return NULL;
}

static uint64_t holding_key(const struct lock_release *r)
{
	return hash_add(hash_add(HASH_START, r->obj), r->strand);
}

/* Gives each release its stack. If all stacks of a goroutine at a lock have one caller, its releases of this
 * lock without a stack get one of these stacks. */
static int give_stacks(struct finding *k)
{
	struct locks *l = k->ret;
	const struct graph *g = k->p->g;
	_cleanup_(map_done) struct map all = { 0 }; /* goroutine and lock -> a stack; 0: callers differ */
	uint64_t stack;

	for (size_t i = 0; i < k->stacks.n; i++) {
		const struct lock_stack *s = &k->stacks.v[i];
		size_t at = s->ts_ns ? lock_release_after(l, s->obj, s->ts_ns - 1) : l->releases.n;
		struct lock_release *r = at < l->releases.n ? &l->releases.v[at] : NULL;
		const char *caller = caller_of(g, s->stack), *other;

		if (!r || r->obj != s->obj || r->ts_ns != s->ts_ns || !caller)
			continue;
		r->stack = s->stack;
		if (map_get(&all, holding_key(r), &stack)) {
			other = stack ? caller_of(g, stack) : NULL;
			stack = other && frame_is_same_function(caller, other) ? stack : 0;
		} else {
			stack = s->stack;
		}
		if (map_set(&all, holding_key(r), stack))
			return -ENOMEM;
	}
	for (size_t i = 0; i < l->releases.n; i++)
		if (!l->releases.v[i].stack && map_get(&all, holding_key(&l->releases.v[i]), &stack))
			l->releases.v[i].stack = stack;
	return 0;
}

int locks_find(struct parts *p)
{
	struct locks *ret = &p->locks;
	struct finding k = { .p = p, .ret = ret };
	const struct window *w = p->g->w;
	int r = 0;

	for (size_t i = window_next_words(w, 0); i < w->n_events && !r; i = window_next_words(w, i + 1))
		r = read_record(&k, (uint32_t)i);
	if (!r && ret->waits.n)
		r = find_recvs(p->g, ret);
	if (!r) {
		keep_known(&k);
		VEC_SORT(&ret->releases, release_cmp);
		r = give_stacks(&k);
	}
	map_done(&k.queue_of);
	map_done(&k.open);
	VEC_FREE(&k.queues);
	VEC_FREE(&k.stacks);
	return r ? -ENOMEM : 0;
}

uint32_t locks_owner(const struct parts *p, const struct lock_release *r)
{
	return request_of(p, r->strand, r->event);
}

void locks_function(const struct graph *g, const struct lock_release *r, char ret[LOCKS_FUNCTION_MAX])
{
	const char *caller = r->stack ? caller_of(g, r->stack) : NULL;

	*ret = '\0';
	if (caller)
		snprintf(ret, LOCKS_FUNCTION_MAX, "%.*s", (int)MIN(frame_function_len(caller), (size_t)120),
			 caller);
}
