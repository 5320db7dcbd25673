// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/futex.h>
#include <linux/major.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "ctrace/glibc.h"
#include "graph/timeline/build.h"
#include "graph/timeline/scan.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/memory.h"

#define PTMX_DEV (5U << 20 | 2)

struct ref {
	uint32_t key;
	uint32_t event;
};

typedef struct {
	VEC(struct ref) v;
	VEC(uint64_t) keys;
	VEC(uint32_t) only;   /* as graph_index.only, in the order of keys */
	struct tids *sharers; /* graph.sharers */
	struct map at;
	uint32_t last;
} refs;

static void refs_free(refs *r)
{
	VEC_FREE(&r->v);
	VEC_FREE(&r->keys);
	VEC_FREE(&r->only);
	map_done(&r->at);
}

static int refs_add(refs *r, uint64_t key, uint32_t event)
{
	uint64_t at;

	if (!r->keys.n || r->keys.v[r->last] != key) {
		if (!map_get(&r->at, key, &at)) {
			at = r->keys.n;
			if (VEC_PUSH(&r->keys, key) || map_set(&r->at, key, at))
				return -ENOMEM;
		}
		r->last = (uint32_t)at;
	}
	return VEC_PUSH(&r->v, (struct ref){ r->last, event });
}

/* A tid from TIDS_MAX on counts as 0. Only a damaged file has such tids. */
static int refs_share(const refs *r, uint32_t tid)
{
	return tids_set(r->sharers, tid < TIDS_MAX ? tid : 0, 1);
}

static int refs_add_by(refs *r, uint64_t key, uint32_t event, uint32_t tid)
{
	uint32_t only;

	if (refs_add(r, key, event))
		return -ENOMEM;
	if (r->last == r->only.n)
		return VEC_PUSH(&r->only, tid);
	only = r->only.v[r->last];
	if (only == tid)
		return 0;
	r->only.v[r->last] = 0;
	return refs_share(r, only) ? -ENOMEM : refs_share(r, tid);
}

static int key_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each time this number of references is copied, their old memory is given back. */
#define GIVE_BACK 262144

/* A counting sort by key: the references of one key stay in the order of time. */
static int index_finish(struct graph_index *ix, refs *r)
{
	size_t n = r->v.n, n_keys = r->keys.n;
	_cleanup_free_ uint32_t *rank = malloc((n_keys + 1) * sizeof(*rank));
	uint64_t at = 0;

	ix->v = malloc((n + 1) * sizeof(*ix->v));
	ix->first = calloc(n_keys + 2, sizeof(*ix->first));
	ix->only = r->only.n ? malloc(n_keys * sizeof(*ix->only)) : NULL;
	if (!rank || !ix->v || !ix->first || (r->only.n && !ix->only))
		return -ENOMEM;
	VEC_SORT(&r->keys, key_cmp);
	for (size_t k = 0; k < n_keys; k++) {
		map_get(&r->at, r->keys.v[k], &at);
		rank[at] = (uint32_t)k;
		if (ix->only)
			ix->only[k] = r->only.v[at];
		if (map_set(&r->at, r->keys.v[k], k))
			return -ENOMEM;
	}
	ix->at = r->at;
	r->at = (struct map){ 0 };
	for (size_t i = 0; i < n; i++)
		ix->first[rank[r->v.v[i].key] + 2]++;
	for (size_t k = 1; k <= n_keys; k++)
		ix->first[k + 1] += ix->first[k];
	for (size_t i = 0; i < n; i++) {
		ix->v[ix->first[rank[r->v.v[i].key] + 1]++].event = r->v.v[i].event;
		if (i % GIVE_BACK == 0)
			huge_give_back(r->v.v, i * sizeof(*r->v.v));
	}
	ix->keys = TAKE_PTR(r->keys.v);
	ix->n_keys = n_keys;
	ix->n = n;
	return 0;
}

static uint64_t tuple_hash(const uint8_t *la, uint16_t lp, const uint8_t *ra, uint16_t rp)
{
	uint64_t h = hash_bytes(hash_bytes(HASH_START, la, 16), ra, 16);

	return hash_add(hash_add(h, lp), rp);
}

bool graph_plain_address(uint16_t family, const uint8_t in[16], uint8_t out[16])
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	bool is_mapped = family == AF_INET6 && !memcmp(in, mapped, 12);

	memset(out, 0, 16);
	if (is_mapped)
		memcpy(out, in + 12, 4);
	else
		memcpy(out, in, family == AF_INET ? 4 : 16);
	return is_mapped || family == AF_INET;
}

static bool is_inet(const struct window_object *o)
{
	return o && CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && (o->family == AF_INET || o->family == AF_INET6);
}

static bool is_accepted_unix(const struct window_object *o)
{
	return CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && o->family == AF_UNIX && o->name[0] && o->peer &&
	       !(o->id & CT_OBJ_NOT_ACCEPTED);
}

