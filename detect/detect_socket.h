/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_socket.h - the detector's table of sockets: which two are the ends of a connection, and whether
 * there are bytes that nobody has read.  Epolls too: who waits there.  A fixed table, as that of habits.
 */
#ifndef CTRACE_DETECT_DETECT_SOCKET_H
#define CTRACE_DETECT_DETECT_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_SOCKETS 16384 /* also epolls */

struct detect_socket {
	uint64_t obj; /* 0: empty */
	uint64_t used_ns;
	uint64_t peer;      /* the other end, 0: not known */
	uint64_t unread_ns; /* since when there are unread bytes, 0: there are none */
	uint64_t max_delay_ns;
	uint64_t read_ns;     /* when it was read last */
	int64_t unread_bytes; /* below 0: read before the record of the send came */
	uint32_t reader;      /* who read last; of an epoll: who waited last */
	uint32_t writer;      /* who sent last to this end */
	uint32_t answers;     /* how often it was read after it had been sent to */
	bool shared;          /* more than one task reads */
};

struct detect_sockets {
	struct detect_socket *v; /* DETECT_SOCKETS */
};

int detect_sockets_init(struct detect_sockets *s);
void detect_sockets_done(struct detect_sockets *s);
/* NULL when it is not there. */
struct detect_socket *detect_socket_find(const struct detect_sockets *s, uint64_t obj);
/* ... which is made if it is not there. */
struct detect_socket *detect_socket_get(struct detect_sockets *s, uint64_t obj, uint64_t now_ns);
/* Learns what is told of a socket: its other end. */
void detect_socket_name(struct detect_sockets *s, const struct ct_object_blob *o);
void detect_socket_sent(struct detect_sockets *s, const struct ct_rec *rec);
/* What its reader read was left out until capped_ns: what is unread is not known, unless it has read since.
 */
void detect_socket_forget(struct detect_sockets *s, uint64_t obj, uint64_t capped_ns);
void detect_socket_received(struct detect_sockets *s, const struct ct_rec *rec);

#endif
