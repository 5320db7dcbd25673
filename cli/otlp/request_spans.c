// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/request_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/otlp/spent.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

enum { REQUEST_ATTRS = 14 + SPENT_ATTRS };

struct side {
	enum span_kind kind;
	uint32_t task;
	uint64_t from_ns, to_ns;
	struct span_ids ids;
};

/* One request, while its spans are made. */
struct making {
	struct batch *b;
	const struct services *s;
	const struct contexts *c;
	const struct request *q;
	uint32_t i;
	bool answered;
	spent_list spent;
	const struct crash *crash; /* of the server, while it worked for q; NULL: none */
};

static bool is_of(const struct export *x, uint32_t task)
{
	return task != GRAPH_NONE && x->tasks[task];
}

bool request_spans_has(const struct export *x, const struct services *s, uint32_t request)
{
	const struct request *q = &s->requests.v[request];

	return services_counts(s, request) && (is_of(x, q->client) || is_of(x, q->server)) &&
	       (q->client != GRAPH_NONE || q->server != GRAPH_NONE);
}

static uint64_t hash_request(const struct batch *b, const struct services *s, uint32_t request, uint64_t of)
{
	const struct request *q = &s->requests.v[request];

	return batch_hash(b, (uint64_t[]){ of, q->sock, request_from_ns(s->g, q) }, 3);
}

/* Returns the first request of the trace of OTLP to which the request belongs: the first one with a context
 * among the request itself, its parent, the parent of the parent, and so on. If none of them has a context,
 * the last one. Goes up at most OTLP_PARENTS requests. */
static uint32_t root_of(const struct services *s, const struct contexts *c, uint32_t request)
{
	for (int i = 0; i < OTLP_PARENTS && !contexts_of(c, request); i++) {
		if (s->requests.v[request].parent == GRAPH_NONE)
			break;
		request = s->requests.v[request].parent;
	}
	return request;
}

static struct span_ids ids_of(const struct batch *b, const struct services *s, const struct contexts *c,
			      uint32_t request, enum span_kind kind)
{
	uint32_t root = root_of(s, c, request);
	const struct context *of_root = contexts_of(c, root);
	uint64_t trace[2] = { hash_request(b, s, root, 'T'), hash_request(b, s, root, 't') };
	uint64_t span = hash_request(b, s, request, kind);
	struct span_ids ids;

	_Static_assert(sizeof(of_root->trace) == TRACE_ID_LEN && sizeof(of_root->parent) == SPAN_ID_LEN,
		       "ids");
	memcpy(ids.trace, of_root ? of_root->trace : trace, sizeof(ids.trace));
	memcpy(ids.span, &span, sizeof(ids.span));
	return ids;
}

struct span_ids request_spans_ids(const struct batch *b, const struct services *s, const struct contexts *c,
				  uint32_t request)
{
	return ids_of(b, s, c, request,
		      s->requests.v[request].server == GRAPH_NONE ? SPAN_CLIENT : SPAN_SERVER);
}

static bool parent_has_span(const struct making *m)
{
	return m->q->parent != GRAPH_NONE && request_spans_has(m->b->x, m->s, m->q->parent);
}

/* The parent of the outermost span of the request. If the request has a context, this is the span of the
 * program that sent the context. Then a link leads to the span of the parent request.
 *
 * In a tree deeper than OTLP_PARENTS, root_of() may differ for a request and its parent: then the two are in
 * different traces, and the request has no parent span. */
static void put_outer_parent(struct making *m, Ot__Span *span)
{
	const struct context *context = contexts_of(m->c, m->i);
	struct span_ids parent;

	if (parent_has_span(m))
		parent = request_spans_ids(m->b, m->s, m->c, m->q->parent);
	if (context) {
		span->has_parent_span_id = true;
		batch_set_bytes(m->b, &span->parent_span_id, (const uint8_t *)&context->parent, SPAN_ID_LEN);
		if (parent_has_span(m))
			batch_link(m->b, span, &parent, "is part of this request");
	} else if (parent_has_span(m) && root_of(m->s, m->c, m->q->parent) == root_of(m->s, m->c, m->i)) {
		span->has_parent_span_id = true;
		batch_set_bytes(m->b, &span->parent_span_id, parent.span, SPAN_ID_LEN);
	}
}

