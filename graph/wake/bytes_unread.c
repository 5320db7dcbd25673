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
#include "lib/checked.h"
#include "lib/cleanup.h"

/* For one socket. */
struct bytes_gone {
	struct enders
		users; /* one task of each process that uses the connection; if full: perhaps further ones */
	bool refused;  /* there was no memory, or there are too many caps: n is 0 */
	uint32_t n;
	/* [index in graph.sends of the other end] */
	struct {
		/* The record with which the last bytes of this send left the queue: the receive, or a loss
		 * of records. GRAPH_NONE: they never left it. Never falls. */
		uint32_t event;
		/* the first receive of its bytes, if it is recorded before the send; otherwise GRAPH_NONE */
		uint32_t first;
	} sends[];
};

struct walk {
	const struct graph *g;
	uint64_t sock;
	struct bytes_pool pool;
	struct bytes bytes;
	const struct graph_ref *sends;
	const struct graph_ref *reads; /* the next wait to read, and the number of those left */
	size_t n_reads;
	struct bytes_gone *gone;
	uint32_t seen;      /* how many sends the walk has passed */
	uint64_t looks;     /* how many records find_parted() may still look at */
	VEC(uint32_t) caps; /* the caps of processes that use the connection */
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
		k->gone->sends[k->gone->n++].event = event;
}

/* Searches the records `from` to `end` - 1 for the last message of the thread tid: *ret. Returns -E2BIG if
 * the walk may look at no more records. */
static int last_message(struct walk *k, uint32_t tid, uint32_t from, uint32_t end, uint32_t *ret)
{
	while (end-- > from) {
		const struct ct_rec *r = record(k, end);

		if (!k->looks)
			return -E2BIG;
		k->looks--;
		if (r->tid == tid && (r->kind == CT_SEND || r->kind == CT_RECV)) {
			*ret = end;
			break;
		}
	}
	return 0;
}

static bool may_run(const struct interval *s)
{
	return s->state == INTERVAL_RUNNING || s->state == INTERVAL_FOLDED;
}

/* Finds the last record before the send `event`, and after `since`, that shows that the sender did something
 * else: *ret, or GRAPH_NONE. Looks only at times in which the sender may have run. Returns -E2BIG if there
 * are too many records: then it is not known. */
static int find_parted(struct walk *k, uint32_t since, uint32_t event, uint32_t *ret)
{
	const struct graph *g = k->g;
	const struct ct_rec *r = record(k, event);
	uint32_t task = graph_task_at(g, r->tid, r->ts), from, end = event;
	uint32_t i = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, task, r->ts);

	*ret = GRAPH_NONE;
	for (; i != GRAPH_NONE && i >= g->tasks[task].first_interval; i--, end = MIN(end, from)) {
		const struct interval *s = &g->intervals[i];

		if (!k->looks)
			return -E2BIG;
		k->looks--;
		from = (uint32_t)window_lower_bound(g->w, s->from_ns);
		if (may_run(s) && last_message(k, r->tid, MAX(from, since + 1), end, ret))
			return -E2BIG;
		if (*ret != GRAPH_NONE || from <= since)
			return 0;
		if (s->state == INTERVAL_BLOCKED && s->wait != CT_W_WRITE && from < event) {
			*ret = from;
			return 0;
		}
	}
	return last_message(k, r->tid, since + 1, end, ret);
}

static void walk_send(struct walk *k, uint32_t event)
{
	const struct bytes_item *debt = bytes_first(&k->pool, &k->bytes.debts);
	uint32_t bytes = ct_message_bytes(record(k, event)), received = event;
	uint32_t *first = &k->gone->sends[k->seen].first, other = GRAPH_NONE;
	struct bytes_item d;

	k->seen++;
	if (debt && find_parted(k, debt->event, event, &other)) {
		/* It is not known whether the bytes were received. */
		bytes_forget(&k->pool, &k->bytes);
		note_gone(k, event);
		return;
	}
	while (bytes_settle(&k->pool, &k->bytes, other, &bytes, &d)) {
		received = d.event;
		if (*first == GRAPH_NONE)
			*first = received;
	}
	if (!bytes)
		note_gone(k, received);
	else if (bytes_sent(&k->pool, &k->bytes, &(struct bytes_item){ .event = event, .bytes = bytes }))
		k->err = -ENOMEM;
}