/* The server's end of a unix connection gets a new id when it is accepted. If o is the client's end,
 * o->peer may still be the old id. Then finds the accepted end: the socket whose peer is o. */
static uint64_t unix_peer(const struct graph *g, const struct window_object *o)
{
	size_t n = 0;
	const struct graph_ref *r =
		o->peer & CT_OBJ_NOT_ACCEPTED ? graph_refs(&g->accepted, o->id, &n) : NULL;

	return n ? g->w->objects[r[n - 1].event].id : o->peer;
}

static bool is_pty(const struct window_object *o)
{
	uint32_t major_no = ct_dev_major(o->dev);

	return (major_no >= UNIX98_PTY_SLAVE_MAJOR &&
		major_no < UNIX98_PTY_SLAVE_MAJOR + UNIX98_PTY_MAJOR_COUNT) ||
	       o->dev == PTMX_DEV;
}

static bool is_loopback(const uint8_t plain[16], bool v4)
{
	static const uint8_t one[16] = { [15] = 1 };

	return v4 ? plain[0] == IN_LOOPBACKNET : !memcmp(plain, one, 16);
}

static bool is_v4(uint16_t family, const uint8_t address[16])
{
	uint8_t plain[16];

	return graph_plain_address(family, address, plain);
}

/* How well the network namespaces of two ends of a connection fit, the worst first. */
enum spaces { SPACES_NOT, SPACES_APART, SPACES_UNKNOWN, SPACES_SAME };

static enum spaces spaces_of(const struct window_object *a, const struct window_object *b)
{
	uint8_t ra[16];

	if (a->netns == b->netns)
		return SPACES_SAME;
	if (!a->netns || !b->netns)
		return SPACES_UNKNOWN;
	graph_plain_address(a->family, a->raddr, ra);
	return is_loopback(ra, is_v4(a->family, a->raddr)) ? SPACES_NOT : SPACES_APART;
}

/* The sockets that may be the other end of one socket. */
struct ends {
	const struct window_object *best; /* NULL: none */
	enum spaces spaces;
	bool apart; /* they are in several other network namespaces, so any may be the other end */
	bool tied;  /* in the namespace of `best`, another one fits as well */
};

static long long apart_ns(const struct window_object *a, const struct window_object *b)
{
	return llabs((long long)(a->ts_ns - b->ts_ns));
}

/* One connection may have two records: one from before the accept, and one of the accepted socket.
 * Prefers the accepted socket. Otherwise prefers the record nearest in time, because ports are reused. */
static void add_end(struct ends *e, const struct window_object *o, const struct window_object *p)
{
	enum spaces spaces = spaces_of(o, p);
	bool better;

	if (spaces == SPACES_NOT || spaces < e->spaces)
		return;
	if (spaces > e->spaces) {
		*e = (struct ends){ .best = p, .spaces = spaces };
		return;
	}
	if (p->netns != e->best->netns) {
		e->apart = true;
		return;
	}
	if ((p->id ^ e->best->id) & CT_OBJ_NOT_ACCEPTED) {
		better = e->best->id & CT_OBJ_NOT_ACCEPTED;
	} else {
		better = apart_ns(p, o) < apart_ns(e->best, o);
		e->tied |= apart_ns(p, o) == apart_ns(e->best, o);
	}
	if (better) {
		e->best = p;
		e->tied = false;
	}
}

static struct ends inet_ends(const struct graph *g, const struct window_object *o)
{
	struct ends e = { .spaces = SPACES_NOT };
	uint8_t la[16], ra[16], pla[16], pra[16];
	const struct graph_ref *r;
	size_t n;

	if (!is_inet(o) || !o->rport)
		return e;
	graph_plain_address(o->family, o->laddr, la);
	graph_plain_address(o->family, o->raddr, ra);
	r = graph_refs(&g->tuples, tuple_hash(ra, o->rport, la, o->lport), &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *p = &g->w->objects[r[i].event];

		graph_plain_address(p->family, p->laddr, pla);
		graph_plain_address(p->family, p->raddr, pra);
		if (p->lport != o->rport || p->rport != o->lport || memcmp(pla, ra, 16) ||
		    memcmp(pra, la, 16))
			continue;
		if (p->type != o->type || p->id == o->id)
			continue;
		add_end(&e, o, p);
	}
	return e;
}

bool graph_has_inet_peer(const struct graph *g, const struct window_object *o)
{
	return inet_ends(g, o).best != NULL;
}

static bool is_only_end(const struct ends *e, const struct window_object *p)
{
	return e->best == p && !e->apart && !e->tied;
}

static uint64_t inet_peer(const struct graph *g, const struct window_object *o)
{
	struct ends e = inet_ends(g, o), back;

	if (!e.best || !is_only_end(&e, e.best))
		return 0;
	if (e.spaces == SPACES_SAME)
		return e.best->id;
	back = inet_ends(g, e.best);
	return is_only_end(&back, o) ? e.best->id : 0;
}

