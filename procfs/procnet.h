/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procnet.h - the sockets of this host and what is at their other ends: unix
 * sockets by sock_diag(7), TCP and UDP from /proc/PID/net, of every network
 * namespace that a process lives in.
 *
 * The unix sockets of another network namespace can be read by root only, and none
 * where the kernel has no unix_diag; the namespaces left out are counted.  One thread (it changes its network
 * namespace for a moment).
 */
#ifndef CTRACE_PROCFS_PROCNET_H
#define CTRACE_PROCFS_PROCNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "procfs/proctask.h"

struct procnet_sock {
	uint64_t ino; /* 0: nobody has accepted it yet */
	uint64_t netns;
	uint64_t peer_ino; /* unix */
	uint16_t family;   /* AF_UNIX, AF_INET, AF_INET6 */
	uint8_t protocol;  /* IPPROTO_TCP, IPPROTO_UDP, 0 */
	uint8_t state;     /* TCP_*; unix sockets use TCP_ESTABLISHED and TCP_LISTEN */
	uint16_t lport, rport;
	uint8_t laddr[16], raddr[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint32_t unread_bytes;        /* in its receive queue; for a listener: connections not accepted */
	char name[112];               /* unix: path, '@' first for an abstract one */
};

struct procnet {
	VEC(struct procnet_sock) socks; /* by ino */
	uint32_t *by_addr;              /* indices of TCP and UDP sockets, by address */
	size_t n_addr;
	struct map pending;  /* inode of a unix client that has not been accepted -> inode of the listener */
	uint32_t unseen_cnt; /* network namespaces whose unix sockets could not be read, and why: */
	int unseen_errno;    /* EPERM; ENOENT: the kernel has no unix_diag */
};

/* 0 or -ENOMEM. */
int procnet_read(const struct proctask *t, struct procnet *ret);
void procnet_done(struct procnet *n);

/* NULL: not known. */
const struct procnet_sock *procnet_by_ino(const struct procnet *n, uint64_t ino);
/*
 * The socket at the other end, if it is on this host.  When that has not been accepted yet, it is the
 * listening socket, and *ret_pending is set.  NULL: none, or it is not known.
 */
const struct procnet_sock *procnet_peer(const struct procnet *n, const struct procnet_sock *s,
					bool *ret_pending);
/* A listening unix socket by its name, NULL when there is none. */
const struct procnet_sock *procnet_unix_listener(const struct procnet *n, uint64_t netns, const char *name);
/* Whether the other end is another machine (a TCP or UDP address that is not one of the loopback's). */
bool procnet_is_remote(const struct procnet *n, const struct procnet_sock *s);
/* "tcp 127.0.0.1:40000->127.0.0.1:6379", "unix /run/x"; peer may be NULL (it lends its name to a nameless
 * one). */
void procnet_describe(const struct procnet_sock *s, const struct procnet_sock *peer, char *buf, size_t size);

#endif