static void walk_receive(struct walk *k, uint32_t event)
{
	const struct ct_rec *r = record(k, event);
	uint32_t bytes = ct_message_bytes(r);
	struct bytes_item sent;

	bytes_skip(&k->pool, &k->bytes, bytes);
	while (bytes_take(&k->pool, &k->bytes, &bytes, &sent))
		;
	note_gone(k, event);
	if (bytes && bytes_push(&k->pool, &k->bytes.debts,
				&(struct bytes_item){ .event = event, .bytes = bytes, .wake = GRAPH_NONE }))
		k->err = -ENOMEM;
}

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

	for (size_t i = 0; i < n && users->n < ENDERS_MAX; i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;
		uint32_t task = e->tid == tid ? GRAPH_NONE : graph_task_at(g, e->tid, e->ts);

		tid = e->tid;
		if (task != GRAPH_NONE)
			owner_add(g, users, task);
	}
}

/* Returns true if the task may be of a process that uses the connection. */
static bool may_use(const struct graph *g, const struct enders *users, uint32_t task)
{
	if (task == GRAPH_NONE || users->n == ENDERS_MAX)
		return true;
	for (size_t i = 0; i < users->n; i++)
		if (g->tasks[users->v[i]].tgid == g->tasks[task].tgid)
			return true;
	return false;
}

static int add_caps(struct walk *k, const struct graph_ref *r, size_t n)
{
	if (n > CAPS_MAX - k->caps.n)
		return -E2BIG;
	for (size_t i = 0; i < n; i++)
		if (VEC_PUSH(&k->caps, r[i].event))
			return -ENOMEM;
	return 0;
}

/* Finds the caps of the processes that may use the connection. Some messages of a capped task are not
 * recorded. */
static int find_caps(struct walk *k)
{
	const struct graph *g = k->g;
	const struct enders *users = &k->gone->users;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->process_caps, 0, &n);
	int err = 0;

	if (users->n == ENDERS_MAX)
		err = add_caps(k, g->caps.v, g->caps.n);
	else
		err = add_caps(k, r, n);
	for (size_t i = 0; i < users->n && users->n < ENDERS_MAX && !err; i++) {
		r = graph_refs(&g->process_caps, g->tasks[users->v[i]].tgid, &n);
		err = add_caps(k, r, n);
	}
	VEC_SORT(&k->caps, event_cmp);
	return err;
}

/* Returns the first record of the list after `event` after which messages may be missing, or GRAPH_NONE.
 * Looks at SPOKE_LOOKS records; any later one counts. */
static uint32_t lack_after(const struct walk *k, const struct graph_index *ix, uint32_t event)
{
	size_t i = BISECT(x, 0, ix->n, ix->v[x].event > event);

	for (unsigned looks = 0; i < ix->n; i++, looks++) {
		const struct ct_rec *r = record(k, ix->v[i].event);

		if (looks == SPOKE_LOOKS || ix == &k->g->groups || bytes_may_lack(r))
			return ix->v[i].event;
	}
	return GRAPH_NONE;
}

/* Messages may be missing between the records `last` and `next`. Then forgets the bytes on their way. */
static void walk_lacks(struct walk *k, uint32_t last, uint32_t next)
{
	size_t cap = BISECT(x, 0, k->caps.n, k->caps.v[x] > last);
	uint32_t lack = cap < k->caps.n ? k->caps.v[cap] : GRAPH_NONE;

	lack = MIN(lack, lack_after(k, &k->g->sheds, last));
	lack = MIN(lack, lack_after(k, &k->g->groups, last));
	lack = MIN(lack, lack_after(k, &k->g->gaps, last));
	if (lack >= next)
		return;
	bytes_forget(&k->pool, &k->bytes);
	note_gone(k, lack);
}

/* A task waits to read, so it found nothing to read. */
static void walk_waits(struct walk *k, uint64_t to_ns)
{
	for (; k->n_reads; k->reads++, k->n_reads--) {
		const struct interval *wait = &k->g->intervals[k->reads->event];

		if (wait->from_ns > to_ns)
			return;
		bytes_found_empty(&k->pool, k->g, &k->bytes, wait->from_ns);
	}
}