uint64_t graph_peer_object(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock);

	if (!o)
		return 0;
	if (CT_OBJ_KIND(sock) == CT_OBJ_TTY)
		return is_pty(o) ? sock ^ CT_OBJ_PTY_MASTER : 0;
	return o->peer ? unix_peer(g, o) : inet_peer(g, o);
}

static uint64_t address_key(const uint8_t plain[16])
{
	return hash_bytes(HASH_START, plain, 16);
}

static bool is_wildcard(const uint8_t plain[16])
{
	static const uint8_t zero[16];

	return !memcmp(plain, zero, 16);
}

bool graph_is_local(const struct graph *g, uint64_t sock)
{
	return graph_is_local_end(g, graph_object(g, sock));
}

/* As graph_is_local_end(), but only sockets of this network namespace count. netns 0: of all namespaces. */
static bool is_local_in(const struct graph *g, const struct window_object *o, uint32_t netns)
{
	uint8_t ra[16], la[16];
	const struct graph_ref *r;
	size_t n;

	if (!is_inet(o) || !o->rport)
		return false;
	graph_plain_address(o->family, o->raddr, ra);
	if (is_loopback(ra, is_v4(o->family, o->raddr)))
		return true;
	r = graph_refs(&g->addresses, address_key(ra), &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[r[i].event];

		graph_plain_address(x->family, x->laddr, la);
		if (!memcmp(la, ra, 16) && is_v4(x->family, x->laddr) == is_v4(o->family, o->raddr) &&
		    (!netns || !x->netns || x->netns == netns))
			return true;
	}
	return false;
}

bool graph_is_local_end(const struct graph *g, const struct window_object *o)
{
	return is_local_in(g, o, 0);
}

enum listens graph_listens_for(const struct graph *g, const struct window_object *l,
			       const struct window_object *o)
{
	bool same = !l->netns || !o->netns || l->netns == o->netns, v4;
	uint8_t la[16], ra[16];

	if (CT_OBJ_KIND(l->id) != CT_OBJ_SOCK || l->id == o->id || l->type != o->type)
		return LISTENS_NOT;
	/* a name without a path is one of a network namespace */
	if (o->family == AF_UNIX)
		return l->family == AF_UNIX && window_object_same_name(l, o) && (same || o->name[0] != '@')
			       ? LISTENS_EXACTLY
			       : LISTENS_NOT;
	if (!is_inet(l) || !is_inet(o) || l->rport || l->lport != o->rport)
		return LISTENS_NOT;
	v4 = is_v4(o->family, o->raddr);
	graph_plain_address(l->family, l->laddr, la);
	graph_plain_address(o->family, o->raddr, ra);
	if (is_wildcard(la)) {
		if (!same || (is_v4(l->family, l->laddr) && !v4) || !is_local_in(g, o, l->netns))
			return LISTENS_NOT;
		/* for an IPv4 address, the kernel prefers a socket of IPv4 to one of IPv6 */
		return v4 && l->family == AF_INET6 ? LISTENS_MAPPED : LISTENS_ANYWHERE;
	}
	if (memcmp(la, ra, 16) || is_v4(l->family, l->laddr) != v4)
		return LISTENS_NOT;
	return same ? LISTENS_EXACTLY : is_loopback(ra, v4) ? LISTENS_NOT : LISTENS_ELSEWHERE;
}

static uint64_t listening_key(uint16_t family, uint16_t type, uint16_t port, const char *name)
{
	if (family != AF_UNIX)
		return (uint64_t)type << 16 | port;
	return ct_dest_name(name) | 1ULL << 63;
}

const struct graph_ref *graph_listening(const struct graph *g, uint16_t family, uint16_t type, uint16_t port,
					const char *name, size_t *ret_n)
{
	return graph_refs(&g->listening, listening_key(family, type, port, name), ret_n);
}

const struct graph_ref *graph_named(const struct graph *g, uint64_t name, size_t *ret_n)
{
	return graph_refs(&g->listening, name | 1ULL << 63, ret_n);
}

static bool may_listen(const struct window_object *o)
{
	return (is_inet(o) && !o->rport) ||
	       (CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && o->family == AF_UNIX && o->name[0] && !o->peer);
}

bool graph_is_accepted(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock);
	const struct graph_ref *r;
	size_t n;

	if (!o || CT_OBJ_KIND(sock) != CT_OBJ_SOCK)
		return false;
	/* An accepted socket has the listening socket's name. A datagram socket with a name serves, unless it
	 * is connected itself: then the name is there for the answers. */
	if (o->family == AF_UNIX)
		return o->name[0] && !(o->type == SOCK_DGRAM && o->peer);
	r = graph_listening(g, o->family, o->type, o->lport, o->name, &n);
	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *x = &g->w->objects[r[i].event];

		if (is_inet(x) && x->family == o->family && x->lport == o->lport && x->type == o->type)
			return true;
	}
	return false;
}