static void put_parent(struct making *m, Ot__Span *span, const struct side *side)
{
	struct span_ids client;

	if (side->kind != SPAN_SERVER || m->q->client == GRAPH_NONE) {
		put_outer_parent(m, span);
		return;
	}
	client = ids_of(m->b, m->s, m->c, m->i, SPAN_CLIENT);
	span->has_parent_span_id = true;
	batch_set_bytes(m->b, &span->parent_span_id, client.span, SPAN_ID_LEN);
}

static void put_attributes(struct making *m, Ot__Span *span, const struct side *side)
{
	const struct graph *g = m->s->g;
	const struct service *service = &m->s->v[m->s->of[m->i]];
	struct attrs a = attrs_new(m->b, REQUEST_ATTRS);
	char connection[DESCRIBE_MAX] = "";

	describe_object(g->w, m->q->sock, connection, sizeof(connection));
	attrs_number(&a, "ctrace.request.id", m->i);
	attrs_text(&a, "ctrace.service", service->name);
	attrs_text(&a, "ctrace.address", service->address);
	attrs_text(&a, "ctrace.connection", connection);
	if (side->kind == SPAN_CLIENT && m->q->server != GRAPH_NONE)
		attrs_text(&a, "peer.service", service->name);
	attrs_thread(&a, g, side->task, side->from_ns);
	if (!m->q->stream) {
		attrs_number(&a, "ctrace.asked_bytes", m->q->asked_bytes);
		attrs_number(&a, "ctrace.answer_bytes", m->q->answer_bytes);
	}
	if (m->q->shared)
		attrs_flag(&a, "ctrace.shared", true);
	if (m->answered)
		spent_put_times(&a, g, &m->spent, side->from_ns, side->to_ns);
	else
		attrs_flag(&a, "ctrace.unanswered", true);
	span->n_attributes = a.n;
	span->attributes = a.v;
}

static void put_span(struct making *m, const struct side *side)
{
	const struct service *service = &m->s->v[m->s->of[m->i]];
	char name[sizeof(service->name) + 16];
	Ot__Span *span;

	snprintf(name, sizeof(name), "request to %s", service->name);
	span = batch_span(m->b, side->task, &side->ids, name, side->from_ns, side->to_ns);
	if (!span)
		return;
	span->kind = side->kind;
	put_parent(m, span, side);
	put_attributes(m, span, side);
	/* Only one span of the request has the waits: the server span if there is one, because it
	 * is nearer to the cause than the client span. */
	if (side->kind == SPAN_SERVER || m->q->server == GRAPH_NONE)
		spent_put_waits(m->b, span, &m->spent, side->from_ns, side->to_ns);
	if (m->crash)
		batch_error(m->b, span, m->crash->text);
}

/* The server span lasts from the first receive of the server (q->got) to its last send
 * (q->answered). Exception: if the client task is not known, the request has no client span. Then
 * the server span is as long as the request, [from_ns, to_ns). */
static void put_server(struct making *m, uint64_t from_ns, uint64_t to_ns)
{
	const struct request *q = m->q;
	const struct window_event *e = m->s->g->w->events;
	struct side side = { SPAN_SERVER, q->server, from_ns, to_ns,
			     ids_of(m->b, m->s, m->c, m->i, SPAN_SERVER) };

	if (q->client != GRAPH_NONE && q->got != GRAPH_NONE)
		side.from_ns = MIN(e[q->got].r.ts, to_ns);
	if (q->client != GRAPH_NONE && m->answered)
		side.to_ns = MAX(e[q->answered].r.ts, side.from_ns);
	put_span(m, &side);
}

/* Returns true if the task waits for its next piece of work, so it does not work for q. */
static bool is_idle(const struct graph *g, const struct request *q, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

	if (!s || s->state != INTERVAL_BLOCKED)
		return false;
	return ct_wait_is_poll(s->wait) || s->wait == CT_W_ACCEPT || s->wait == CT_W_URING ||
	       (s->wait == CT_W_READ && s->obj == q->sock) || (s->wait == CT_W_FUTEX && !edge_is_lock(g, s));
}

