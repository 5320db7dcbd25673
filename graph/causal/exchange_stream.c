// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "graph/causal/exchange.h"
#include "lib/cleanup.h"
#include "lib/hash.h"

static uint64_t key_of(const struct pass *p, uint32_t event)
{
	const struct window_event *e = &p->e[event];

	return hash_add(hash_add(HASH_START, e->r.obj), window_words(p->g->w, e)[0]);
}

bool exchange_stream_probed(const struct pass *p, uint32_t task)
{
	return map_get(&p->stream_processes, p->g->tasks[task].tgid, NULL);
}

void exchange_stream_take(struct pass *p, uint32_t f, uint32_t task, uint32_t event)
{
	struct stream_receive receive = {
		.event = event, .flow = f, .idles = p->work[task].idles, .first_send = (uint32_t)p->sends.n
	};
	uint32_t bytes = ct_message_bytes(&p->e[event].r);

	if (!p->has_streams)
		return;
	for (uint32_t at = p->flows.v.v[f].bytes.in.first; at && bytes;) {
		const struct bytes_item *i = &p->flows.pool.items.v[at - 1];

		if (VEC_PUSH(&p->sends, i->event))
			p->err = -ENOMEM;
		bytes -= MIN(bytes, i->bytes);
		at = i->next;
	}
	receive.n_sends = (uint32_t)p->sends.n - receive.first_send;
	if (VEC_PUSH(&p->receives, receive))
		p->err = -ENOMEM;
	p->work[task].receive = (uint32_t)p->receives.n;
}

/* The receive `got` is recorded before the send `event`. So it began with bytes whose send was not known. */
void exchange_stream_settle(struct pass *p, uint32_t got, uint32_t reader, uint32_t event)
{
	uint32_t at = p->work[reader].receive;
	struct stream_receive *receive = at ? &p->receives.v[at - 1] : NULL;

	if (!receive || receive->event != got || receive->n_sends)
		return;
	receive->first_send = (uint32_t)p->sends.n;
	receive->n_sends = 1;
	if (VEC_PUSH(&p->sends, event))
		p->err = -ENOMEM;
}

void exchange_stream_other(struct pass *p, uint32_t task, uint32_t event)
{
	if (!p->work[task].receive)
		return;
	p->work[task].receive = 0;
	exchange_label(p, task, event, GRAPH_NONE);
}

static void begin(struct pass *p, uint32_t task, uint32_t event)
{
	uint32_t at = p->work[task].receive;
	struct stream_receive *receive = at ? &p->receives.v[at - 1] : NULL;
	struct stream s = { .receive = at - 1, .begun = event, .ended = GRAPH_NONE };
	struct flow *flow;

	/* A task that has waited for any event since may have bytes of any connection. */
	if (!receive || receive->idles != p->work[task].idles)
		return;
	exchange_carry(p, receive->flow);
	flow = &p->flows.v.v[receive->flow];
	s.request = exchange_add(p, &(struct request){ .sock = flow->sock,
						       .client = flow->client,
						       .server = task,
						       .answerer = GRAPH_NONE,
						       .parent = GRAPH_NONE,
						       .sent = GRAPH_NONE,
						       .got = receive->event,
						       .answer = GRAPH_NONE,
						       .answered = GRAPH_NONE,
						       .read = GRAPH_NONE,
						       .among = GRAPH_NONE,
						       .stream = true });
	if (s.request == GRAPH_NONE)
		return;
	flow->n_streams++;
	s.place = receive->n_streams++;
	s.framework = ct_mark_framework(&p->e[event].r);
	exchange_label(p, task, s.place ? event : receive->event, s.request);
	if (map_set(&p->streams_open, key_of(p, event), p->streams.n) || VEC_PUSH(&p->streams, s) ||
	    map_set(&p->stream_processes, p->g->tasks[task].tgid, s.framework))
		p->err = -ENOMEM;
}

static struct flow *flow_of(const struct pass *p, const struct stream *s)
{
	return &p->flows.v.v[p->receives.v[s->receive].flow];
}

static void end(struct pass *p, uint32_t task, uint32_t event)
{
	uint64_t key = key_of(p, event), at;
	struct request *q;
	struct stream *s;
	struct flow *flow;

	if (!map_get(&p->streams_open, key, &at))
		return;
	map_del(&p->streams_open, key);
	s = &p->streams.v[at];
	flow = flow_of(p, s);
	s->ended = event;
	s->next = flow->ended;
	flow->ended = (uint32_t)at + 1;
	flow->n_streams -= flow->n_streams > 0;
	q = &p->requests.v[s->request];
	q->answer = q->answered = event;
	q->answerer = task;
	exchange_label(p, task, event, GRAPH_NONE);
}

void exchange_stream_mark(struct pass *p, uint32_t event)
{
	const struct ct_rec *r = &p->e[event].r;
	uint32_t task;

	if (!p->has_streams || !(r->flags & CT_MF_STREAM))
		return;
	task = pass_task(p, r->tid, r->ts);
	if (task == GRAPH_NONE || pass_segment(p, task, r->ts) == GRAPH_NONE)
		return;
	if (ct_mark_what(r) == CT_MARK_BEGIN)
		begin(p, task, event);
	else if (ct_mark_what(r) == CT_MARK_END)
		end(p, task, event);
}

void exchange_stream_answer(struct pass *p, uint32_t f, uint32_t task, uint32_t event)
{
	struct flow *flow = &p->flows.v.v[f];
	uint32_t at = flow->ended;

	if (!at)
		return;
	if (map_set(&p->streams_sent, event, at))
		p->err = -ENOMEM;
	flow->ended = 0;
	for (; at; at = p->streams.v[at - 1].next) {
		const struct stream *s = &p->streams.v[at - 1];
		struct request *q = &p->requests.v[s->request];

		/* The server has sent nothing for this stream: it was reset. */
		if (p->e[event].r.ts - p->e[s->ended].r.ts > REQUEST_PART_NS)
			continue;
		q->answer = q->answered = event;
		q->answerer = task;
	}
}

void exchange_stream_read(struct pass *p, uint32_t sent, uint32_t event)
{
	uint64_t at;

	if (!p->has_streams || !map_get(&p->streams_sent, sent, &at))
		return;
	for (; at; at = p->streams.v[at - 1].next) {
		struct request *q = &p->requests.v[p->streams.v[at - 1].request];

		if (q->answered == sent)
			q->read = event;
	}
}

void exchange_stream_off(struct pass *p, uint16_t framework)
{
	uint64_t at;

	if (!p->has_streams)
		return;
	for (size_t i = 0; i < p->streams.n; i++) {
		struct stream *s = &p->streams.v[i];

		if (s->framework != framework)
			continue;
		if (map_get(&p->streams_open, key_of(p, s->begun), &at) && at == i)
			map_del(&p->streams_open, key_of(p, s->begun));
		s->gone |= s->ended == GRAPH_NONE;
		flow_of(p, s)->streams = false;
		flow_of(p, s)->n_streams = 0;
		map_del(&p->stream_processes, p->g->tasks[p->requests.v[s->request].server].tgid);
	}
}

uint32_t exchange_stream_only(const struct pass *p, uint32_t f)
{
	size_t looks = 0;

	if (p->flows.v.v[f].n_streams != 1)
		return GRAPH_NONE;
	for (size_t i = p->streams.n; i-- > 0 && looks < MATCH_LOOKS; looks++) {
		const struct stream *s = &p->streams.v[i];

		if (s->ended == GRAPH_NONE && !s->gone && p->receives.v[s->receive].flow == f)
			return s->request;
	}
	return GRAPH_NONE;
}