static size_t keys_lower_bound(const struct graph_index *ix, size_t lo, uint64_t key)
{
	return BISECT(i, lo, ix->n_keys, ix->keys[i] >= key);
}

const struct graph_ref *graph_refs_range(const struct graph_index *ix, uint64_t first, uint64_t last,
					 size_t *ret_n)
{
	size_t lo = keys_lower_bound(ix, 0, first), hi = lo;

	if (last == UINT64_MAX)
		hi = ix->n_keys;
	else if (last != first)
		hi = keys_lower_bound(ix, lo, last + 1);
	else
		hi += lo < ix->n_keys && ix->keys[lo] == first;
	*ret_n = ix->n ? ix->first[hi] - ix->first[lo] : 0;
	return ix->n ? ix->v + ix->first[lo] : NULL;
}

const struct graph_ref *graph_refs(const struct graph_index *ix, uint64_t key, size_t *ret_n)
{
	uint64_t k;

	*ret_n = 0;
	if (!map_get(&ix->at, key, &k))
		return NULL;
	*ret_n = ix->first[k + 1] - ix->first[k];
	return ix->v + ix->first[k];
}

const struct graph_ref *graph_refs_from(const struct graph *g, const struct graph_index *ix, uint64_t key,
					uint64_t from_ns, size_t *ret_n)
{
	size_t n, first;
	const struct graph_ref *r = graph_refs(ix, key, &n);

	first = BISECT(i, 0, n, g->w->events[r[i].event].r.ts >= from_ns);
	*ret_n = n - first;
	return r ? r + first : NULL;
}

const struct graph_ref *graph_ref_before(const struct graph *g, const struct graph_index *ix, uint64_t key,
					 uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(ix, key, &n);

	n = BISECT(i, 0, n, g->w->events[r[i].event].r.ts > ts_ns);
	return n ? &r[n - 1] : NULL;
}

static uint32_t futex_command(uint64_t x1)
{
	return (uint32_t)x1 & (uint32_t)FUTEX_CMD_MASK;
}

/* Returns true for a wait of pthread_join() (ctrace/glibc.h), but not for one on a robust mutex: the
 * word of a robust mutex has FUTEX_WAITERS. */
static bool is_like_join(const struct window *w, const struct window_event *futex)
{
	uint64_t x1 = window_words(w, futex)[1];
	uint32_t word = x1 >> 32;

	return (futex_command(x1) == FUTEX_WAIT || futex_command(x1) == FUTEX_WAIT_BITSET) &&
	       !(x1 & FUTEX_PRIVATE_FLAG) && word > GLIBC_RWLOCK_CONTENDED &&
	       !(word & ~(uint32_t)FUTEX_TID_MASK);
}

bool index_is_owner(const struct window *w, const struct window_event *futex)
{
	const struct window_task *waiter = window_task_at(w, futex->r.tid, futex->r.ts);
	const struct window_task *owner = window_task_at(w, ct_futex_owner(&futex->r), futex->r.ts);
	uint64_t x1 = window_words(w, futex)[1];
	uint32_t op = (uint32_t)x1, word = x1 >> 32;

	if (!ct_futex_owner(&futex->r) || ct_futex_owner(&futex->r) == futex->r.tid)
		return false;
	/* While a task waits for a mutex, the word of the futex is GLIBC_MUTEX_CONTENDED, or has
	 * the tid of the owner. x1 is 0 if the record lacks the word. */
	if (futex_command(x1) == FUTEX_WAIT && x1 && word != GLIBC_MUTEX_CONTENDED &&
	    (word & FUTEX_TID_MASK) != ct_futex_owner(&futex->r))
		return false;
	/* The owner is a number from the memory of the waiter. If no task has this number as its
	 * tid, the number has another meaning. The owner of a private futex is in the waiter's
	 * process, and so is a thread that the waiter joins. */
	return !waiter || (owner && (op & FUTEX_PRIVATE_FLAG || is_like_join(w, futex)
					     ? waiter->tgid == owner->tgid
					     : !(owner->flags & CT_TF_KTHREAD)));
}

static bool is_owned_bitset(const struct window *w, const struct window_event *futex)
{
	return futex_command(window_words(w, futex)[1]) == FUTEX_WAIT_BITSET && index_is_owner(w, futex);
}

enum {
	IX_SENDS,
	IX_RECVS,
	IX_FLOCKS,
	IX_FDS,
	IX_TABLES,
	IX_MEMBERS,
	IX_WAITFDS,
	IX_SAMPLES,
	IX_SIGNALS,
	IX_LOCKTRIES,
	IX_OWNED,
	IX_JOINS,
	IX_ADDRESSES,
	IX_OWN_LOCKS,
	IX_WAKES,
	IX_LAST_WAKES,
	IX_TUPLES,
	IX_ACCEPTED,
	IX_LISTENING,
	IX_GAPS,
	IX_SHEDS,
	IX_CAPS,
	IX_GROUPS,
	IX_POLLED,
	IX_ACCESSES,
	IX_HANGS,
	IX_BLOCKS,
	IX_COUNT
};

