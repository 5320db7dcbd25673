// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/bytes.h"

#include <errno.h>

#include "graph/thresholds.h"
#include "lib/cleanup.h"

int bytes_push(struct bytes_pool *m, struct bytes_queue *q, const struct bytes_item *item)
{
	uint32_t at = m->free;

	if (at) {
		m->free = m->items.v[at - 1].next;
		m->items.v[at - 1] = *item;
	} else {
		if (VEC_PUSH(&m->items, *item))
			return -ENOMEM;
		at = (uint32_t)m->items.n;
	}
	m->items.v[at - 1].next = 0;
	if (q->last)
		m->items.v[q->last - 1].next = at;
	else
		q->first = at;
	q->last = at;
	return 0;
}

void bytes_pop(struct bytes_pool *m, struct bytes_queue *q)
{
	uint32_t at = q->first;
	struct bytes_item *item = &m->items.v[at - 1];

	q->first = item->next;
	if (!q->first)
		q->last = 0;
	item->next = m->free;
	m->free = at;
}

void bytes_clear(struct bytes_pool *m, struct bytes_queue *q)
{
	while (q->first)
		bytes_pop(m, q);
}

void bytes_forget(struct bytes_pool *m, struct bytes *b)
{
	bytes_clear(m, &b->in);
	bytes_clear(m, &b->debts);
	b->queued = b->stale = 0;
}

bool bytes_settle(struct bytes_pool *m, struct bytes *b, uint32_t parted, uint32_t *bytes,
		  struct bytes_item *ret)
{
	struct bytes_item *d;

	while ((d = bytes_first(m, &b->debts)) && *bytes) {
		/* After the receive d, the sender did something else, and only then made this send.
		 * So d received the bytes of another send. */
		if (parted != GRAPH_NONE && parted > d->event) {
			bytes_pop(m, &b->debts);
			continue;
		}
		*ret = *d;
		if (!b->dgram && d->bytes > *bytes) {
			d->bytes -= *bytes;
			d->wake = GRAPH_NONE;
			*bytes = 0;
		} else {
			*bytes = b->dgram ? 0 : *bytes - d->bytes;
			bytes_pop(m, &b->debts);
		}
		return true;
	}
	return false;
}

int bytes_sent(struct bytes_pool *m, struct bytes *b, const struct bytes_item *item)
{
	b->queued += item->bytes;
	return bytes_push(m, &b->in, item);
}

/* Called for a receive of `bytes` bytes. The first bytes in the queue `in` may be stale: the task seems to
 * have read them before. The other bytes are fresh. Drops the stale bytes. Exception: if there are fresh
 * bytes, but fewer than `bytes`, the receive must include stale bytes. Then the task has not read them
 * before, and nothing is dropped. */
static void skip_stale(struct bytes_pool *m, struct bytes *b, uint32_t bytes)
{
	uint64_t fresh = b->queued - MIN(b->stale, b->queued);
	uint64_t left = MIN(b->stale, b->queued);

	b->stale = 0;
	if (!left || (fresh && bytes > fresh))
		return;
	for (struct bytes_item *i; left && (i = bytes_first(m, &b->in));) {
		uint32_t n = (uint32_t)MIN((uint64_t)i->bytes, left);

		left -= n;
		b->queued -= n;
		i->bytes -= n;
		i->begun = true;
		if (!i->bytes)
			bytes_pop(m, &b->in);
	}
}

/* Finds the first datagram in the queue `in` that has the length `bytes`. The datagrams before it
 * in the queue were lost: drops them. If no datagram in the queue has this length, the received
 * datagram was cut off. Then drops none. */
static void skip_datagrams(struct bytes_pool *m, struct bytes *b, uint32_t bytes)
{
	struct bytes_item *i;
	bool fits = false;

	for (uint32_t at = b->in.first, looks = 0; at && !fits && looks < MATCH_LOST; looks++) {
		fits = m->items.v[at - 1].bytes == bytes;
		at = m->items.v[at - 1].next;
	}
	while (fits && (i = bytes_first(m, &b->in)) && i->bytes != bytes) {
		b->queued -= i->bytes;
		bytes_pop(m, &b->in);
	}
}

void bytes_skip(struct bytes_pool *m, struct bytes *b, uint32_t bytes)
{
	if (b->dgram)
		skip_datagrams(m, b, bytes);
	else
		skip_stale(m, b, bytes);
}

bool bytes_take(struct bytes_pool *m, struct bytes *b, uint32_t *bytes, struct bytes_item *ret)
{
	struct bytes_item *i = *bytes ? bytes_first(m, &b->in) : NULL;
	uint32_t n;

	if (!i)
		return false;
	*ret = *i;
	n = b->dgram ? i->bytes : MIN(i->bytes, *bytes);
	*bytes = b->dgram ? 0 : *bytes - n;
	i->bytes -= n;
	i->begun = true;
	b->queued -= n;
	if (!i->bytes)
		bytes_pop(m, &b->in);
	return true;
}

void bytes_found_empty(const struct bytes_pool *m, const struct graph *g, struct bytes *b, uint64_t ts_ns)
{
	const struct bytes_item *i = bytes_first(m, &b->in);

	if (i && g->w->events[i->event].r.ts + FLOW_STALE_NS < ts_ns)
		b->stale = b->queued;
}

bool bytes_may_lack(const struct ct_rec *r)
{
	if (r->kind == CT_GAP)
		return ct_gap_has_events(r);
	return (ct_shed_lacks(ct_shed_step(r)) ^ ct_shed_lacks(ct_shed_step_before(r))) & CT_LACK_MESSAGES;
}