static void walk_all(struct walk *k, size_t n_sends)
{
	size_t n_recvs, s = 0, r = 0;
	const struct graph_ref *recvs = graph_refs(&k->g->recvs, k->sock, &n_recvs);
	uint32_t last = 0;

	k->reads = graph_refs(&k->g->reads, k->sock, &k->n_reads);
	k->looks = (uint64_t)SPOKE_LOOKS * (n_sends + n_recvs);

	while (!k->err && (s < n_sends || r < n_recvs)) {
		uint32_t send = s < n_sends ? k->sends[s].event : GRAPH_NONE;
		uint32_t receive = r < n_recvs ? recvs[r].event : GRAPH_NONE;
		uint32_t next = MIN(send, receive);

		walk_lacks(k, last, next);
		walk_waits(k, record(k, next)->ts);
		if (next == send) {
			walk_send(k, send);
			s++;
		} else {
			walk_receive(k, receive);
			r++;
		}
		last = next;
	}
	walk_lacks(k, last, GRAPH_NONE);
	while (k->gone->n < n_sends)
		k->gone->sends[k->gone->n++].event = GRAPH_NONE;
}

/* Takes no steps of scan.h. Any diagnosis may ask first, and the answers must not depend on which one does.
 */
static struct bytes_gone *gone_new(const struct graph *g, const struct window_object *o, uint64_t peer)
{
	const struct graph_index *messages[] = { &g->sends, &g->recvs };
	struct walk k = { .g = g, .sock = o->id };
	struct bytes_gone *gone;
	size_t n = 0;

	if (peer)
		k.sends = graph_refs(&g->sends, peer, &n);
	gone = malloc(sizeof(*gone) + n * sizeof(*gone->sends));
	if (!gone)
		return NULL;
	*gone = (struct bytes_gone){ 0 };
	for (size_t i = 0; i < n; i++)
		gone->sends[i].first = GRAPH_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		add_users(g, messages[i], o->id, &gone->users);
		if (peer)
			add_users(g, messages[i], peer, &gone->users);
	}
	k.gone = gone;
	k.bytes.dgram = o->type && o->type != SOCK_STREAM;
	k.err = find_caps(&k);
	if (!k.err)
		walk_all(&k, n);
	gone->refused = k.err != 0;
	if (gone->refused)
		gone->n = 0;
	VEC_FREE(&k.caps);
	VEC_FREE(&k.pool.items);
	return gone;
}

/* If several threads make the table at once, the first table stays. */
static const struct bytes_gone *gone_of(const struct graph *g, const struct window_object *o, uint64_t peer)
{
	struct bytes_gone **at = &g->gone[o - g->w->objects];
	struct bytes_gone *gone = __atomic_load_n(at, __ATOMIC_ACQUIRE), *first = NULL;

	if (!gone) {
		gone = gone_new(g, o, peer);
		if (gone && !__atomic_compare_exchange_n(at, &first, gone, false, __ATOMIC_ACQ_REL,
							 __ATOMIC_ACQUIRE)) {
			free(gone);
			gone = first;
		}
	}
	if (!gone || gone->refused)
		__atomic_fetch_add(&g->scans->refused, 1, __ATOMIC_RELAXED);
	return gone;
}

/* Returns true if messages of the connection are missing while the task is capped. */
static bool cap_matters(const struct graph *g, uint64_t sock, uint32_t task)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = graph_peer_object(g, sock);
	const struct bytes_gone *gone = o ? gone_of(g, o, peer) : NULL;

	return !gone || may_use(g, &gone->users, task) || owner_modes(g, sock, g->tasks[task].tgid) ||
	       (peer && owner_modes(g, peer, g->tasks[task].tgid));
}

/* Returns true if the record is about the process of the task. */
static bool is_about(const struct graph *g, const struct ct_rec *r, uint32_t task)
{
	uint32_t of = graph_task_at(g, r->tid, r->ts);

	return of != GRAPH_NONE && task != GRAPH_NONE && g->tasks[of].tgid == g->tasks[task].tgid;
}