static int index_event(const struct window *w, refs *v, const struct window_event *e, uint32_t i)
{
#define ADD(ix, k) refs_add(&v[ix], (k), i)
	switch (e->r.kind) {
	case CT_SEND:
		return refs_add_by(&v[IX_SENDS], e->r.obj, i, e->r.tid);
	case CT_RECV:
		return refs_add_by(&v[IX_RECVS], e->r.obj, i, e->r.tid);
	case CT_FLOCK:
		return ADD(IX_FLOCKS, e->r.obj) ? -ENOMEM : ADD(IX_LOCKTRIES, e->r.tid);
	case CT_HELD:
		return ADD(IX_FLOCKS, e->r.obj);
	case CT_FD:
		return ADD(IX_FDS, e->r.obj) ? -ENOMEM : ADD(IX_TABLES, e->r.tid);
	case CT_EPMEMBER:
		return ADD(IX_MEMBERS, window_words(w, e)[0]);
	case CT_FUTEX:
		if (is_like_join(w, e) && ADD(IX_JOINS, e->r.tid))
			return -ENOMEM;
		if (ct_futex_owner(&e->r) == e->r.tid)
			return ADD(IX_OWN_LOCKS, e->r.tid);
		return is_owned_bitset(w, e) ? ADD(IX_OWNED, GRAPH_FUTEX_KEY(e->r.obj)) : 0;
	case CT_WAITFD:
		return ADD(IX_WAITFDS, e->r.tid);
	case CT_SAMPLE:
		return ADD(IX_SAMPLES, e->r.tid);
	case CT_SIGNAL:
		return ADD(IX_SIGNALS, e->r.obj);
	case CT_POLLED:
		return ADD(IX_POLLED, e->r.tid);
	case CT_ACCESS:
		return ADD(IX_ACCESSES, e->r.obj);
	case CT_BLK_ISSUE:
	case CT_BLK_DONE:
		return ADD(IX_BLOCKS, e->r.obj);
	case CT_HANG:
		return ADD(IX_HANGS, e->r.tid);
	case CT_GAP:
		return ADD(IX_GAPS, 0);
	case CT_SHED:
		if (e->r.flags & CT_GV_CAP)
			return ADD(IX_CAPS, e->r.tid);
		return e->r.flags & CT_GV_GROUP ? ADD(IX_GROUPS, 0) : ADD(IX_SHEDS, 0);
	case CT_WAKE:
		if (e->r.flags & CT_WF_EXITING && ct_wake_by_task(&e->r) &&
		    ADD(IX_LAST_WAKES, ct_wake_waker(&e->r)))
			return -ENOMEM;
		if (e->r.obj && !(e->r.flags & CT_WF_READY) && ct_wake_context(&e->r) != CT_CTX_TIMER &&
		    ct_wake_context(&e->r) != CT_CTX_IRQ && ct_wake_waker(&e->r))
			return ADD(IX_WAKES, e->r.obj);
		return 0;
	}
	return 0;
#undef ADD
}

static int hash_objects(struct graph *g)
{
	size_t n = 2;

	while (n < g->w->n_objects * 2)
		n *= 2;
	g->objects = calloc(n, sizeof(*g->objects));
	if (!g->objects)
		return -ENOMEM;
	g->objects_mask = n - 1;
	for (size_t k = 0; k < g->w->n_objects; k++) {
		size_t i = map_hash(g->w->objects[k].id) & g->objects_mask;

		while (g->objects[i])
			i = (i + 1) & g->objects_mask;
		g->objects[i] = (uint32_t)k + 1;
	}
	return 0;
}

