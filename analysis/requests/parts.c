// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/requests/idle.h"
#include "analysis/thresholds.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

struct walk {
	const struct parts *p;
	part_list *ret;
	struct idle_reason idle; /* why the request waits, until idle.until_ns */
	unsigned depth;
	int err;
};

static uint64_t ts_of(const struct graph *g, uint32_t event)
{
	return g->w->events[event].r.ts;
}

struct by_begin {
	const struct graph *g;
	const struct requests *r;
};

static int child_cmp(const void *a, const void *b, void *arg)
{
	const struct by_begin *k = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct request *x = &k->r->v[i], *y = &k->r->v[j];
	uint64_t from = request_from_ns(k->g, x), other = request_from_ns(k->g, y);

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (from != other)
		return from < other ? -1 : 1;
	return i < j ? -1 : i > j;
}

static int find_children(struct parts *p)
{
	struct by_begin by = { p->g, p->r };
	size_t n = 0;

	p->first = calloc(p->r->n + 2, sizeof(*p->first));
	p->children = malloc((p->r->n + 1) * sizeof(*p->children));
	if (!p->first || !p->children)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->r->n; i++)
		if (p->r->v[i].parent != GRAPH_NONE) {
			p->children[n++] = i;
			p->first[p->r->v[i].parent + 1]++;
		}
	for (size_t i = 0; i < p->r->n; i++)
		p->first[i + 1] += p->first[i];
	qsort_r(p->children, n, sizeof(*p->children), child_cmp, &by);
	return 0;
}

static int before_cmp(const void *a, const void *b, void *arg)
{
	const struct by_begin *k = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct request *x = &k->r->v[i], *y = &k->r->v[j];
	uint64_t from = request_from_ns(k->g, x), other = request_from_ns(k->g, y);

	if (x->sock != y->sock)
		return x->sock < y->sock ? -1 : 1;
	if (from != other)
		return from < other ? -1 : 1;
	return i < j ? -1 : i > j;
}

static int find_before(struct parts *p)
{
	struct by_begin by = { p->g, p->r };
	uint32_t *v = p->by_sock = malloc((p->r->n + 1) * sizeof(*v));

	p->before = malloc((p->r->n + 1) * sizeof(*p->before));
	if (!p->before || !v)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->r->n; i++)
		v[i] = i;
	qsort_r(v, p->r->n, sizeof(*v), before_cmp, &by);
	for (size_t i = 0; i < p->r->n; i++)
		p->before[v[i]] = i && p->r->v[v[i - 1]].sock == p->r->v[v[i]].sock ? v[i - 1] : GRAPH_NONE;
	return 0;
}

int parts_init(struct parts *p, const struct graph *g, const struct requests *r)
{
	*p = (struct parts){ .g = g, .r = r };
	p->works = calloc(g->n_tasks + 2, sizeof(*p->works));
	if (!p->works)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_works; i++)
		p->works[r->works[i].task + 1]++;
	for (size_t i = 0; i < g->n_tasks; i++)
		p->works[i + 1] += p->works[i];
	return find_children(p) || find_before(p) ? -ENOMEM : 0;
}

void parts_done(struct parts *p)
{
	free(p->children);
	free(p->first);
	free(p->by_sock);
	free(p->before);
	free(p->works);
	VEC_FREE(&p->locks.waits);
	VEC_FREE(&p->locks.releases);
	VEC_FREE(&p->locks.recvs);
	*p = (struct parts){ 0 };
}

static void add(struct walk *k, struct part part)
{
	struct part *last = k->ret->n ? &k->ret->v[k->ret->n - 1] : NULL;

	if (part.from_ns >= part.to_ns)
		return;
	if (last && last->to_ns == part.from_ns && last->kind == part.kind && last->task == part.task &&
	    last->request == part.request && last->behind == part.behind)
		last->to_ns = part.to_ns;
	else if (VEC_PUSH(k->ret, part))
		k->err = -ENOMEM;
}

static const struct request_work *work_at(const struct parts *p, uint32_t task, uint64_t ts_ns)
{
	const struct request_work *w = p->r->works;
	size_t end = p->works[task + 1];
	size_t i = BISECT(k, p->works[task], end, w[k].to_ns > ts_ns);

	return i < end ? &w[i] : NULL;
}

