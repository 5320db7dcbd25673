/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procnet.h - the sockets of this host and their other ends: unix sockets from sock_diag(7), TCP
 * and UDP from /proc/PID/net, for each network namespace that a process lives in.
 *
 * Only root can read the unix sockets of another network namespace. A kernel without unix_diag
 * shows no unix sockets at all. unseen_cnt counts the namespaces whose unix sockets could not be
 * read.
 *
 * These functions do not say which process has a socket open: proctask.h does. One thread calls
 * procnet_read(), which enters other network namespaces for a moment. Any thread may read the
 * result.
 */
#ifndef CTRACE_PROCFS_PROCNET_H
#define CTRACE_PROCFS_PROCNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "procfs/proctask.h"

struct procnet_sock {
	/* inode number; 0: no process has the socket open: for example, no process has accepted the
	 * connection yet */
	uint64_t ino;
	uint64_t netns;
	uint64_t peer_ino; /* inode number of the other end; unix sockets only */
	uint16_t family;   /* AF_UNIX, AF_INET, AF_INET6 */
	uint8_t protocol;  /* IPPROTO_TCP, IPPROTO_UDP, 0 */
	uint8_t state;     /* TCP_*; unix sockets use TCP_ESTABLISHED and TCP_LISTEN */
	uint16_t lport, rport;
	uint8_t laddr[16], raddr[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint32_t unread_bytes;        /* bytes in the receive queue; of a listener: connections to accept */
	char name[112];               /* unix: path, '@' first for an abstract one */
};

struct procnet {
	VEC(struct procnet_sock) socks; /* sorted by ino */
	uint32_t *by_addr;              /* indices of TCP and UDP sockets, by protocol and local port */
	size_t n_addr;
	struct map pending;  /* inode of a unix client that is not accepted -> inode of its listener */
	uint32_t unseen_cnt; /* network namespaces whose unix sockets could not be read */
	/* why the last of them could not be read, such as EPERM; ENOENT: the kernel has no
	 * unix_diag */
	int unseen_errno;
};

/* Reads all sockets in the network namespaces of the processes in t. The caller frees *ret with
 * procnet_done(). Returns 0 or -ENOMEM. */
int procnet_read(const struct proctask *t, struct procnet *ret);
void procnet_done(struct procnet *n);

/* Finds a socket by its inode number. NULL: the socket is not known. */
const struct procnet_sock *procnet_by_ino(const struct procnet *n, uint64_t ino);
/*
 * Finds the socket at the other end, if it is on this host. If no process has accepted the
 * connection yet, the result is the listening socket, and *ret_pending is true. NULL: there is no
 * such socket on this host, or it is not known.
 */
const struct procnet_sock *procnet_peer(const struct procnet *n, const struct procnet_sock *s,
					bool *ret_pending);
/* Finds a listening unix socket by its name, in one network namespace. NULL: there is none. */
const struct procnet_sock *procnet_unix_listener(const struct procnet *n, uint64_t netns, const char *name);
/*
 * Returns true if s is connected to another machine: its remote address is no loopback address, and
 * no socket of this host is the other end.
 */
bool procnet_is_remote(const struct procnet *n, const struct procnet_sock *s);
/*
 * Writes the protocol and the addresses of s, such as "tcp 127.0.0.1:40000->127.0.0.1:6379" or
 * "unix /run/x". A unix socket without a name gets the name of its peer; peer may be NULL.
 */
void procnet_describe(const struct procnet_sock *s, const struct procnet_sock *peer, char *buf, size_t size);

#endif