static int index_objects(struct graph *g, refs *v)
{
	uint8_t la[16], ra[16];

	for (size_t i = 0; i < g->w->n_objects; i++) {
		const struct window_object *o = &g->w->objects[i];

		if (is_accepted_unix(o) && refs_add(&v[IX_ACCEPTED], o->peer, (uint32_t)i))
			return -ENOMEM;
		if (may_listen(o) &&
		    refs_add(&v[IX_LISTENING], listening_key(o->family, o->type, o->lport, o->name),
			     (uint32_t)i))
			return -ENOMEM;
		if (!is_inet(o) || !o->lport)
			continue;
		graph_plain_address(o->family, o->laddr, la);
		graph_plain_address(o->family, o->raddr, ra);
		if (refs_add(&v[IX_TUPLES], tuple_hash(la, o->lport, ra, o->rport), (uint32_t)i))
			return -ENOMEM;
		if (!is_wildcard(la) && refs_add(&v[IX_ADDRESSES], address_key(la), (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}

static uint32_t lacks_from(const struct graph *g, const struct graph_ref *shed)
{
	const struct ct_rec *r = &g->w->events[shed->event].r;

	return ct_shed_lacks(ct_shed_step(r)) | (r->flags & CT_GV_BLIND ? CT_LACK_STACKS : 0);
}

uint32_t graph_lacks_at(const struct graph *g, uint64_t ns)
{
	const struct graph_ref *r = graph_ref_before(g, &g->sheds, 0, ns);

	return r ? lacks_from(g, r) : g->lacks_first;
}

uint32_t graph_lacks_within(const struct graph *g, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t lacks = graph_lacks_at(g, from_ns);
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->sheds, 0, from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts <= to_ns; i++)
		lacks |= lacks_from(g, &r[i]);
	return lacks;
}

bool graph_was_capped(const struct graph *g, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_ref_before(g, &g->caps, tid, from_ns);

	if (r && window_words(g->w, &g->w->events[r->event])[0] == g->w->events[r->event].r.ts)
		return true;
	r = graph_refs_from(g, &g->caps, tid, from_ns, &n);
	return n && window_words(g->w, &g->w->events[r->event])[0] <= to_ns;
}

bool graph_process_was_capped(const struct graph *g, uint32_t tgid, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);

	for (size_t i = 0; i < n; i++)
		if (!scan_step(g) || graph_was_capped(g, g->tasks[r[i].event].tid, from_ns, to_ns))
			return true;
	return false;
}

size_t graph_span_within(const struct graph_spans *s, size_t at, uint64_t from_ns, uint64_t to_ns)
{
	size_t i = BISECT(k, at, s->n, s->v[k].to_ns >= from_ns);

	if (i >= s->n)
		return s->n;
	/* up, to the next part of the tree that has such a span */
	for (i += s->leaves; s->least[i] > to_ns; i++) {
		while (i % 2)
			i /= 2;
		if (!i)
			return s->n;
	}
	while (i < s->leaves)
		i = s->least[2 * i] <= to_ns ? 2 * i : 2 * i + 1;
	return MIN(i - s->leaves, s->n);
}

bool graph_may_lack(const struct graph *g, uint32_t lacks, uint64_t from_ns, uint64_t to_ns)
{
	return graph_lacks_within(g, from_ns, to_ns) & lacks ||
	       graph_span_within(&g->grouped, 0, from_ns, to_ns) < g->grouped.n ||
	       graph_span_within(&g->lost, 0, from_ns, to_ns) < g->lost.n;
}

uint64_t graph_lacked_ns(const struct graph *g, uint32_t lacks, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t now = graph_lacks_at(g, from_ns);
	uint64_t ns = 0;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->sheds, 0, from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < to_ns && scan_step(g); i++) {
		uint64_t ts = g->w->events[r[i].event].r.ts;

		ns += (now & lacks) == lacks ? ts - from_ns : 0;
		from_ns = ts;
		now = lacks_from(g, &r[i]);
	}
	return ns + ((now & lacks) == lacks && from_ns < to_ns ? to_ns - from_ns : 0);
}

/* Returns what the governor left out at the begin of the window (CT_LACK_*). The first CT_SHED
 * names the step that was in force before it. Without a CT_SHED in the window, the step was
 * CT_SHED_COARSE if a task is FOLDED at the begin of the window, or else CT_SHED_NONE. */
static uint32_t lacks_first(const struct graph *g)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->sheds, 0, &n);

	if (n)
		return ct_shed_lacks(ct_shed_step_before(&g->w->events[r[0].event].r));
	for (size_t i = 0; i < g->w->n_states; i++)
		if (g->w->states[i].run == WINDOW_RUN_FOLDED)
			return ct_shed_lacks(CT_SHED_COARSE);
	return 0;
}

static int span_cmp(const void *a, const void *b)
{
	uint64_t x = ((const struct graph_span *)a)->to_ns, y = ((const struct graph_span *)b)->to_ns;

	return x < y ? -1 : x > y;
}

/* Sorts the spans, and makes their tree. */
static int spans_finish(struct graph_spans *s)
{
	size_t leaves = 1;

	while (leaves < s->n)
		leaves *= 2;
	s->leaves = leaves;
	s->least = malloc(2 * leaves * sizeof(*s->least));
	if (!s->least)
		return -ENOMEM;
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), span_cmp);
	for (size_t i = 0; i < leaves; i++)
		s->least[leaves + i] = i < s->n ? s->v[i].from_ns : UINT64_MAX;
	for (size_t i = leaves; i-- > 1;)
		s->least[i] = MIN(s->least[2 * i], s->least[2 * i + 1]);
	return 0;
}

/* A gap has a record at its end. */
static int gap_spans(struct graph *g)
{
	g->lost.v = malloc((g->gaps.n + 1) * sizeof(*g->lost.v));
	if (!g->lost.v)
		return -ENOMEM;
	for (size_t i = 0; i < g->gaps.n; i++) {
		const struct window_event *e = &g->w->events[g->gaps.v[i].event];

		if (ct_gap_has_events(&e->r))
			g->lost.v[g->lost.n++] =
				(struct graph_span){ .from_ns = window_words(g->w, e)[0], .to_ns = e->r.ts };
	}
	return spans_finish(&g->lost);
}

