/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procnet.h - the sockets of this host and their other ends, in the network namespaces of all
 * processes. Unix sockets are from sock_diag(7); TCP and UDP sockets are from /proc/PID/net. Only a
 * kernel with unix_diag shows unix sockets. Only root can read the unix sockets of another
 * namespace. One thread calls procnet_read(), which enters other namespaces for a moment. Any thread
 * may read the result.
 */
#ifndef CTRACE_PROCFS_PROCNET_H
#define CTRACE_PROCFS_PROCNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "procfs/proctask.h"

struct procnet_sock {
	/* 0: no process has the socket open, for example because it is not accepted yet */
	uint64_t ino;
	uint64_t netns;
	uint64_t peer_ino; /* unix sockets only */
	uint16_t family;
	uint8_t protocol;
	uint8_t state; /* TCP_*, also of unix and UDP sockets */
	uint16_t lport, rport;
	uint8_t laddr[16], raddr[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint32_t unread_bytes;        /* of a listener: connections to accept */
	char name[112];               /* unix: path, '@' first for an abstract one */
};

struct procnet {
	VEC(struct procnet_sock) socks; /* sorted by ino */
	uint32_t *by_addr; /* indices of TCP and UDP sockets, sorted by protocol and local port */
	size_t n_addr;
	struct map pending; /* inodes: a unix client that is not accepted -> its listener */
	uint32_t unseen_cnt;
	/* why the unix sockets of the last unseen namespace could not be read, such as EPERM;
	 * ENOENT: the kernel has no unix_diag */
	int unseen_errno;
};

/* Reads the network namespaces of the processes in t. The caller frees *ret with procnet_done().
 * Returns 0, -ENOMEM, or -ENOTRECOVERABLE: the thread remains in the namespace of another
 * process. */
int procnet_read(const struct proctask *t, struct procnet *ret);
void procnet_done(struct procnet *n);

const struct procnet_sock *procnet_by_ino(const struct procnet *n, uint64_t ino);
/*
 * Returns the other end of s. If no process has accepted the connection, returns the listening
 * socket, and *ret_pending is true. NULL: the other end is not on this host, or is not known.
 */
const struct procnet_sock *procnet_peer(const struct procnet *n, const struct procnet_sock *s,
					bool *ret_pending);
const struct procnet_sock *procnet_unix_listener(const struct procnet *n, uint64_t netns, const char *name);
/* Returns true if s is connected, but to no loopback address and to no socket of this host. */
bool procnet_is_remote(const struct procnet *n, const struct procnet_sock *s);
/*
 * Writes a text such as "tcp 127.0.0.1:40000->127.0.0.1:6379" or "unix /run/x". For a unix socket
 * without a name, the text has the name of peer. peer may be NULL.
 */
void procnet_describe(const struct procnet_sock *s, const struct procnet_sock *peer, char *buf, size_t size);

#endif
