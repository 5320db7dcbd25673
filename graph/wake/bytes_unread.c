// SPDX-License-Identifier: GPL-2.0-or-later
/* bytes_unread.c - finds the send that explains one wake-up. When the first wake-up of a socket is asked
 * about, one walk along the messages of this socket notes when each send was received. */
#include <stdlib.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/bytes.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

/* For one socket. */
struct bytes_gone {
	/* [index in graph.sends of the other end]: the record with which the last bytes of this send left the
	 * queue: the receive, or a loss of records. GRAPH_NONE: they never left it. Never falls. */
	uint32_t n;
	uint32_t event[];
};

struct walk {
	const struct graph *g;
	uint64_t sock, peer;
	struct bytes_pool pool;
	struct bytes bytes;
	const struct graph_ref *sends;
	struct bytes_gone *gone;
	uint32_t seen; /* how many sends the walk has passed */
	uint64_t received_ns;
	int err;
};

static const struct ct_rec *record(const struct walk *k, uint32_t event)
{
	return &k->g->w->events[event].r;
}

static void note_gone(struct walk *k, uint32_t event)
{
	const struct bytes_item *first = bytes_first(&k->pool, &k->bytes.in);

	while (k->gone->n < k->seen && (!first || k->sends[k->gone->n].event < first->event))
		k->gone->event[k->gone->n++] = event;
}

/* Returns the last record before `event`, and after `since`, that shows that the sender did something else
 * than to send, or GRAPH_NONE. */
static uint32_t parted(const struct walk *k, uint32_t since, uint32_t event)
{
	const struct graph *g = k->g;
	const struct ct_rec *r = record(k, event);
	uint32_t task = graph_task_at(g, r->tid, r->ts), last = GRAPH_NONE;
	uint32_t i = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, task, r->ts);

	for (uint32_t at = event; at-- > since + 1 && event - at <= SPOKE_LOOKS && scan_step(g);)
		if (record(k, at)->tid == r->tid &&
		    (record(k, at)->kind == CT_SEND || record(k, at)->kind == CT_RECV)) {
			last = at;
			break;
		}
	for (; i != GRAPH_NONE && i >= g->tasks[task].first_interval && scan_step(g); i--) {
		const struct interval *s = &g->intervals[i];

		if (s->from_ns <= record(k, since)->ts)
			break;
		if (s->state == INTERVAL_BLOCKED && s->wait != CT_W_WRITE) {
			uint32_t at = (uint32_t)window_lower_bound(g->w, s->from_ns);

			return last == GRAPH_NONE || at > last ? at : last;
		}
	}
	return last;
}

static void walk_send(struct walk *k, uint32_t event)
{
	const struct bytes_item *debt = bytes_first(&k->pool, &k->bytes.debts);
	uint32_t bytes = ct_message_bytes(record(k, event)), received = event;
	uint32_t other = debt ? parted(k, debt->event, event) : GRAPH_NONE;
	struct bytes_item d;

	k->seen++;
	while (bytes_settle(&k->pool, &k->bytes, other, &bytes, &d))
		received = d.event;
	if (!bytes)
		note_gone(k, received);
	else if (bytes_sent(&k->pool, &k->bytes, &(struct bytes_item){ .event = event, .bytes = bytes }))
		k->err = -ENOMEM;
}

/* The reader may have found nothing to read before the receive: see bytes_found_empty(). */
static void find_stale(struct walk *k, const struct ct_rec *r)
{
	const struct graph *g = k->g;
	const struct bytes_item *first = bytes_first(&k->pool, &k->bytes.in);
	uint32_t task, i;

	if (!first || k->bytes.dgram || record(k, first->event)->ts + FLOW_STALE_NS >= r->ts)
		return;
	task = graph_task_at(g, r->tid, r->ts);
	i = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, task, r->ts);
	for (unsigned looks = 0;
	     looks < WAIT_ENDED_LOOKS && i != GRAPH_NONE && i >= g->tasks[task].first_interval &&
	     g->intervals[i].to_ns > k->received_ns && scan_step(g);
	     i--, looks++) {
		const struct interval *s = &g->intervals[i];

		if (s->state != INTERVAL_BLOCKED || s->wait != CT_W_READ || s->obj != k->sock)
			continue;
		if (record(k, first->event)->ts + FLOW_STALE_NS >= s->from_ns)
			return;
		for (uint32_t at = k->bytes.in.first; at && scan_step(g);) {
			const struct bytes_item *sent = &k->pool.items.v[at - 1];

			if (record(k, sent->event)->ts >= s->from_ns)
				break;
			k->bytes.stale += sent->bytes;
			at = sent->next;
		}
		return;
	}
}