/* A cap makes a record at its begin and another one at its end, which has the time of the begin. A begin
 * counts up to the next record of the same key. */
static int cap_spans(const struct graph *g, const struct graph_index *ix, struct graph_spans *s)
{
	s->v = malloc((ix->n + 1) * sizeof(*s->v));
	if (!s->v)
		return -ENOMEM;
	for (size_t k = 0; k < ix->n_keys; k++)
		for (size_t i = ix->first[k]; i < ix->first[k + 1]; i++) {
			const struct window_event *e = &g->w->events[ix->v[i].event];
			uint64_t from_ns = window_words(g->w, e)[0], to_ns = e->r.ts;

			if (from_ns == to_ns)
				to_ns = i + 1 < ix->first[k + 1] ? g->w->events[ix->v[i + 1].event].r.ts
								 : UINT64_MAX;
			s->v[s->n++] = (struct graph_span){ from_ns, to_ns, (uint32_t)ix->keys[k] };
		}
	return spans_finish(s);
}

static int index_spans(struct graph *g)
{
	int r = gap_spans(g);

	if (!r)
		r = cap_spans(g, &g->groups, &g->grouped);
	return r ? r : cap_spans(g, &g->caps, &g->capped);
}

/* Moves each list of references into its index, and frees the list. r: 0, or an error that came before. */
static int index_move(struct graph_index *const *to, refs *v, int n, int r)
{
	for (int i = 0; i < n; i++) {
		if (!r)
			r = index_finish(to[i], &v[i]);
		refs_free(&v[i]);
	}
	return r;
}

/* A table is recorded in the order of the descriptors. So if the number does not grow from one record of a
 * process to the next, another table begins. Exception: threads may have tables of their own, which are read
 * one right after the other. They count as one table. */
static int index_table_begins(struct graph *g)
{
	struct graph_index *to = &g->table_begins;
	refs v = { 0 };
	int r = 0;

	for (size_t k = 0; k < g->tables.n_keys && !r; k++) {
		uint32_t before = 0;
		uint64_t before_ns = 0;

		for (uint32_t i = g->tables.first[k]; i < g->tables.first[k + 1] && !r; i++) {
			const struct ct_rec *e = &g->w->events[g->tables.v[i].event].r;
			uint32_t fd = ct_fd_number(e);

			if (i == g->tables.first[k] || (fd <= before && e->ts > before_ns + TABLE_READ_NS)) {
				r = refs_add(&v, g->tables.keys[k], i);
				g->last_table = MAX(g->last_table, g->tables.v[i].event);
			}
			before = fd;
			before_ns = e->ts;
		}
	}
	return index_move(&to, &v, 1, r);
}

struct index_lists {
	struct graph *g;
	refs v[IX_COUNT];
	int next; /* the first list with which no thread has begun */
	int err;
};

static struct graph_index *index_of(struct graph *g, int i)
{
	struct graph_index *all[IX_COUNT] = {
		[IX_SENDS] = &g->sends,         [IX_RECVS] = &g->recvs,
		[IX_FLOCKS] = &g->flocks,       [IX_FDS] = &g->fds,
		[IX_MEMBERS] = &g->members,     [IX_WAITFDS] = &g->waitfds,
		[IX_SAMPLES] = &g->samples,     [IX_SIGNALS] = &g->signals,
		[IX_LOCKTRIES] = &g->locktries, [IX_WAKES] = &g->wakes,
		[IX_TUPLES] = &g->tuples,       [IX_OWNED] = &g->owned,
		[IX_POLLED] = &g->polled,       [IX_ACCESSES] = &g->accesses,
		[IX_ACCEPTED] = &g->accepted,   [IX_GAPS] = &g->gaps,
		[IX_SHEDS] = &g->sheds,         [IX_LISTENING] = &g->listening,
		[IX_CAPS] = &g->caps,           [IX_GROUPS] = &g->groups,
		[IX_HANGS] = &g->hangs,         [IX_OWN_LOCKS] = &g->own_locks,
		[IX_JOINS] = &g->joins,         [IX_ADDRESSES] = &g->addresses,
		[IX_BLOCKS] = &g->blocks,       [IX_LAST_WAKES] = &g->last_wakes,
		[IX_TABLES] = &g->tables,
	};

	return all[i];
}

int index_collect(struct graph *g, struct index_lists **ret)
{
	struct index_lists *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	*ret = l;
	l->g = g;
	g->sharers = l->v[IX_SENDS].sharers = l->v[IX_RECVS].sharers = calloc(1, sizeof(*g->sharers));
	r = g->sharers ? 0 : -ENOMEM;
	/* Without this, these two arrays would move as they grow. Memory that is not filled costs nothing. */
	(void)VEC_RESERVE(&l->v[IX_SENDS].v, g->w->n_events);
	(void)VEC_RESERVE(&l->v[IX_RECVS].v, g->w->n_events);
	for (size_t i = 0; i < g->w->n_events && !r; i++)
		r = index_event(g->w, l->v, &g->w->events[i], (uint32_t)i);
	if (!r)
		r = hash_objects(g);
	return r ? r : index_objects(g, l->v);
}

