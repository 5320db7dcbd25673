// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/hang_spans.h"

#include <string.h>

#include "cli/otlp/request_spans.h"
#include "cli/otlp/spent.h"
#include "lib/cleanup.h"

enum { HANG_ATTRS = 8 + SPENT_ATTRS, LINK_ATTRS = 9 };

struct making {
	struct batch *b;
	const struct services *s;
	const struct contexts *c;
	const struct hangs *h;
	const struct hang *x;
	Ot__Span *span;
};

/* Returns the request for which the task of the hang worked when the hang began. GRAPH_NONE: none. */
static uint32_t work_of(const struct making *m)
{
	uint32_t request = parts_request_at(&m->s->parts, m->x->task, m->x->from_ns);

	return request != GRAPH_NONE && request_spans_has(m->b->x, m->s, request) ? request : GRAPH_NONE;
}

/* Returns for how long the hang overlaps with [from_ns, to_ns). */
static uint64_t common_ns(const struct hang *x, uint64_t from_ns, uint64_t to_ns)
{
	from_ns = MAX(from_ns, x->from_ns);
	to_ns = MIN(to_ns, x->to_ns);
	return from_ns < to_ns ? to_ns - from_ns : 0;
}

/* Returns the request that the task of the hang sent, and for which the task waited longest in the hang.
 * GRAPH_NONE: none. */
static uint32_t awaited(const struct making *m)
{
	const struct requests *r = &m->s->requests;
	uint32_t best = GRAPH_NONE;
	uint64_t best_ns = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct request *q = &r->v[i];
		uint64_t ns;

		if (q->client != m->x->task || !request_spans_has(m->b->x, m->s, i))
			continue;
		ns = common_ns(m->x, request_from_ns(m->s->g, q),
			       q->answered == GRAPH_NONE ? UINT64_MAX : request_to_ns(m->s->g, q));
		if (ns > best_ns) {
			best = i;
			best_ns = ns;
		}
	}
	return best;
}

/* Returns an alarm of a later task of the chain that overlaps in time with the hang m->x. NULL:
 * none. */
static const struct hang *hang_of_chain(const struct making *m)
{
	const struct diagnosis *d = m->x->diagnosis;

	for (size_t k = 1; k < d->n_chain; k++)
		for (size_t i = 0; i < m->h->n; i++) {
			const struct hang *other = &m->h->v[i];

			if (other != m->x && other->alarm && other->task == d->chain[k].task &&
			    common_ns(m->x, other->from_ns, other->to_ns))
				return other;
		}
	return NULL;
}

static uint64_t hash_hang(const struct making *m, const struct hang *x, uint64_t of)
{
	return batch_hash(m->b, (uint64_t[]){ of, m->b->x->g->tasks[x->task].tid, x->from_ns }, 3);
}

static struct span_ids ids_of(const struct making *m, const struct hang *x)
{
	struct making other = *m;
	uint64_t trace[2] = { hash_hang(m, x, 'T'), hash_hang(m, x, 't') }, span = hash_hang(m, x, 'H');
	struct span_ids ids;
	uint32_t work;

	other.x = x;
	work = work_of(&other);
	if (work != GRAPH_NONE)
		ids = request_spans_ids(m->b, m->s, m->c, work);
	else
		memcpy(ids.trace, trace, sizeof(ids.trace));
	memcpy(ids.span, &span, sizeof(ids.span));
	return ids;
}

static void put_links(struct making *m)
{
	uint32_t request = awaited(m);
	const struct hang *of_chain = hang_of_chain(m), *first = &m->h->v[m->x->first_row];
	struct span_ids ids;

	if (request != GRAPH_NONE) {
		ids = request_spans_ids(m->b, m->s, m->c, request);
		batch_link(m->b, m->span, &ids, "waits for this request");
	}
	if (of_chain) {
		ids = ids_of(m, of_chain);
		batch_link(m->b, m->span, &ids, "waits for this task");
	}
	if (first != m->x && first != of_chain && first->alarm) {
		ids = ids_of(m, first);
		batch_link(m->b, m->span, &ids, "waits for the same");
	}
}

/* The tasks of the chain, from the victim to the root cause, with the longest wait of each */
static Ot__Event *chain_event(struct making *m, size_t i)
{
	const struct link *k = &m->x->diagnosis->chain[i];
	bool last = i + 1 == m->x->diagnosis->n_chain;
	struct attrs a = attrs_new(m->b, LINK_ATTRS);
	Ot__Event *e = batch_take(m->b, sizeof(*e));

	if (!e)
		return NULL;
	ot__event__init(e);
	e->name = "chain";
	e->has_time_unix_nano = true;
	e->time_unix_nano = batch_time(m->b, MAX(k->from_ns, m->x->from_ns));
	attrs_number(&a, "ctrace.chain.number", i + 1);
	attrs_number(&a, "process.pid", k->pid);
	attrs_number(&a, "thread.id", k->tid);
	attrs_text(&a, "thread.name", k->comm);
	attrs_text(&a, "ctrace.chain.state", link_state_word(k->state));
	attrs_number(&a, "ctrace.chain.ns", k->total_ns);
	attrs_text(&a, "ctrace.chain.resource", resource_kind_word(k->kind));
	attrs_text(&a, "ctrace.chain.object", k->resource);
	if (!last)
		attrs_text(&a, "ctrace.chain.strength", k->strength == EDGE_STRONG ? "strong" : "weak");
	e->n_attributes = a.n;
	e->attributes = a.v;
	return e;
}

static void put_chain(struct making *m)
{
	size_t n = m->x->diagnosis->n_chain;

	m->span->events = batch_take(m->b, n * sizeof(*m->span->events));
	for (size_t i = 0; i < n && !m->b->failed; i++)
		m->span->events[m->span->n_events++] = chain_event(m, i);
}

static void put_attributes(struct making *m)
{
	const struct diagnosis *d = m->x->diagnosis;
	struct attrs a = attrs_new(m->b, HANG_ATTRS);

	attrs_text(&a, "ctrace.hang.verdict", verdict_name(d->verdict));
	attrs_text(&a, "ctrace.hang.cause", cause_word(d->cause));
	attrs_text(&a, "ctrace.hang.confidence", d->strong ? "strong" : "weak");
	attrs_text(&a, "ctrace.hang.text", d->sentence);
	attrs_thread(&a, m->b->x->g, m->x->task, m->x->from_ns);
	spent_put_kinds(&a, d->time_ns);
	m->span->n_attributes = a.n;
	m->span->attributes = a.v;
}

static void put_hang(struct making *m)
{
	struct span_ids ids = ids_of(m, m->x), parent;
	uint32_t work = work_of(m);

	m->span = batch_span(m->b, m->x->task, &ids, "hang", m->x->from_ns, m->x->to_ns);
	if (!m->span)
		return;
	m->span->kind = SPAN_INTERNAL;
	if (work != GRAPH_NONE) {
		parent = request_spans_ids(m->b, m->s, m->c, work);
		m->span->has_parent_span_id = true;
		batch_set_bytes(m->b, &m->span->parent_span_id, parent.span, SPAN_ID_LEN);
	}
	put_attributes(m);
	put_chain(m);
	put_links(m);
	batch_error(m->b, m->span, m->x->diagnosis->sentence);
}

void hang_spans_put(struct batch *b, const struct services *s, const struct contexts *c,
		    const struct hangs *h)
{
	for (size_t i = 0; i < h->n && !b->failed && !export_stopped(b->x); i++)
		if (h->v[i].alarm)
			put_hang(&(struct making){ .b = b, .s = s, .c = c, .h = h, .x = &h->v[i] });
}
