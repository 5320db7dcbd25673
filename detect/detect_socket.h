/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detect_socket.h - the detector's table of sockets: which two sockets are the ends of one
 * connection, and whether there are unread bytes. The table also has epolls: for an epoll, the task
 * that waited there last. detect_judge.c judges by this table.
 *
 * The table has a fixed size. The hash of an id chooses a row of the table. If the row of a new
 * socket is full, the new socket replaces the socket in this row that was not used for the longest
 * time. Only one thread at a time may call the functions. Times are boot time.
 */
#ifndef CTRACE_DETECT_DETECT_SOCKET_H
#define CTRACE_DETECT_DETECT_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define DETECT_SOCKETS 16384 /* entries of the table: sockets, epolls and addresses */

struct detect_socket {
	uint64_t obj; /* the socket or epoll, or the key of an address; 0: the entry is empty */
	uint64_t used_ns;
	/* the socket at the other end of the connection; in the entry of an address: the socket
	 * that has this address; 0: not known */
	uint64_t peer;
	/* There have been unread bytes since this time; 0: there are none. While messages are not
	 * recorded, this is the time at which the kernel first reported unread bytes. */
	uint64_t unread_ns;
	uint64_t asked_ns;     /* when the kernel was last asked for unread bytes */
	uint64_t max_delay_ns; /* the longest time that bytes were unread */
	uint64_t read_ns;      /* when a task read from the socket last */
	/* below 0: a receive was counted, and the send of its bytes was not counted, or not yet */
	int64_t unread_bytes;
	uint32_t reader;  /* the task that read last; for an epoll: the task that waited last */
	uint32_t writer;  /* the task that sent last to this end */
	uint32_t answers; /* how often a task read from the socket */
	bool shared;      /* more than one task reads from the socket */
};

struct detect_sockets {
	struct detect_socket *v; /* DETECT_SOCKETS entries */
	/* One bit for each entry. If the bit is not set, the entry has no unread bytes. If the bit
	 * is set, the entry may have some. The detector looks for unread bytes several times a
	 * second. The bits save a walk over the whole table, which is larger than the caches of a
	 * CPU. While messages are not recorded, the bits are not used. */
	uint64_t unread[DETECT_SOCKETS / 64];
};

/* Returns 0 or -ENOMEM. The caller calls detect_sockets_done() in both cases. */
int detect_sockets_init(struct detect_sockets *s);
void detect_sockets_done(struct detect_sockets *s);
/* Finds a socket. NULL: it is not in the table. The entry is valid until the next
 * detect_socket_get(). */
struct detect_socket *detect_socket_find(const struct detect_sockets *s, uint64_t obj);
/* Finds a socket. If it has no entry, makes one, which may replace another entry. The result is
 * never NULL. */
struct detect_socket *detect_socket_get(struct detect_sockets *s, uint64_t obj, uint64_t now_ns);
/* Finds the first entry with unread bytes, from entry i on. NULL: there is none. To find the next
 * entry, the caller passes the index of the result + 1. */
struct detect_socket *detect_socket_next_unread(struct detect_sockets *s, uint32_t i);
/* Learns the other end of a socket from a blob. */
void detect_socket_name(struct detect_sockets *s, const struct ct_object_blob *o);
/* Adds the bytes of a CT_SEND to the unread bytes of the other end, if that end is known. */
void detect_socket_sent(struct detect_sockets *s, const struct ct_rec *rec);
/*
 * Forgets the unread bytes of a socket, unless a task has read from the socket at capped_ns or later.
 * Before capped_ns, records of the reader were left out, so the number of unread bytes is not known.
 */
void detect_socket_forget(struct detect_sockets *s, uint64_t obj, uint64_t capped_ns);
/* Subtracts the bytes of a CT_RECV from the unread bytes. Notes the reader, and how long the bytes
 * were unread. */
void detect_socket_received(struct detect_sockets *s, const struct ct_rec *rec);

#endif
