// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/requests/asked.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/bisect.h"
#include "lib/cleanup.h"

/* A request that a task has received. The task has begun and ended it in these records. `task` is from
 * owner_of(). */
struct served {
	uint32_t task, begun, ended; /* ended GRAPH_NONE: not ended */
	uint32_t request;
};
typedef VEC(struct served) served_list;

/* A request that a task has sent. If the server has received a stream together with others, `sent` is the
 * last send that the stream may be in. */
struct asked {
	uint32_t task, sent, read; /* read GRAPH_NONE: the task has not received an answer */
	uint32_t request;
	uint32_t receive; /* of a stream: in pass.receives; else GRAPH_NONE */
	uint64_t end_ns;  /* of the round in which the task has read the answer; 0: there is none */
};

struct idle_cut {
	uint32_t task;
	uint64_t ns;
};

struct asking {
	struct pass *p;
	served_list begun;         /* sorted by (task, begun) */
	served_list ended;         /* the ended ones of them, sorted by (task, ended) */
	VEC(struct asked) asked;   /* sorted by (task, end_ns, sent, request) */
	VEC(struct idle_cut) cuts; /* sorted by (task, ns) */
	/* [owner_of()]: it has received a stream; it has asked another task for one */
	bool *serves, *asks;
	struct map hops; /* tgid -> task: see owner_of() */
};

/* The threads of a process may take turns with the requests of one connection. Then all of them count as one
 * task, which has no rounds. */
static uint32_t owner_of(const struct asking *k, uint32_t task)
{
	uint64_t owner;

	return map_get(&k->hops, k->p->g->tasks[task].tgid, &owner) ? (uint32_t)owner : task;
}