static void walk_receive(struct walk *k, uint32_t event)
{
	const struct ct_rec *r = record(k, event);
	uint32_t bytes = ct_message_bytes(r);
	struct bytes_item sent;

	find_stale(k, r);
	bytes_skip(&k->pool, &k->bytes, bytes);
	while (bytes_take(&k->pool, &k->bytes, &bytes, &sent))
		;
	note_gone(k, event);
	if (bytes && bytes_push(&k->pool, &k->bytes.debts,
				&(struct bytes_item){ .event = event, .bytes = bytes, .wake = GRAPH_NONE }))
		k->err = -ENOMEM;
	k->received_ns = r->ts;
}

typedef VEC(uint32_t) events;

static int event_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void add_users(const struct graph *g, const struct graph_index *ix, uint64_t sock,
		      struct enders *users)
{
	size_t n;
	const struct graph_ref *r = graph_refs(ix, sock, &n);
	uint32_t tid = 0;

	for (size_t i = 0; i < n && users->n < ENDERS_MAX && scan_step(g); i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;
		uint32_t task = e->tid == tid ? GRAPH_NONE : graph_task_at(g, e->tid, e->ts);

		tid = e->tid;
		if (task != GRAPH_NONE)
			owner_add(g, users, task);
	}
}

/* Finds the caps of the processes that use the connection. Some messages of a capped task are not recorded.
 */
static int find_caps(const struct walk *k, events *ret)
{
	const struct graph *g = k->g;
	const struct graph_index *caps = &g->caps, *all[] = { &g->sends, &g->recvs };
	struct enders users = { 0 };

	for (size_t i = 0; caps->n && i < ARRAY_SIZE(all); i++) {
		add_users(g, all[i], k->sock, &users);
		add_users(g, all[i], k->peer, &users);
	}
	for (size_t i = 0; i < caps->n && scan_step(g); i++) {
		const struct ct_rec *r = record(k, caps->v[i].event);
		uint32_t task = graph_task_at(g, r->tid, r->ts);
		bool uses = task == GRAPH_NONE || users.n == ENDERS_MAX;

		for (size_t x = 0; x < users.n && !uses; x++)
			uses = g->tasks[users.v[x]].tgid == g->tasks[task].tgid;
		if (uses && VEC_PUSH(ret, caps->v[i].event))
			return -ENOMEM;
	}
	return 0;
}

/* Finds the records after which messages of the connection may be missing. */
static int find_lacks(const struct walk *k, events *ret)
{
	const struct graph_index *all[] = { &k->g->sheds, &k->g->groups, &k->g->gaps };
	int err = find_caps(k, ret);

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t x = 0; x < all[i]->n && !err && scan_step(k->g); x++)
			if (bytes_may_lack(record(k, all[i]->v[x].event)))
				err = VEC_PUSH(ret, all[i]->v[x].event);
	VEC_SORT(ret, event_cmp);
	return err;
}

static void walk_all(struct walk *k, size_t n_sends)
{
	size_t n_recvs, s = 0, r = 0, l = 0;
	const struct graph_ref *recvs = graph_refs(&k->g->recvs, k->sock, &n_recvs);
	events lacks = { 0 };

	k->err = find_lacks(k, &lacks);
	while (!k->err && k->gone->n < n_sends && (s < n_sends || r < n_recvs || l < lacks.n)) {
		uint32_t send = s < n_sends ? k->sends[s].event : GRAPH_NONE;
		uint32_t receive = r < n_recvs ? recvs[r].event : GRAPH_NONE;
		uint32_t lack = l < lacks.n ? lacks.v[l] : GRAPH_NONE;

		if (!scan_step(k->g)) {
			k->err = -ENOSPC;
		} else if (lack < MIN(send, receive)) {
			bytes_forget(&k->pool, &k->bytes);
			note_gone(k, lack);
			l++;
		} else if (send < receive) {
			walk_send(k, send);
			s++;
		} else {
			walk_receive(k, receive);
			r++;
		}
	}
	while (k->gone->n < n_sends)
		k->gone->event[k->gone->n++] = GRAPH_NONE;
	VEC_FREE(&lacks);
}