uint32_t parts_request_at(const struct parts *p, uint32_t task, uint64_t ts_ns)
{
	const struct request_work *w = work_at(p, task, ts_ns);

	return w && w->from_ns <= ts_ns ? w->request : GRAPH_NONE;
}

bool parts_is_open(const struct parts *p, uint32_t request, uint64_t ts_ns)
{
	const struct request *q = &p->r->v[request];

	return q->server != GRAPH_NONE && q->got != GRAPH_NONE && ts_of(p->g, q->got) <= ts_ns &&
	       (q->answered == GRAPH_NONE || ts_of(p->g, q->answered) > ts_ns);
}

static bool is_received(const struct parts *p, uint32_t request, uint64_t ts_ns)
{
	const struct request *q = &p->r->v[request];

	return q->got != GRAPH_NONE && ts_of(p->g, q->got) <= ts_ns;
}

uint32_t parts_open_on(const struct parts *p, uint64_t sock, uint64_t ts_ns, size_t looks)
{
	const struct request *v = p->r->v;
	size_t end =
		BISECT(k, 0, p->r->n,
		       v[p->by_sock[k]].sock > sock || (v[p->by_sock[k]].sock == sock &&
							request_from_ns(p->g, &v[p->by_sock[k]]) > ts_ns));
	uint32_t last = end ? p->by_sock[end - 1] : GRAPH_NONE, before;

	if (last == GRAPH_NONE || v[last].sock != sock)
		return GRAPH_NONE;
	/* The client may have sent further requests, which the server has not read yet. */
	for (; last != GRAPH_NONE && looks && !is_received(p, last, ts_ns); looks--)
		last = p->before[last];
	if (last == GRAPH_NONE || !parts_is_open(p, last, ts_ns))
		return GRAPH_NONE;
	before = p->before[last];
	/* Only streams may end in another order than that of their begins. */
	for (; v[last].stream && looks && before != GRAPH_NONE && !parts_is_open(p, before, ts_ns); looks--)
		before = p->before[before];
	if (v[last].stream && !looks)
		return GRAPH_NONE;
	return before == GRAPH_NONE || !parts_is_open(p, before, ts_ns) ? last : GRAPH_NONE;
}

uint32_t parts_only_open(const struct parts *p, uint32_t task, uint64_t ts_ns, size_t looks)
{
	const struct request_work *works = p->r->works, *w = work_at(p, task, ts_ns);
	uint32_t request = parts_request_at(p, task, ts_ns);

	if (request == GRAPH_NONE || p->r->v[request].server != task || !parts_is_open(p, request, ts_ns))
		return GRAPH_NONE;
	for (size_t i = (size_t)(w - works); looks && i > p->works[task]; i--, looks--) {
		uint32_t other = works[i - 1].request;

		if (other != request && p->r->v[other].server == task && parts_is_open(p, other, ts_ns))
			return GRAPH_NONE;
	}
	return request;
}

static bool is_parked(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
	       (idle_wait(&g->intervals[i]) || g->intervals[i].wait == CT_W_FUTEX);
}

static bool is_done(const struct parts *p, const struct request_work *w, uint64_t ts_ns)
{
	uint32_t answered = p->r->v[w->request].answered;

	return answered != GRAPH_NONE && ts_of(p->g, answered) <= ts_ns;
}

/* Returns true if another thread of the process works for no open request, and waits in an event
 * loop or for a futex (is_parked()). Only threads that serve requests count. */
static bool has_free_thread(const struct parts *p, uint32_t task, uint64_t ts_ns)
{
	const struct graph *g = p->g;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);

	for (size_t i = 0; i < MIN(n, (size_t)FREE_THREAD_LOOKS); i++) {
		uint32_t other = r[i].event;
		const struct request_work *w;

		if (other == task || p->works[other] == p->works[other + 1])
			continue;
		w = work_at(p, other, ts_ns);
		if ((!w || w->from_ns > ts_ns || is_done(p, w, ts_ns)) && is_parked(g, other, ts_ns))
			return true;
	}
	return false;
}

