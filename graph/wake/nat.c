// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/nat.h"

#include <string.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/bytes.h"
#include "lib/cleanup.h"

/* bytes of an address that name its network */
#define V4_NETWORK 3
#define V6_NETWORK 8

struct address {
	uint8_t bytes[16];
	bool v4;
};

static struct address address_of(uint16_t family, const uint8_t raw[16])
{
	struct address a;

	a.v4 = graph_plain_address(family, raw, a.bytes);
	return a;
}

static bool is_unset(const struct address *a)
{
	static const struct address none;

	return !memcmp(a->bytes, none.bytes, sizeof(none.bytes));
}

static bool is_equal(const struct address *a, const struct address *b)
{
	return a->v4 == b->v4 && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static bool is_same_network(const struct address *a, const struct address *b)
{
	return a->v4 == b->v4 && !memcmp(a->bytes, b->bytes, a->v4 ? V4_NETWORK : V6_NETWORK);
}

/* RFC 1918, RFC 6598, RFC 3927; RFC 4193, RFC 4291 */
static bool is_private(const struct address *a)
{
	static const struct {
		uint8_t first[2], mask[2];
		bool v4;
	} networks[] = {
		{ { 10, 0 }, { 0xff, 0 }, true },          { { 172, 16 }, { 0xff, 0xf0 }, true },
		{ { 192, 168 }, { 0xff, 0xff }, true },    { { 100, 64 }, { 0xff, 0xc0 }, true },
		{ { 169, 254 }, { 0xff, 0xff }, true },    { { 0xfc, 0 }, { 0xfe, 0 }, false },
		{ { 0xfe, 0x80 }, { 0xff, 0xc0 }, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(networks); i++)
		if (a->v4 == networks[i].v4 && (a->bytes[0] & networks[i].mask[0]) == networks[i].first[0] &&
		    (a->bytes[1] & networks[i].mask[1]) == networks[i].first[1])
			return true;
	return false;
}

static bool is_inet(const struct window_object *o)
{
	return CT_OBJ_KIND(o->id) == CT_OBJ_SOCK && (o->family == AF_INET || o->family == AF_INET6);
}

/* Returns true if the remote address and port of x are the local ones of o, and no socket in the trace is the
 * other end of x. All clients of a server have its address and port as their remote ones. */
static bool is_reverse(const struct graph *g, const struct window_object *o, const struct window_object *x)
{
	struct address local = address_of(o->family, o->laddr), far = address_of(x->family, x->raddr);

	return x->type == o->type && x->rport == o->lport && !is_unset(&local) && is_equal(&far, &local) &&
	       !graph_has_inet_peer(g, x);
}

static bool is_sign(const struct graph *g, const struct window_object *o, const struct window_object *x)
{
	struct address far = address_of(o->family, o->raddr), x_local = address_of(x->family, x->laddr);

	if (is_reverse(g, o, x))
		return true;
	if (x->type == o->type && x->lport == o->rport && is_private(&far) &&
	    (!x->rport || graph_is_accepted(g, x->id)))
		return true;
	return x->netns && o->netns && x->netns != o->netns && is_private(&far) &&
	       is_same_network(&x_local, &far);
}

bool nat_may_be_local(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock), *x = g->w->objects;

	if (!o || CT_OBJ_KIND(sock) != CT_OBJ_SOCK || o->family == AF_UNIX || !o->rport ||
	    graph_is_local(g, sock) || graph_peer_object(g, sock))
		return false;
	for (size_t i = 0; i < g->w->n_objects && scan_step(g); i++)
		if (x[i].id != sock && is_inet(&x[i]) && is_sign(g, o, &x[i]))
			return true;
	return false;
}

uint32_t nat_sender(const struct graph *g, uint64_t sock, const struct window_event *wake)
{
	const struct window_object *o = graph_object(g, sock), *x;
	const struct window_event *e = wake + 1, *end = g->w->events + g->w->n_events;

	if (!o || !is_inet(o) || !o->rport || ct_wake_context(&wake->r) != CT_CTX_SOFTIRQ ||
	    wake->r.flags & CT_WF_IDLE || ct_wake_call(&wake->r) != CT_W_WRITE)
		return GRAPH_NONE;
	for (size_t looks = 0; e < end && looks < SPOKE_LOOKS && scan_step(g); looks++, e++) {
		if (e->r.ts > wake->r.ts + MESSAGE_SAME_TASK_NS)
			break;
		if (e->r.kind != CT_SEND || e->r.tid != ct_wake_waker(&wake->r))
			continue;
		x = graph_object(g, e->r.obj);
		if (!x || !is_inet(x) || !is_reverse(g, o, x))
			break;
		if (bytes_lack_between(g, x->id, (uint32_t)(wake - g->w->events),
				       (uint32_t)(e - g->w->events)))
			break;
		return graph_task_at(g, e->r.tid, e->r.ts);
	}
	return GRAPH_NONE;
}

bool nat_is_accepted(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock), *x = g->w->objects;

	for (size_t i = 0; o && is_inet(o) && i < g->w->n_objects; i++)
		if (!scan_step(g) || (x[i].id != sock && is_inet(&x[i]) && is_reverse(g, o, &x[i])))
			return true;
	return false;
}