static struct bytes_gone *gone_new(const struct graph *g, const struct window_object *o, uint64_t peer)
{
	size_t n;
	struct walk k = { .g = g, .sock = o->id, .peer = peer, .sends = graph_refs(&g->sends, peer, &n) };
	_cleanup_free_ struct bytes_gone *gone = NULL;

	if (n > scan_left(g))
		return NULL;
	gone = malloc(sizeof(*gone) + n * sizeof(*gone->event));
	if (!gone)
		return NULL;
	gone->n = 0;
	k.gone = gone;
	k.bytes.dgram = o->type && o->type != SOCK_STREAM;
	walk_all(&k, n);
	VEC_FREE(&k.pool.items);
	return k.err ? NULL : TAKE_PTR(gone);
}

/* If several threads make the table at once, the first table stays. */
static const struct bytes_gone *gone_of(const struct graph *g, const struct window_object *o, uint64_t peer)
{
	struct bytes_gone **at = &g->gone[o - g->w->objects];
	struct bytes_gone *gone = __atomic_load_n(at, __ATOMIC_ACQUIRE), *first = NULL;

	if (gone)
		return gone;
	gone = gone_new(g, o, peer);
	if (!gone) {
		__atomic_fetch_add(&g->scans->refused, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (__atomic_compare_exchange_n(at, &first, gone, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return gone;
	free(gone);
	return first;
}

static bool lacks(const struct graph *g, uint64_t sock, uint32_t event)
{
	const struct ct_rec *r = &g->w->events[event].r;
	uint32_t task;

	if (r->kind != CT_SHED || !(r->flags & CT_GV_CAP))
		return bytes_may_lack(r);
	task = graph_task_at(g, r->tid, r->ts);
	return task == GRAPH_NONE || owner_has_socket(g, task, sock, r->ts) ||
	       owner_has_socket(g, task, graph_peer_object(g, sock), r->ts);
}

bool bytes_lack_between(const struct graph *g, uint64_t sock, uint32_t a, uint32_t b)
{
	const struct graph_index *all[] = { &g->sheds, &g->groups, &g->gaps, &g->caps };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < all[i]->n_keys && scan_step(g); k++) {
			const struct graph_ref *r = all[i]->v;
			uint32_t end = all[i]->first[k + 1];
			uint32_t at = BISECT(x, all[i]->first[k], end, r[x].event > MIN(a, b));

			for (; at < end && r[at].event < MAX(a, b) && scan_step(g); at++)
				if (lacks(g, sock, r[at].event))
					return true;
		}
	return false;
}

/* The send was recorded so late after the wake-up that only a receive of its bytes can show that its call had
 * begun before. */
static bool was_received_first(const struct graph *g, uint32_t send, uint32_t receive, uint64_t wake_ns)
{
	return receive < send && g->w->events[receive].r.ts <= wake_ns + MESSAGE_SAME_TASK_NS;
}

uint32_t bytes_unread(const struct graph *g, uint64_t sock, const struct window_event *wake, uint64_t from_ns)
{
	const struct window_event *e = g->w->events;
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = graph_peer_object(g, sock);
	uint32_t at = (uint32_t)(wake - e), send;
	const struct bytes_gone *gone;
	const struct graph_ref *sends;
	size_t n, i;

	sends = graph_refs(&g->sends, peer, &n);
	if (!o || !peer || !n || e[sends[0].event].r.ts > wake->r.ts + MESSAGE_SAME_TASK_NS)
		return GRAPH_NONE;
	gone = gone_of(g, o, peer);
	if (!gone)
		return GRAPH_NONE;
	i = BISECT(k, 0, n, gone->event[k] > at);
	if (i < n && e[sends[i].event].r.ts + FLOW_STALE_NS < from_ns)
		i = BISECT(k, i, n, e[sends[k].event].r.ts >= from_ns);
	if (i == n)
		return GRAPH_NONE;
	send = sends[i].event;
	if (e[send].r.ts > wake->r.ts + MESSAGE_LATE_NS &&
	    !was_received_first(g, send, gone->event[i], wake->r.ts))
		return GRAPH_NONE;
	return bytes_lack_between(g, sock, send, at) ? GRAPH_NONE : send;
}