/* Adds time in which the task works for the request, or idles. */
static void add_work(struct walk *k, uint32_t request, uint32_t task, uint64_t from, uint64_t to)
{
	const struct graph *g = k->p->g;
	const struct graph_task *t = task == GRAPH_NONE ? NULL : &g->tasks[task];
	uint32_t i = t ? graph_interval_at(g, task, from) : GRAPH_NONE;

	while (from < to) {
		const struct interval *s = t && i != GRAPH_NONE && i < t->first_interval + t->n_intervals
						   ? &g->intervals[i]
						   : NULL;
		struct part part = { .from_ns = from,
				     .to_ns = s ? MIN(s->to_ns, to) : to,
				     .request = request,
				     .task = task,
				     .behind = GRAPH_NONE };

		if (s && s->state == INTERVAL_BLOCKED && from < k->idle.until_ns &&
		    (idle_wait(s) || k->idle.kind == PART_CONNECTION)) {
			part.kind = k->idle.kind;
			part.behind = k->idle.behind;
		} else if (s && idle_for_client(k->p, request, i)) {
			part.kind = has_free_thread(k->p, task, from) ? PART_SHARED : PART_INSIDE;
		}
		add(k, part);
		from = MAX(from, part.to_ns);
		i++;
	}
}

/* Returns true if the task waits for nothing but the answer to a child of `request`. Then it does
 * not take another request, though it polls. */
static bool awaits_child(const struct parts *p, uint32_t task, uint32_t request, const struct interval *s)
{
	uint32_t end = p->first[request + 1];

	if (s->wait != CT_W_POLL || CT_OBJ_KIND(s->obj) != CT_OBJ_SOCK)
		return false;
	for (uint32_t i = p->first[request]; i < end; i++) {
		const struct request *c = &p->r->v[p->children[i]];

		if (request_from_ns(p->g, c) > s->from_ns)
			return false;
		if (c->client == task && (c->sock == s->obj || graph_peer_object(p->g, s->obj) == c->sock) &&
		    (c->answered == GRAPH_NONE || request_to_ns(p->g, c) > s->from_ns))
			return true;
	}
	return false;
}

/* Returns true if a goroutine has received the request before ts_ns: any thread may run this goroutine. */
static bool is_of_strand(const struct parts *p, uint32_t request, uint64_t ts_ns)
{
	uint32_t got = p->r->v[request].got;

	return got != GRAPH_NONE && ct_recv_strand(&p->g->w->events[got].r) && ts_of(p->g, got) <= ts_ns;
}

static void add_foreign(struct walk *k, uint32_t request, uint32_t task, uint32_t behind, uint64_t from,
			uint64_t to)
{
	const struct graph *g = k->p->g;
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from);

	for (; from < to; i++) {
		const struct interval *s =
			i != GRAPH_NONE && i < t->first_interval + t->n_intervals ? &g->intervals[i] : NULL;
		struct part part = { .from_ns = from,
				     .to_ns = s ? MIN(s->to_ns, to) : to,
				     .request = request,
				     .task = task,
				     .behind = behind,
				     .kind = PART_QUEUED };

		if (!s || (idle_wait(s) && !awaits_child(k->p, task, behind, s))) {
			add_work(k, request, task, from, part.to_ns);
		} else if (is_of_strand(k->p, request, from) ||
			   (k->p->r->v[request].server != task && has_free_thread(k->p, task, from))) {
			bool connection = k->idle.kind == PART_CONNECTION && from < k->idle.until_ns;

			part.kind = connection ? PART_CONNECTION : PART_SHARED;
			part.behind = connection ? k->idle.behind : GRAPH_NONE;
			add(k, part);
		} else {
			add(k, part);
		}
		from = MAX(part.to_ns, from);
		if (!s)
			break;
	}
}

static void add_own(struct walk *k, uint32_t request, uint32_t task, uint64_t from, uint64_t to)
{
	while (from < to) {
		const struct request_work *w = task == GRAPH_NONE ? NULL : work_at(k->p, task, from);
		uint64_t until = w ? MIN(w->from_ns > from ? w->from_ns : w->to_ns, to) : to;

		if (w && w->from_ns <= from && w->request != request)
			add_foreign(k, request, task, w->request, from, until);
		else
			add_work(k, request, task, from, until);
		from = until;
	}
}

