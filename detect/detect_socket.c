// SPDX-License-Identifier: GPL-2.0-or-later
#include "detect/detect_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ctrace/fields.h"
#include "detect/thresholds.h"
#include "lib/bits.h"
#include "lib/cleanup.h"
#include "lib/hash.h"

#define SOCKET_ROW 4

int detect_sockets_init(struct detect_sockets *s)
{
	s->v = calloc(DETECT_SOCKETS, sizeof(*s->v));
	return s->v ? 0 : -ENOMEM;
}

void detect_sockets_done(struct detect_sockets *s)
{
	free(s->v);
}

static struct detect_socket *socket_row(const struct detect_sockets *s, uint64_t obj)
{
	uint64_t h = obj * 0x9e3779b97f4a7c15ULL;

	return &s->v[(h >> 40) % (DETECT_SOCKETS / SOCKET_ROW) * SOCKET_ROW];
}

struct detect_socket *detect_socket_find(const struct detect_sockets *s, uint64_t obj)
{
	struct detect_socket *row = socket_row(s, obj);

	for (struct detect_socket *at = row; obj && at < row + SOCKET_ROW; at++)
		if (at->obj == obj)
			return at;
	return NULL;
}

struct detect_socket *detect_socket_get(struct detect_sockets *s, uint64_t obj, uint64_t now_ns)
{
	struct detect_socket *row = socket_row(s, obj), *oldest = row;

	for (struct detect_socket *at = row; at < row + SOCKET_ROW; at++) {
		if (at->obj == obj) {
			at->used_ns = now_ns;
			return at;
		}
		if (at->used_ns < oldest->used_ns)
			oldest = at;
	}
	*oldest = (struct detect_socket){ .obj = obj, .used_ns = now_ns };
	return oldest;
}

/* Clears the bits of entries for which `is` is false. */
static struct detect_socket *socket_next(const struct detect_sockets *s, uint64_t *bits, uint32_t i,
					 bool (*is)(const struct detect_socket *at))
{
	for (i = bits_next(bits, DETECT_SOCKETS, i); i < DETECT_SOCKETS;
	     i = bits_next(bits, DETECT_SOCKETS, i + 1)) {
		if (is(&s->v[i]))
			return &s->v[i];
		bits_clear(bits, i);
	}
	return NULL;
}

static bool socket_is_unread(const struct detect_socket *at)
{
	return at->unread_ns;
}

static bool socket_is_answered(const struct detect_socket *at)
{
	return at->answers && !at->shared;
}

struct detect_socket *detect_socket_next_unread(struct detect_sockets *s, uint32_t i)
{
	return socket_next(s, s->unread, i, socket_is_unread);
}

struct detect_socket *detect_socket_next_answered(struct detect_sockets *s, uint32_t i)
{
	return socket_next(s, s->answered, i, socket_is_answered);
}

/* Gives an IPv4 address one form at both ends of a connection: ::ffff:a.b.c.d becomes a.b.c.d. */
static void socket_address(const struct ct_object_blob *o, const uint8_t from[16], uint8_t to[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	memset(to, 0, 16);
	if (o->family == AF_INET6 && !memcmp(from, mapped, sizeof(mapped)))
		memcpy(to, from + 12, 4);
	else
		memcpy(to, from, o->family == AF_INET ? 4 : 16);
}

/* o describes the socket at one end of a connection. Returns the key of this end, or, if `far` is
 * true, of the other end. The key of an end is a hash of the addresses and ports of both ends, in
 * an order that depends on the end. The table of sockets has an entry for each key. Its member
 * `peer` is the id of the socket at the end with this key. The CT_OBJ_KIND of a key is 0, so no
 * object has a key as its id. */
static uint64_t socket_address_key(const struct ct_object_blob *o, bool far)
{
	uint64_t h = HASH_START ^ o->protocol ^ (uint64_t)o->netns << 8;
	uint8_t a[16], b[16];
	uint32_t ports = far ? (uint32_t)o->rport << 16 | o->lport : (uint32_t)o->lport << 16 | o->rport;

	socket_address(o, far ? o->raddr : o->laddr, a);
	socket_address(o, far ? o->laddr : o->raddr, b);
	h = hash_bytes(hash_bytes(h, a, sizeof(a)), b, sizeof(b));
	h = (h ^ ports) * 0x9e3779b97f4a7c15ULL;
	return (h >> 5 & CT_OBJ_MASK) | 1;
}

static void socket_pair(struct detect_sockets *s, uint64_t a, uint64_t b, uint64_t now_ns)
{
	detect_socket_get(s, a, now_ns)->peer = b;
	detect_socket_get(s, b, now_ns)->peer = a;
}

void detect_socket_name(struct detect_sockets *s, const struct ct_object_blob *o)
{
	const struct detect_socket *far;

	if (CT_OBJ_KIND(o->id) != CT_OBJ_SOCK)
		return;
	if (o->peer) {
		socket_pair(s, o->id, o->peer, o->h.ts);
		return;
	}
	if ((o->family != AF_INET && o->family != AF_INET6) || !o->rport || !o->lport)
		return;
	detect_socket_get(s, socket_address_key(o, false), o->h.ts)->peer = o->id;
	far = detect_socket_find(s, socket_address_key(o, true));
	if (far && far->peer && far->peer != o->id)
		socket_pair(s, o->id, far->peer, o->h.ts);
}

void detect_socket_sent(struct detect_sockets *s, const struct ct_rec *rec)
{
	struct detect_socket *from = detect_socket_get(s, rec->obj, rec->ts), *to;

	if (!from->peer)
		return;
	to = detect_socket_get(s, from->peer, rec->ts);
	to->peer = rec->obj;
	to->writer = rec->tid;
	/* The count was below 0 for long: bytes were sent, but not counted, before the two ends were
	 * known as one connection. */
	if (to->unread_bytes < 0 && rec->ts > to->read_ns + SOCKET_LATE_NS)
		to->unread_bytes = 0;
	to->unread_bytes += ct_message_bytes(rec);
	if (to->unread_bytes > 0 && !to->unread_ns)
		to->unread_ns = rec->ts;
	if (to->unread_ns)
		bits_set(s->unread, (uint32_t)(to - s->v));
}

void detect_socket_forget(struct detect_sockets *s, uint64_t obj, uint64_t capped_ns)
{
	struct detect_socket *at = detect_socket_find(s, obj);

	if (at && at->read_ns < capped_ns)
		at->unread_bytes = 0, at->unread_ns = 0;
}

void detect_socket_received(struct detect_sockets *s, const struct ct_rec *rec)
{
	struct detect_socket *at = detect_socket_get(s, rec->obj, rec->ts);

	at->shared |= at->reader && at->reader != rec->tid;
	at->reader = rec->tid;
	at->answers += at->answers < UINT32_MAX;
	bits_set(s->answered, (uint32_t)(at - s->v));
	at->read_ns = MAX(at->read_ns, rec->ts);
	at->unread_bytes -= ct_message_bytes(rec);
	if (at->unread_ns && rec->ts > at->unread_ns)
		at->max_delay_ns = MAX(at->max_delay_ns, rec->ts - at->unread_ns);
	/* the reader reads, so the time of the bytes that are still unread starts anew */
	at->unread_ns = at->unread_bytes > 0 ? rec->ts : 0;
}