bool bytes_lack_between(const struct graph *g, uint64_t sock, uint32_t a, uint32_t b)
{
	const struct ct_rec *from = &g->w->events[MIN(a, b)].r, *to = &g->w->events[MAX(a, b)].r;

	if (graph_may_lack(g, CT_LACK_MESSAGES, from->ts, to->ts))
		return true;
	for (size_t k = 0; (k = graph_span_within(&g->capped, k, from->ts, to->ts)) < g->capped.n; k++) {
		uint32_t task = graph_task_at(g, g->capped.v[k].tid, to->ts);

		if (!scan_step(g) || is_about(g, from, task) || is_about(g, to, task) ||
		    cap_matters(g, sock, task))
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
	if (!o || !peer || !n)
		return GRAPH_NONE;
	gone = gone_of(g, o, peer);
	if (!gone)
		return GRAPH_NONE;
	n = gone->n;
	i = BISECT(k, 0, n, gone->sends[k].event > at);
	if (i < n && e[sends[i].event].r.ts + FLOW_STALE_NS < from_ns)
		i = BISECT(k, i, n, e[sends[k].event].r.ts >= from_ns);
	if (i == n)
		return GRAPH_NONE;
	send = sends[i].event;
	if (e[send].r.ts > wake->r.ts + MESSAGE_LATE_NS &&
	    !was_received_first(g, send, gone->sends[i].first, wake->r.ts))
		return GRAPH_NONE;
	return bytes_lack_between(g, sock, send, at) ? GRAPH_NONE : send;
}

/* Returns the last send on the stream socket sock up to from_ns, if the process at the other end has received
 * something there before from_ns, but not all that was sent up to then, until to_ns. Returns NULL also if
 * records of messages may be missing. */
static const struct graph_ref *left_unread(const struct graph *g, uint64_t sock, uint64_t from_ns,
					   uint64_t to_ns)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct window_object *o = peer && !(peer & CT_OBJ_NOT_ACCEPTED) ? graph_object(g, peer) : NULL;
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, sock, from_ns), *first;
	uint32_t end = (uint32_t)MIN(window_lower_bound(g->w, to_ns), g->w->n_events - 1), left;
	const struct bytes_gone *gone;
	size_t n;

	if (!o || o->type != SOCK_STREAM || !sent || !graph_ref_before(g, &g->recvs, peer, from_ns))
		return NULL;
	gone = gone_of(g, o, sock);
	first = graph_refs(&g->sends, sock, &n);
	if (!gone || (size_t)(sent - first) >= gone->n)
		return NULL;
	left = gone->sends[sent - first].event;
	return (left == GRAPH_NONE || g->w->events[left].r.ts > to_ns) &&
			       !bytes_lack_between(g, sock, sent->event, end)
		       ? sent
		       : NULL;
}

bool bytes_stay_unread(const struct graph *g, uint64_t sock, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_ref *sent = left_unread(g, sock, from_ns, to_ns);

	return sent &&
	       !owner_awaits_input(g, task, graph_peer_object(g, sock),
				   checked_sub(g->w->events[sent->event].r.ts, MESSAGE_LATE_NS), to_ns);
}

uint64_t bytes_read_on_ns(const struct graph *g, uint64_t sock, const struct interval *s)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, sock, s->from_ns);
	size_t n;

	if (!got || !peer || !left_unread(g, peer, s->from_ns, s->to_ns) || owner_is_woken_for(g, s, sock) ||
	    owner_ends_on_input(g, s, sock) || owner_may_have_got(g, s, sock, g->w->events[got->event].r.ts))
		return 0;
	got = graph_refs_from(g, &g->recvs, sock, s->to_ns, &n);
	return n ? g->w->events[got->event].r.ts : UINT64_MAX;
}

/* Returns when bytes arrived that `got` received on sock: when they woke the receiver, or else when it
 * received them. */
static uint64_t arrival_of(const struct graph *g, const struct ct_rec *got, uint64_t sock)
{
	uint32_t task = graph_task_at(g, got->tid, got->ts);
	uint32_t i = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, task, got->ts);

	while (i != GRAPH_NONE && g->intervals[i].state != INTERVAL_BLOCKED &&
	       i > g->tasks[task].first_interval && scan_step(g))
		i--;
	return i != GRAPH_NONE && owner_is_woken_for(g, &g->intervals[i], sock) ? g->intervals[i].to_ns
										: got->ts;
}

/* Returns how many datagrams of so many bytes other sockets sent to peer between the two times. */
static size_t sent_by_others(const struct graph *g, uint64_t sock, uint64_t peer, uint32_t bytes,
			     uint64_t from_ns, uint64_t to_ns)
{
	const struct window_event *e = g->w->events;
	const struct window_object *to = graph_object(g, peer);
	size_t n = 0;

	for (size_t i = window_lower_bound(g->w, from_ns);
	     i < g->w->n_events && e[i].r.ts < to_ns && scan_step(g); i++) {
		const struct window_object *from;

		if (e[i].r.kind != CT_SEND || e[i].r.obj == sock || ct_message_bytes(&e[i].r) != bytes)
			continue;
		from = graph_object(g, e[i].r.obj);
		n += to && from && from->type == SOCK_DGRAM &&
		     ((from->rport && from->rport == to->lport) || owner_dest_is_for(&e[i].r, to));
	}
	return n;
}