/* Divides the time between two tasks: the task that received the request, and the task that answers
 * it. The time before the receiver hands the request over belongs to the receiver, and the rest to
 * the answering task. */
static void add_served(struct walk *k, uint32_t request, uint64_t from, uint64_t to)
{
	const struct request *q = &k->p->r->v[request];
	uint32_t answerer = q->answerer == GRAPH_NONE ? q->server : q->answerer;

	while (from < to && q->server != answerer && q->server != GRAPH_NONE) {
		const struct request_work *later = work_at(k->p, answerer, from);
		const struct request_work *w = work_at(k->p, q->server, from);

		if (!w || w->request != request || w->from_ns > from ||
		    (later && later->request == request && later->from_ns <= from))
			break;
		if (later && later->request == request)
			w = w->to_ns < later->from_ns ? w : later;
		add_own(k, request, q->server, from, MIN(w == later ? w->from_ns : w->to_ns, to));
		from = w == later ? w->from_ns : w->to_ns;
	}
	add_own(k, request, answerer, from, to);
}

/* Divides the wait among the owners of the lock. */
static void add_lock(struct walk *k, const struct lock_wait *w, uint64_t from, uint64_t to)
{
	const struct locks *l = &k->p->locks;
	size_t i = lock_release_after(l, w->obj, from);

	for (; from < to; i++) {
		bool known = i < l->releases.n && l->releases.v[i].obj == w->obj;
		struct part part = { .from_ns = from,
				     .to_ns = known ? MIN(l->releases.v[i].ts_ns, to) : to,
				     .request = w->request,
				     .task = k->p->r->v[w->request].server,
				     .behind = known ? (uint32_t)i : GRAPH_NONE,
				     .kind = PART_LOCK };

		add(k, part);
		from = part.to_ns;
	}
}

/* Adds time in which no child request is under way. */
static void add_alone(struct walk *k, uint32_t request, uint64_t from, uint64_t to)
{
	const struct locks *l = &k->p->locks;
	size_t i = lock_wait_after(l, request, from);

	for (; i < l->waits.n && l->waits.v[i].request == request && l->waits.v[i].from_ns < to; i++) {
		const struct lock_wait *w = &l->waits.v[i];
		uint64_t at = MAX(w->from_ns, from), until = MIN(w->to_ns, to);

		if (at >= until)
			continue;
		add_served(k, request, from, at);
		add_lock(k, w, at, until);
		from = until;
	}
	add_served(k, request, from, to);
}

static void add_delivery(struct walk *k, uint32_t request, uint64_t from, uint64_t to)
{
	const struct graph *g = k->p->g;
	uint32_t task = k->p->r->v[request].client;
	const struct graph_task *t = task == GRAPH_NONE ? NULL : &g->tasks[task];
	uint32_t i = t ? graph_interval_at(g, task, from) : GRAPH_NONE;

	while (from < to) {
		const struct interval *s = t && i != GRAPH_NONE && i < t->first_interval + t->n_intervals
						   ? &g->intervals[i++]
						   : NULL;
		struct part part = { .from_ns = from,
				     .to_ns = s ? MIN(s->to_ns, to) : to,
				     .request = request,
				     .task = task,
				     .behind = GRAPH_NONE,
				     .kind = PART_DELIVERY };

		if (s && s->state != INTERVAL_BLOCKED)
			part.kind = PART_WORK;
		add(k, part);
		from = MAX(from, part.to_ns);
	}
}

static void add_request(struct walk *k, uint32_t request, uint64_t from, uint64_t to);

/* Returns true if the task, which runs from `at` to `until`, works for `request`; or if it works for another
 * request although the answer to `child` is there. In the second case, *at becomes the time of the answer. */
static bool runs_for(const struct parts *p, uint32_t request, uint32_t child, uint32_t task, uint64_t *at,
		     uint64_t until)
{
	const struct request_work *w = work_at(p, task, *at);
	uint32_t answered = p->r->v[child].answered;
	uint64_t answered_ns = answered == GRAPH_NONE ? UINT64_MAX : ts_of(p->g, answered);

	if (w && w->from_ns <= *at && w->request == request)
		return true;
	if (answered_ns >= until)
		return false;
	*at = MAX(*at, answered_ns);
	w = work_at(p, task, *at);
	return w && w->from_ns <= *at && w->request != request;
}