void index_some(struct index_lists *l)
{
	int i;

	while (l && (i = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED)) < IX_COUNT) {
		int r = index_finish(index_of(l->g, i), &l->v[i]);

		if (r)
			__atomic_store_n(&l->err, r, __ATOMIC_RELAXED);
		refs_free(&l->v[i]);
	}
}

int index_settle(struct graph *g, struct index_lists *l, int r)
{
	if (!r)
		r = l->err;
	for (int i = 0; l && i < IX_COUNT; i++)
		refs_free(&l->v[i]);
	free(l);
	if (!r)
		r = index_table_begins(g);
	g->lacks_first = r ? 0 : lacks_first(g);
	return r ? r : index_spans(g);
}

int index_tasks(struct graph *g)
{
	struct graph_index *to[] = { &g->threads, &g->children, &g->process_caps, &g->called };
	refs v[ARRAY_SIZE(to)] = { 0 };
	int r = 0;

	for (size_t i = 0; i < g->n_tasks && !r; i++) {
		const struct graph_task *t = &g->tasks[i];

		r = refs_add(&v[0], t->tgid, (uint32_t)i);
		if (!r && t->ptgid && t->tid == t->tgid)
			r = refs_add(&v[1], t->ptgid, (uint32_t)i);
		if (!r)
			r = refs_add(&v[3], hash_text(HASH_START, graph_last_comm(g, (uint32_t)i)),
				     (uint32_t)i);
	}
	for (size_t i = 0; i < g->caps.n && !r; i++) {
		const struct ct_rec *e = &g->w->events[g->caps.v[i].event].r;
		uint32_t task = graph_task_at(g, e->tid, e->ts);

		r = refs_add(&v[2], task == GRAPH_NONE ? 0 : g->tasks[task].tgid, g->caps.v[i].event);
	}
	return index_move(to, v, ARRAY_SIZE(to), r);
}

static bool is_disk_wait(const struct graph *g, const struct interval *s)
{
	enum ct_obj_kind kind = CT_OBJ_KIND(s->obj);

	return s->st & CT_ST_DISK && (kind == CT_OBJ_FILE || kind == CT_OBJ_BLOCKDEV) &&
	       !g->tasks[s->task].kthread;
}

static int begin_cmp(const void *a, const void *b, void *arg)
{
	const struct interval *intervals = arg;
	uint32_t i = ((const struct graph_ref *)a)->event, k = ((const struct graph_ref *)b)->event;
	uint64_t x = intervals[i].from_ns, y = intervals[k].from_ns;

	return x != y ? (x < y ? -1 : 1) : i < k ? -1 : i > k;
}

int index_waits(struct graph *g)
{
	struct graph_index *reads = &g->reads;
	VEC(uint32_t) disk = { 0 };
	refs v = { 0 };
	int r = 0;

	for (size_t i = 0; i < g->n_intervals && !r; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->state != INTERVAL_BLOCKED)
			continue;
		g->n_waits++;
		if (s->wait == CT_W_READ && CT_OBJ_KIND(s->obj) == CT_OBJ_SOCK)
			r = refs_add(&v, s->obj, (uint32_t)i);
		if (!r && is_disk_wait(g, s))
			r = VEC_PUSH(&disk, (uint32_t)i);
	}
	g->disk_waits = disk.v;
	g->n_disk_waits = disk.n;
	r = index_move(&reads, &v, 1, r);
	for (size_t k = 0; k < reads->n_keys && !r; k++)
		qsort_r(reads->v + reads->first[k], reads->first[k + 1] - reads->first[k], sizeof(*reads->v),
			begin_cmp, g->intervals);
	return r;
}

void index_drop(struct graph *g)
{
	struct graph_index *all[] = {
		&g->sends,      &g->recvs,   &g->flocks,      &g->fds,    &g->members,  &g->waitfds,
		&g->samples,    &g->signals, &g->locktries,   &g->wakes,  &g->tuples,   &g->accepted,
		&g->children,   &g->threads, &g->called,      &g->polled, &g->accesses, &g->owned,
		&g->gaps,       &g->sheds,   &g->listening,   &g->caps,   &g->groups,   &g->hangs,
		&g->own_locks,  &g->joins,   &g->addresses,   &g->blocks, &g->reads,    &g->process_caps,
		&g->last_wakes, &g->tables,  &g->table_begins
	};
	struct graph_spans *spans[] = { &g->lost, &g->grouped, &g->capped };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		free(all[i]->v);
		free(all[i]->keys);
		map_done(&all[i]->at);
		free(all[i]->first);
		free(all[i]->only);
	}
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		free(spans[i]->v);
		free(spans[i]->least);
	}
	free(g->objects);
	tids_free(g->sharers);
}
