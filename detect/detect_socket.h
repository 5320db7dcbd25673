/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_socket.h - the detector's table of sockets: which two sockets are one connection, and
 * which have unread bytes. An epoll has an entry too: its reader is a task that waited at the
 * epoll. A new entry may replace an entry that was last used long ago. Only one thread at a time.
 * Times are boot time.
 */
#ifndef CTRACE_DETECT_DETECT_SOCKET_H
#define CTRACE_DETECT_DETECT_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_SOCKETS 16384

struct detect_socket {
	/* the socket or epoll, or the key of an end of a connection (socket_address_key()); 0: the
	 * entry is empty */
	uint64_t obj;
	uint64_t used_ns;
	/* Of a socket: the socket at the other end of its connection. Of the key of an end: the
	 * socket at this end. 0: not known. */
	uint64_t peer;
	/* Bytes are unread since this time; 0: there are none. While messages are not recorded:
	 * when the kernel first reported them. */
	uint64_t unread_ns;
	uint64_t asked_ns;
	uint64_t max_delay_ns; /* the longest time that bytes were unread */
	uint64_t read_ns;
	/* below 0: more bytes were counted as received than as sent */
	int64_t unread_bytes;
	uint32_t reader;  /* the task that read last; for an epoll: a task that waited there */
	uint32_t writer;  /* the task that sent last to this socket */
	uint32_t answers; /* the number of receives */
	bool shared;
};

struct detect_sockets {
	struct detect_socket *v;
	/* One bit for each entry, so that a search reads little memory. A clear bit in `unread`: no unread
	 * bytes, if messages are recorded. A clear bit in `answered`: no receives, or by several tasks. */
	uint64_t unread[DETECT_SOCKETS / 64], answered[DETECT_SOCKETS / 64];
};

/* Returns 0 or -ENOMEM. The caller calls detect_sockets_done() in both cases. */
int detect_sockets_init(struct detect_sockets *s);
void detect_sockets_done(struct detect_sockets *s);
/* Returns NULL if obj is not in the table. Valid until the next detect_socket_get(). */
struct detect_socket *detect_socket_find(const struct detect_sockets *s, uint64_t obj);
/* Returns the entry of obj, or a new one, which may replace another. Never NULL. */
struct detect_socket *detect_socket_get(struct detect_sockets *s, uint64_t obj, uint64_t now_ns);
/* Returns the first entry with unread bytes, from index i on. NULL: there is none. */
struct detect_socket *detect_socket_next_unread(struct detect_sockets *s, uint32_t i);
/* Returns the first entry from which one task has received, from index i on. NULL: there is none. */
struct detect_socket *detect_socket_next_answered(struct detect_sockets *s, uint32_t i);
void detect_socket_name(struct detect_sockets *s, const struct ct_object_blob *o);
/* Counts the bytes of a CT_SEND as unread by the socket at the other end of the connection, if this
 * socket is known. */
void detect_socket_sent(struct detect_sockets *s, const struct ct_rec *rec);
/* Forgets the unread bytes of a socket, unless a task has read from it at capped_ns or later.
 * Before capped_ns, records of its reader were left out. */
void detect_socket_forget(struct detect_sockets *s, uint64_t obj, uint64_t capped_ns);
/* Takes the bytes of a CT_RECV off the unread bytes, and notes the reader. */
void detect_socket_received(struct detect_sockets *s, const struct ct_rec *rec);

#endif