/* The sender may lose its CPU to the receiver, so that the send is recorded after the receive. Returns true
 * if so many bytes were received on peer shortly before since_ns, and after the sender's last receive, and
 * others have not sent as many datagrams of this size. */
static bool was_received_before(const struct graph *g, uint64_t sock, uint64_t peer,
				const struct ct_rec *sent, uint64_t since_ns, bool dgram)
{
	const struct graph_ref *last = graph_ref_before(g, &g->recvs, sock, sent->ts), *r;
	uint64_t from_ns =
		MAX(checked_sub(sent->ts, MESSAGE_SAME_TASK_NS), last ? g->w->events[last->event].r.ts : 0);
	size_t n, got = 0;

	r = graph_refs_from(g, &g->recvs, peer, from_ns, &n);
	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < since_ns && scan_step(g); i++)
		got += ct_message_bytes(&g->w->events[r[i].event].r) == ct_message_bytes(sent);
	return got &&
	       !(dgram && sent_by_others(g, sock, peer, ct_message_bytes(sent), from_ns, since_ns) >= got);
}

/* A packet filter may send a datagram on to a socket at another address. Within a host, the send then wakes
 * the task that waits on this socket. Returns true if the sender woke a task on another datagram socket than
 * peer just before the record of the send. */
static bool went_elsewhere(const struct graph *g, uint64_t peer, uint32_t sent)
{
	const struct window_event *e = g->w->events;

	for (uint32_t i = sent; i-- > 0 && e[i].r.ts + MESSAGE_LATE_NS >= e[sent].r.ts;) {
		const struct window_object *o;

		if (!scan_step(g))
			return true;
		if (e[i].r.kind != CT_WAKE || ct_wake_waker(&e[i].r) != e[sent].r.tid || e[i].r.obj == peer)
			continue;
		o = graph_object(g, e[i].r.obj);
		if (o && CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && o->type == SOCK_DGRAM)
			return true;
	}
	return false;
}

/* Returns the first receive on peer after since_ns that may be of the message `sent`, or NULL. Others may
 * send datagrams to peer too. A receive never returns more bytes than the datagram has. */
static const struct graph_ref *first_receive(const struct graph *g, uint64_t peer, const struct ct_rec *sent,
					     uint64_t since_ns, bool dgram)
{
	size_t n;
	const struct graph_ref *got = graph_refs_from(g, &g->recvs, peer, since_ns, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (!dgram || ct_message_bytes(&g->w->events[got[i].event].r) <= ct_message_bytes(sent))
			return &got[i];
	return NULL;
}

/* Returns the other end of a connection within this host that has been accepted, or 0. */
static uint64_t local_end(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = o && graph_is_local(g, sock) ? owner_dgram_receiver(g, o, ts_ns) : 0;

	return peer & CT_OBJ_NOT_ACCEPTED ? 0 : peer;
}

/* Returns the earliest time at which the message may have been received. The record of its send may be late.
 * But if the thread that sent it had received something on sock before, its call to send began after that. */
static uint64_t since_send(const struct graph *g, uint64_t sock, const struct ct_rec *sent)
{
	uint64_t since_ns = checked_sub(sent->ts, MESSAGE_LATE_NS);
	const struct graph_ref *last = graph_ref_before(g, &g->recvs, sock, sent->ts);
	const struct ct_rec *r = last ? &g->w->events[last->event].r : NULL;

	return r && r->tid == sent->tid ? MAX(since_ns, r->ts) : since_ns;
}

uint64_t bytes_arrived_ns(const struct graph *g, uint64_t sock, uint32_t task, uint64_t from_ns,
			  uint64_t to_ns)
{
	uint64_t peer = local_end(g, sock, from_ns), since_ns, late_ns, arrived_ns = to_ns;
	bool dgram = peer && graph_object(g, sock)->type == SOCK_DGRAM;
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, sock, from_ns), *got;
	uint32_t end = (uint32_t)MIN(window_lower_bound(g->w, to_ns), g->w->n_events - 1);
	const struct ct_rec *r = sent ? &g->w->events[sent->event].r : NULL;

	if (!peer || !r || (dgram && went_elsewhere(g, peer, sent->event)))
		return 0;
	late_ns = MAX(from_ns, r->ts + MESSAGE_DELAYED_NS);
	since_ns = since_send(g, sock, r);
	got = first_receive(g, peer, r, since_ns, dgram);
	if (got)
		arrived_ns = MIN(arrival_of(g, &g->w->events[got->event].r, peer), to_ns);
	if (arrived_ns <= late_ns || was_received_before(g, sock, peer, r, since_ns, dgram) ||
	    bytes_lack_between(g, sock, sent->event, end) ||
	    (dgram && bytes_lack_between(g, peer, sent->event, end)))
		return 0;
	return owner_awaits_input(g, task, peer, since_ns, late_ns + (arrived_ns - late_ns) / 2) &&
			       owner_awaits_input(g, task, peer, since_ns, arrived_ns - 1)
		       ? arrived_ns
		       : 0;
}