/* Returns the open request for which the task worked when its process crashed, or GRAPH_NONE. Looks
 * at a moment at which the thread still lived, so a later process with the same pid is not mistaken
 * for the crashed one. */
static uint32_t crashed_with(const struct services *s, const struct crash *c, uint32_t task)
{
	const struct graph *g = s->g;
	uint64_t at_ns = MIN(c->at_ns, g->tasks[task].exit_ns);
	const struct request *q;
	uint32_t request;

	if (!at_ns || c->at_ns - at_ns > OTLP_CRASH_NS)
		return GRAPH_NONE;
	at_ns--;
	request = parts_request_at(&s->parts, task, at_ns);
	if (request == GRAPH_NONE)
		return GRAPH_NONE;
	q = &s->requests.v[request];
	return q->answered == GRAPH_NONE && q->server != GRAPH_NONE &&
			       g->tasks[q->server].tgid == g->tasks[task].tgid && !is_idle(g, q, task, at_ns)
		       ? request
		       : GRAPH_NONE;
}

/* Finds the crash that ended each request. *ret: an array by request, which the caller frees, or NULL: there
 * is no crash. Returns 0 or -ENOMEM. */
static int find_crashes(const struct services *s, const struct crashes *crashes, const struct crash ***ret)
{
	const struct graph *g = s->g;

	*ret = crashes->n && s->requests.n ? calloc(s->requests.n, sizeof(**ret)) : NULL;
	if (!*ret)
		return crashes->n && s->requests.n ? -ENOMEM : 0;
	for (size_t i = 0; i < crashes->n; i++) {
		const struct crash *c = &crashes->v[i];
		size_t n;
		const struct graph_ref *threads = graph_refs(&g->threads, g->tasks[c->task].tgid, &n);

		for (size_t k = 0; c->how == CRASH_SIGNAL && k < n; k++) {
			uint32_t request = crashed_with(s, c, threads[k].event);

			if (request != GRAPH_NONE && !(*ret)[request])
				(*ret)[request] = c;
		}
	}
	return 0;
}

/* crash: of the server, while it worked for the request; NULL: none */
static int put_request(struct batch *b, const struct services *s, const struct contexts *c,
		       const struct crash *crash, uint32_t i)
{
	const struct graph *g = s->g;
	const struct request *q = &s->requests.v[i];
	struct making m = { .b = b, .s = s, .c = c, .q = q, .i = i, .answered = q->answered != GRAPH_NONE };
	uint64_t from_ns = request_from_ns(g, q), to_ns = b->x->to_ns;
	int r = m.answered ? spent_find(s, i, &m.spent) : 0;

	if (m.answered)
		to_ns = request_to_ns(g, q);
	else if (crash)
		to_ns = crash->at_ns;
	m.crash = crash;
	if (!r && q->client != GRAPH_NONE)
		put_span(&m, &(struct side){ SPAN_CLIENT, q->client, from_ns, to_ns,
					     ids_of(b, s, c, i, SPAN_CLIENT) });
	if (!r && q->server != GRAPH_NONE)
		put_server(&m, from_ns, to_ns);
	VEC_FREE(&m.spent);
	return r;
}

int request_spans_put(struct batch *b, const struct services *s, const struct contexts *c,
		      const struct crashes *crashes)
{
	_cleanup_free_ const struct crash **ended_by = NULL;
	int r = find_crashes(s, crashes, &ended_by);

	for (uint32_t i = 0; !r && i < s->requests.n && !b->failed && !export_stopped(b->x); i++) {
		if (request_spans_has(b->x, s, i))
			r = put_request(b, s, c, ended_by ? ended_by[i] : NULL, i);
		if (i && i % OTLP_SPANS == 0)
			cli_progress_count("Requests", i, s->requests.n);
	}
	cli_progress_count("", 0, 0);
	return r;
}