static void add_child(struct walk *k, uint32_t request, uint32_t child, uint64_t from, uint64_t to)
{
	const struct graph *g = k->p->g;
	uint32_t task = k->p->r->v[child].client;
	const struct graph_task *t = task == GRAPH_NONE ? NULL : &g->tasks[task];
	uint32_t i = t ? graph_interval_at(g, task, from) : GRAPH_NONE;
	unsigned busy = 0;

	for (; t && i != GRAPH_NONE && i < t->first_interval + t->n_intervals && from < to &&
	       busy < CHILD_LOOKS;
	     i++, busy++) {
		const struct interval *s = &g->intervals[i];
		uint64_t at = MAX(s->from_ns, from), until = MIN(s->to_ns, to);

		if (s->from_ns >= to)
			break;
		if (s->state != INTERVAL_RUNNING || !runs_for(k->p, request, child, task, &at, until))
			continue;
		add_request(k, child, from, at);
		add_own(k, request, task, at, until);
		from = MAX(from, until);
	}
	if (from < to)
		add_request(k, child, from, to);
}

static void add_middle(struct walk *k, uint32_t request, uint64_t from, uint64_t to)
{
	const struct parts *p = k->p;
	uint32_t i = p->first[request], end = p->first[request + 1], best = GRAPH_NONE;
	uint64_t best_ns = 0;

	while (from < to) {
		uint64_t next = to;

		for (; i < end; i++) {
			const struct request *c = &p->r->v[p->children[i]];
			uint64_t begun = request_from_ns(p->g, c);
			uint64_t done = c->answered == GRAPH_NONE ? UINT64_MAX : request_to_ns(p->g, c);

			if (begun > from) {
				next = MIN(begun, to);
				break;
			}
			/* the server answered `request` before this child had an answer */
			if (c->answered == GRAPH_NONE && p->r->v[request].answered != GRAPH_NONE)
				continue;
			if (done > best_ns) {
				best = p->children[i];
				best_ns = done;
			}
		}
		if (best_ns > from && best != GRAPH_NONE) {
			next = MIN(best_ns, to);
			add_child(k, request, best, from, next);
		} else {
			bool asks = i < end && next == request_from_ns(p->g, &p->r->v[p->children[i]]);

			k->idle = idle_reason(p, request, asks ? p->children[i] : GRAPH_NONE, from, next);
			add_alone(k, request, from, next);
			k->idle = (struct idle_reason){ 0 };
		}
		from = next;
	}
}

static void add_request(struct walk *k, uint32_t request, uint64_t from, uint64_t to)
{
	const struct graph *g = k->p->g;
	const struct request *q = &k->p->r->v[request];
	uint64_t got = q->got == GRAPH_NONE ? to : ts_of(g, q->got);
	uint64_t answered = q->answered == GRAPH_NONE ? to : ts_of(g, q->answered);

	if (from >= to || k->err)
		return;
	if (q->got == GRAPH_NONE || k->depth >= REQUEST_MAX_DEPTH) {
		add(k, (struct part){ .from_ns = from,
				      .to_ns = to,
				      .request = request,
				      .task = q->got == GRAPH_NONE ? GRAPH_NONE : q->server,
				      .behind = GRAPH_NONE,
				      .kind = q->got == GRAPH_NONE ? PART_OUTSIDE : PART_WORK });
		return;
	}
	got = MIN(got, to);
	got = MAX(got, from);
	answered = MIN(answered, to);
	answered = MAX(answered, got);
	k->depth++;
	add_own(k, request, q->server, from, got);
	add_middle(k, request, got, answered);
	k->depth--;
	add_delivery(k, request, answered, to);
}

int parts_of(const struct parts *p, uint32_t request, part_list *ret)
{
	struct walk k = { .p = p, .ret = ret };
	const struct request *q = &p->r->v[request];

	add_request(&k, request, request_from_ns(p->g, q), request_to_ns(p->g, q));
	return k.err;
}