/* Returns true if a task waits for connections on the listening socket at ts_ns. If since_ns is earlier, all
 * tasks that may wait for them have to do so, and none may have been woken for one since then. */
static bool is_awaited(const struct graph *g, uint64_t listener, uint64_t since_ns, uint64_t ts_ns)
{
	struct enders users = { 0 };
	bool known = owner_holders(g, listener, ts_ns, &users);
	uint32_t user = users.n ? GRAPH_NONE : owner_fd(g, listener, ts_ns, 0, 0, &users);
	size_t waiting = 0;

	if (user != GRAPH_NONE)
		owner_add(g, &users, user);
	for (size_t i = 0; i < users.n; i++)
		waiting += owner_awaits_input(g, users.v[i], listener, since_ns, ts_ns);
	return since_ns < ts_ns ? known && waiting && waiting == users.n : waiting > 0;
}

/* Returns true if is_awaited() holds for each of the sockets that listen for the connection o. */
static bool are_awaited(const struct graph *g, const struct window_object *o, uint64_t since_ns,
			uint64_t ts_ns)
{
	enum listens best = LISTENS_NOT;
	bool all = false;
	size_t n;
	const struct graph_ref *r = graph_listening(g, o->family, o->type, o->rport, o->name, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *l = &g->w->objects[r[i].event];
		enum listens how = graph_listens_for(g, l, o);

		if (how == LISTENS_NOT || how < best)
			continue;
		all = (how > best || all) && is_awaited(g, l->id, since_ns, ts_ns);
		best = how;
	}
	return all && scan_left(g);
}

/* The connection o was not made at o->connecting_ns. Returns true if it was not made up to to_ns either: all
 * tasks that may get it waited for it then, and no connection has woken them since. */
static bool is_still_connecting(const struct graph *g, const struct window_object *o, uint64_t to_ns)
{
	uint64_t since_ns = o->connecting_ns;

	return since_ns && since_ns < to_ns && !graph_may_lack(g, CT_LACK_MESSAGES, since_ns, to_ns) &&
	       are_awaited(g, o, since_ns, since_ns) && are_awaited(g, o, since_ns, to_ns);
}

/* Returns the time of the first message on the socket, or UINT64_MAX. */
static uint64_t first_message(const struct graph *g, uint64_t sock)
{
	size_t n_sent, n_got;
	const struct graph_ref *sent = graph_refs(&g->sends, sock, &n_sent);
	const struct graph_ref *got = graph_refs(&g->recvs, sock, &n_got);

	return MIN(n_sent ? g->w->events[sent->event].r.ts : UINT64_MAX,
		   n_got ? g->w->events[got->event].r.ts : UINT64_MAX);
}

uint64_t bytes_connected_ns(const struct graph *g, const struct interval *s, uint64_t sock, uint64_t from_ns,
			    uint64_t to_ns)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t late_ns = from_ns + MESSAGE_DELAYED_NS, seen_ns, made_ns, middle_ns;

	if (!o || CT_OBJ_KIND(sock) != CT_OBJ_SOCK || o->family == AF_UNIX || o->type != SOCK_STREAM ||
	    !graph_is_local(g, sock))
		return 0;
	seen_ns = s->wait == CT_W_CONNECT ? s->to_ns : o->connecting_ns;
	made_ns = MIN(first_message(g, sock), to_ns);
	if (made_ns <= late_ns)
		return 0;
	if (seen_ns <= late_ns)
		return is_still_connecting(g, o, made_ns - 1) ? made_ns : 0;
	middle_ns = late_ns + (made_ns - late_ns) / 2;
	return are_awaited(g, o, middle_ns, middle_ns) && are_awaited(g, o, made_ns - 1, made_ns - 1)
		       ? made_ns
		       : 0;
}