static int find_hops(struct asking *k, const bool *dropped)
{
	_cleanup_(map_done) struct map servers = { 0 };
	uint64_t first;

	for (size_t i = 0; i < k->p->requests.n; i++) {
		const struct request *q = &k->p->requests.v[i];
		uint32_t tgid;

		if (dropped[i] || q->server == GRAPH_NONE)
			continue;
		tgid = k->p->g->tasks[q->server].tgid;
		if (!map_get(&servers, q->sock, &first)) {
			if (map_set(&servers, q->sock, q->server))
				return -ENOMEM;
		} else if (first != q->server && k->p->g->tasks[first].tgid == tgid &&
			   !map_get(&k->hops, tgid, NULL) && map_set(&k->hops, tgid, first)) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int served_cmp(const void *a, const void *b)
{
	const struct served *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->begun != y->begun)
		return x->begun < y->begun ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

static int ended_cmp(const void *a, const void *b)
{
	const struct served *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->ended != y->ended)
		return x->ended < y->ended ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

static int asked_cmp(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	if (x->sent != y->sent)
		return x->sent < y->sent ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

static int cut_cmp(const void *a, const void *b)
{
	const struct idle_cut *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* A receive may have the bytes of k sends, and n streams may begin in it. If k is 1 or n, the send of a
 * stream is certain. Otherwise the streams are spread over the sends in order. */
static void set_sent(struct pass *p, const struct stream *s)
{
	const struct stream_receive *receive = &p->receives.v[s->receive];
	struct request *q = &p->requests.v[s->request];
	uint64_t at = (uint64_t)s->place * receive->n_sends / receive->n_streams;
	const struct ct_rec *r;
	uint32_t client;

	if (!receive->n_sends)
		return;
	q->sent = p->sends.v[receive->first_send + at];
	r = &p->e[q->sent].r;
	client = graph_task_at(p->g, r->tid, r->ts);
	q->client = client == GRAPH_NONE ? q->client : client;
}

static int add_served(struct asking *k, const struct served *x)
{
	if (VEC_PUSH(&k->begun, *x))
		return -ENOMEM;
	return x->ended != GRAPH_NONE && VEC_PUSH(&k->ended, *x) ? -ENOMEM : 0;
}

static int add_stream(struct asking *k, const struct stream *s)
{
	const struct pass *p = k->p;
	const struct stream_receive *receive = &p->receives.v[s->receive];
	const struct request *q = &p->requests.v[s->request];
	uint32_t client = q->client == GRAPH_NONE ? GRAPH_NONE : owner_of(k, q->client);
	struct served served = {
		.task = owner_of(k, q->server), .begun = s->begun, .ended = s->ended, .request = s->request
	};

	k->serves[served.task] = true;
	if (add_served(k, &served))
		return -ENOMEM;
	if (client == GRAPH_NONE || !receive->n_sends)
		return 0;
	k->asks[client] = true;
	return VEC_PUSH(&k->asked,
			(struct asked){ .task = client,
					.sent = p->sends.v[receive->first_send + receive->n_sends - 1],
					.read = q->read,
					.request = s->request,
					.receive = s->receive });
}

static int add_streams(struct asking *k)
{
	const struct pass *p = k->p;
	int r = 0;

	for (size_t i = 0; i < p->streams.n && !r; i++) {
		set_sent(k->p, &p->streams.v[i]);
		r = p->streams.v[i].gone ? 0 : add_stream(k, &p->streams.v[i]);
	}
	return r;
}

static int add_request(struct asking *k, uint32_t request)
{
	const struct request *q = &k->p->requests.v[request];
	uint32_t server = q->server == GRAPH_NONE ? GRAPH_NONE : owner_of(k, q->server);
	uint32_t client = q->client == GRAPH_NONE ? GRAPH_NONE : owner_of(k, q->client);
	int r = 0;

	if (server != GRAPH_NONE && (k->serves[server] || k->asks[server]))
		r = add_served(k, &(struct served){ server, q->got, q->answered, request });
	if (r || client == GRAPH_NONE || q->sent == GRAPH_NONE || !k->serves[client])
		return r;
	return VEC_PUSH(&k->asked, (struct asked){ .task = client,
						   .sent = q->sent,
						   .read = q->read,
						   .request = request,
						   .receive = GRAPH_NONE });
}

static int add_cuts(struct asking *k)
{
	const struct pass *p = k->p;

	for (size_t i = 0; i < p->segments.n; i++) {
		const struct open_segment *s = &p->segments.v[i];

		if (s->cut == CUT_IDLE && !s->gone && (k->serves[s->task] || k->asks[s->task]) &&
		    VEC_PUSH(&k->cuts, (struct idle_cut){ s->task, s->from_ns }))
			return -ENOMEM;
	}
	VEC_SORT(&k->cuts, cut_cmp);
	return 0;
}

/* Returns when the task ends its next wait for any event after ts_ns. */
static uint64_t round_end_ns(const struct asking *k, uint32_t task, uint64_t ts_ns)
{
	size_t i = BISECT(n, 0, k->cuts.n,
			  k->cuts.v[n].task > task || (k->cuts.v[n].task == task && k->cuts.v[n].ns > ts_ns));

	return i < k->cuts.n && k->cuts.v[i].task == task ? k->cuts.v[i].ns : UINT64_MAX;
}

/* The first of k->begun that the task has begun at the record `event` or later. */
static size_t begun_from(const struct asking *k, uint32_t task, uint32_t event)
{
	return BISECT(n, 0, k->begun.n,
		      k->begun.v[n].task > task ||
			      (k->begun.v[n].task == task && k->begun.v[n].begun >= event));
}

/* The first of k->ended that the task has ended at the record `event` or later. */
static size_t ended_from(const struct asking *k, uint32_t task, uint32_t event)
{
	return BISECT(n, 0, k->ended.n,
		      k->ended.v[n].task > task ||
			      (k->ended.v[n].task == task && k->ended.v[n].ended >= event));
}

/* Returns how many requests the task has begun and not ended when it asks. */
static size_t open_at(const struct asking *k, const struct asked *a)
{
	size_t begun = begun_from(k, a->task, a->sent) - begun_from(k, a->task, 0);
	size_t ended = ended_from(k, a->task, a->sent) - ended_from(k, a->task, 0);

	return begun - MIN(ended, begun);
}

static bool is_same_service(const struct pass *p, uint32_t a, uint32_t b)
{
	const struct window_object *x = graph_object(p->g, p->requests.v[a].sock);
	const struct window_object *y = graph_object(p->g, p->requests.v[b].sock);

	return p->requests.v[a].sock == p->requests.v[b].sock ||
	       (x && y && x->family == y->family && x->lport && x->lport == y->lport);
}

/* Looks at the last MATCH_LOOKS requests that the task has begun, and not ended when it asks. Returns the
 * last one, or NULL. *ret_alike: all of them are of one service. */
static const struct served *last_open(const struct asking *k, const struct asked *a, bool *ret_alike)
{
	size_t first = begun_from(k, a->task, 0), i = begun_from(k, a->task, a->sent), looks = 0;
	const struct served *last = NULL;

	*ret_alike = true;
	for (; i > first && looks < MATCH_LOOKS; i--, looks++) {
		const struct served *s = &k->begun.v[i - 1];

		if (s->ended != GRAPH_NONE && s->ended < a->sent)
			continue;
		if (!last)
			last = s;
		*ret_alike = *ret_alike && is_same_service(k->p, last->request, s->request);
	}
	return last;
}

/* A task asks for the sake of a request after the begin of this request. So a stream does not begin with an
 * earlier send. */
static void found(struct asking *k, const struct asked *a, const struct served *parent)
{
	struct pass *p = k->p;
	struct request *q = &p->requests.v[a->request];
	const struct stream_receive *receive = a->receive == GRAPH_NONE ? NULL : &p->receives.v[a->receive];

	q->parent = parent->request;
	for (uint32_t i = 0; receive && q->sent < parent->begun && i < receive->n_sends; i++)
		if (p->sends.v[receive->first_send + i] > parent->begun)
			q->sent = p->sends.v[receive->first_send + i];
}

/* Appends the requests that the task ends from the record `event` on, and before end_ns. */
static int find_ended(const struct asking *k, uint32_t task, uint32_t event, uint64_t end_ns,
		      served_list *ret)
{
	ret->n = 0;
	for (size_t i = ended_from(k, task, event);
	     i < k->ended.n && k->ended.v[i].task == task && k->p->e[k->ended.v[i].ended].r.ts < end_ns; i++)
		if (VEC_PUSH(ret, k->ended.v[i]))
			return -ENOMEM;
	VEC_SORT(ret, served_cmp);
	return 0;
}

/* The task has read the answers of k->asked.v[lo .. hi) in one round, and has ended as many requests there.
 * Those that were asked at once belong to the requests that had begun by then, in this order. Stops if more
 * requests had begun. */
static void match_round(struct asking *k, size_t lo, size_t hi, const served_list *ended)
{
	const struct asked *v = k->asked.v;

	for (size_t i = lo, n = 0, end; i < hi; i = end) {
		size_t begun = n;

		for (end = i; end < hi && v[end].sent == v[i].sent; end++)
			;
		while (begun < ended->n && ended->v[begun].begun < v[i].sent)
			begun++;
		if (begun - n != end - i)
			return;
		for (size_t m = i; m < end; m++)
			if (ended->v[n + m - i].ended < v[m].read)
				return;
		for (size_t m = i; m < end; m++, n++)
			found(k, &v[m], &ended->v[n]);
	}
}

static int match_rounds(struct asking *k)
{
	const struct asked *v = k->asked.v;
	served_list ended = { 0 };
	int r = 0;

	for (size_t lo = 0, hi; lo < k->asked.n && !r; lo = hi) {
		uint32_t first = v[lo].read;

		for (hi = lo; hi < k->asked.n && v[hi].task == v[lo].task && v[hi].end_ns == v[lo].end_ns;
		     hi++)
			first = MIN(first, v[hi].read);
		if (!v[lo].end_ns)
			continue;
		r = find_ended(k, v[lo].task, first, v[lo].end_ns, &ended);
		if (!r && ended.n == hi - lo)
			match_round(k, lo, hi, &ended);
	}
	VEC_FREE(&ended);
	return r;
}

static void set_parent(struct asking *k, const struct asked *a)
{
	struct request *q = &k->p->requests.v[a->request];
	size_t n = open_at(k, a);
	bool alike = false;
	const struct served *last = n ? last_open(k, a, &alike) : NULL;

	if (n == 1 && last)
		found(k, a, last);
	q->unsure = n && q->parent == GRAPH_NONE;
	q->among = q->unsure && alike && last ? last->request : GRAPH_NONE;
}

/* After the task has read the answer, it works for the parent. */
static int add_work(const struct asking *k, const struct asked *a, work_list *works)
{
	const struct pass *p = k->p;
	uint32_t parent = p->requests.v[a->request].parent;
	uint64_t from_ns;

	if (parent == GRAPH_NONE || !a->end_ns || !k->serves[a->task])
		return 0;
	from_ns = p->e[a->read].r.ts;
	return VEC_PUSH(works,
			(struct request_work){
				.from_ns = from_ns, .to_ns = a->end_ns, .task = a->task, .request = parent });
}

static int set_parents(struct asking *k, work_list *works)
{
	int r;

	for (size_t i = 0; i < k->asked.n; i++)
		k->p->requests.v[k->asked.v[i].request].parent = GRAPH_NONE;
	r = match_rounds(k);
	for (size_t i = 0; i < k->asked.n && !r; i++) {
		set_parent(k, &k->asked.v[i]);
		r = add_work(k, &k->asked.v[i], works);
	}
	return r;
}

/* Sets asked.end_ns of all. */
static void find_rounds(struct asking *k)
{
	for (size_t i = 0; i < k->asked.n; i++) {
		struct asked *a = &k->asked.v[i];

		if (a->read != GRAPH_NONE && !map_get(&k->hops, k->p->g->tasks[a->task].tgid, NULL))
			a->end_ns = round_end_ns(k, a->task, k->p->e[a->read].r.ts);
	}
}

static int find(struct asking *k, const bool *dropped, work_list *works)
{
	int r = find_hops(k, dropped);

	if (!r)
		r = add_streams(k);
	for (uint32_t i = 0; i < k->p->requests.n && !r; i++)
		r = dropped[i] || k->p->requests.v[i].stream ? 0 : add_request(k, i);
	if (!r)
		r = add_cuts(k);
	if (r)
		return r;
	find_rounds(k);
	VEC_SORT(&k->begun, served_cmp);
	VEC_SORT(&k->ended, ended_cmp);
	VEC_SORT(&k->asked, asked_cmp);
	return set_parents(k, works);
}

int asked_find(struct pass *p, const bool *dropped, work_list *works)
{
	struct asking k = { .p = p,
			    .serves = calloc(p->g->n_tasks + 1, sizeof(bool)),
			    .asks = calloc(p->g->n_tasks + 1, sizeof(bool)) };
	int r = k.serves && k.asks ? find(&k, dropped, works) : -ENOMEM;

	VEC_FREE(&k.begun);
	VEC_FREE(&k.ended);
	VEC_FREE(&k.asked);
	VEC_FREE(&k.cuts);
	map_done(&k.hops);
	free(k.serves);
	free(k.asks);
	return r;
}
