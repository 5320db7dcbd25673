/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfs/procnet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bisect.h"
#include "lib/cleanup.h"

static const uint8_t v4_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static bool is_v4(const uint8_t addr[16])
{
	return !memcmp(addr, v4_prefix, sizeof(v4_prefix));
}

static bool is_any(const uint8_t addr[16])
{
	static const uint8_t zero[16];

	return !memcmp(addr, zero, 16) || (is_v4(addr) && !memcmp(addr + 12, zero, 4));
}

static bool is_loopback(const uint8_t addr[16])
{
	static const uint8_t one[16] = { [15] = 1 };

	return !memcmp(addr, one, 16) || (is_v4(addr) && addr[12] == 127);
}

/* Parses "0100007F:1F90". The address is 1 or 4 words in the byte order of the machine. */
static bool parse_addr(const char *text, uint8_t addr[16], uint16_t *port)
{
	size_t n = strcspn(text, ":"), words = n / 8;

	if (n != 8 && n != 32)
		return false;
	memcpy(addr, v4_prefix, sizeof(v4_prefix));
	for (size_t i = 0; i < words; i++) {
		char hex[9] = { 0 };
		uint32_t w;

		memcpy(hex, text + 8 * i, 8);
		w = strtoul(hex, NULL, 16);
		memcpy(addr + (words == 1 ? 12 : 4 * i), &w, 4);
	}
	*port = strtoul(text + n + 1, NULL, 16);
	return true;
}

static int read_inet(struct procnet *net, const struct proctask_proc *p, const char *file, uint8_t protocol)
{
	char path[64], line[512], local[48], remote[48];
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%u/net/%s", p->pid, file);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		struct procnet_sock s = { .netns = p->netns, .protocol = protocol };
		unsigned state;

		if (sscanf(line, " %*d: %47s %47s %x %*x:%" SCNx32 " %*s %*x %*u %*u %" SCNu64, local, remote,
			   &state, &s.unread_bytes, &s.ino) != 5 ||
		    !parse_addr(local, s.laddr, &s.lport) || !parse_addr(remote, s.raddr, &s.rport))
			continue;
		if (protocol == IPPROTO_TCP && state == TCP_TIME_WAIT)
			continue;
		s.state = state;
		s.family = strlen(file) == 3 ? AF_INET : AF_INET6;
		if (VEC_PUSH(&net->socks, s) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void parse_unix_attrs(struct procnet *net, struct procnet_sock *s, const struct unix_diag_msg *m,
			     int len)
{
	const struct rtattr *a = (const struct rtattr *)(m + 1);

	for (; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		const void *data = RTA_DATA(a);
		size_t n = RTA_PAYLOAD(a);

		if (a->rta_type == UNIX_DIAG_NAME) {
			n = MIN(n, sizeof(s->name) - 1);
			memcpy(s->name, data, n);
			if (n && !s->name[0])
				s->name[0] = '@';
		} else if (a->rta_type == UNIX_DIAG_PEER && n >= 4) {
			uint32_t ino;

			memcpy(&ino, data, 4);
			s->peer_ino = ino;
		} else if (a->rta_type == UNIX_DIAG_RQLEN && n >= sizeof(struct unix_diag_rqlen)) {
			struct unix_diag_rqlen q;

			memcpy(&q, data, sizeof(q));
			s->unread_bytes = q.udiag_rqueue;
		} else if (a->rta_type == UNIX_DIAG_ICONS) {
			for (size_t i = 0; i + 4 <= n; i += 4) {
				uint32_t ino;

				memcpy(&ino, (const char *)data + i, 4);
				/* if memory runs out, the result lacks this waiting client */
				if (ino)
					(void)map_set(&net->pending, ino, s->ino);
			}
		}
	}
}

/* Returns 1 if more replies follow, 0 after the last one, or -errno. */
static int parse_unix_reply(struct procnet *net, uint64_t netns, const char *buf, ssize_t len)
{
	for (const struct nlmsghdr *h = (const struct nlmsghdr *)buf; NLMSG_OK(h, len);
	     h = NLMSG_NEXT(h, len)) {
		const struct unix_diag_msg *m = NLMSG_DATA(h);
		struct procnet_sock s = { .netns = netns, .family = AF_UNIX };

		if (h->nlmsg_type == NLMSG_DONE)
			return 0;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *e = NLMSG_DATA(h);

			return h->nlmsg_len >= NLMSG_LENGTH(sizeof(*e)) && e->error < 0 ? e->error : -EIO;
		}
		if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
			continue;
		s.ino = m->udiag_ino;
		s.state = m->udiag_state;
		parse_unix_attrs(net, &s, m, h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));
		if (VEC_PUSH(&net->socks, s) < 0)
			return -ENOMEM;
	}
	return 1;
}

static int read_unix(struct procnet *net, uint64_t netns)
{
	struct {
		struct nlmsghdr h;
		struct unix_diag_req r;
	} req = {
		.h = { .nlmsg_len = sizeof(req),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.r = { .sdiag_family = AF_UNIX,
		       .udiag_states = -1,
		       .udiag_show =
			       UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS | UDIAG_SHOW_RQLEN },
	};
	_cleanup_close_ int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	_cleanup_free_ char *buf = malloc(65536);
	int r = 1;

	if (!buf)
		return -ENOMEM;
	if (fd < 0 || send(fd, &req, sizeof(req), 0) < 0)
		return -errno;
	while (r > 0) {
		ssize_t n = recv(fd, buf, 65536, 0);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		r = parse_unix_reply(net, netns, buf, n);
	}
	return r;
}

/* Returns 0 or -errno. -ENOTRECOVERABLE: the thread could not leave the namespace of p. */
static int read_unix_of(struct procnet *net, const struct proctask_proc *p, int own_fd, uint64_t own)
{
	_cleanup_close_ int fd = -1;
	char path[64];
	int r;

	if (p->netns == own)
		return read_unix(net, own);
	snprintf(path, sizeof(path), "/proc/%u/ns/net", p->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || own_fd < 0 || setns(fd, CLONE_NEWNET) < 0)
		return -EPERM;
	r = read_unix(net, p->netns);
	return setns(own_fd, CLONE_NEWNET) < 0 ? -ENOTRECOVERABLE : r;
}

static int ino_compare(const void *a, const void *b)
{
	const struct procnet_sock *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int local_compare(const struct procnet_sock *x, const struct procnet_sock *y)
{
	if (x->protocol != y->protocol)
		return x->protocol < y->protocol ? -1 : 1;
	return x->lport < y->lport ? -1 : x->lport > y->lport;
}

static int addr_compare(const void *a, const void *b, void *arg)
{
	const struct procnet_sock *s = arg;

	return local_compare(&s[*(const uint32_t *)a], &s[*(const uint32_t *)b]);
}

static int index_socks(struct procnet *net)
{
	if (net->socks.n)
		qsort(net->socks.v, net->socks.n, sizeof(*net->socks.v), ino_compare);
	net->by_addr = calloc(net->socks.n + 1, sizeof(*net->by_addr));
	if (!net->by_addr)
		return -ENOMEM;
	for (size_t i = 0; i < net->socks.n; i++)
		if (net->socks.v[i].family != AF_UNIX)
			net->by_addr[net->n_addr++] = i;
	if (net->n_addr)
		qsort_r(net->by_addr, net->n_addr, sizeof(*net->by_addr), addr_compare, net->socks.v);
	return 0;
}

int procnet_read(const struct proctask *t, struct procnet *ret)
{
	static const struct {
		const char *file;
		uint8_t protocol;
	} inet[] = { { "tcp", IPPROTO_TCP },
		     { "tcp6", IPPROTO_TCP },
		     { "udp", IPPROTO_UDP },
		     { "udp6", IPPROTO_UDP } };
	_cleanup_close_ int own_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct procnet net = { 0 };
	struct map seen = { 0 };
	struct stat st = { 0 };
	int r = 0;

	if (own_fd >= 0)
		(void)fstat(own_fd, &st); /* on failure st_ino stays 0, which no namespace has */
	for (size_t i = 0; r != -ENOMEM && i < t->procs.n; i++) {
		const struct proctask_proc *p = &t->procs.v[i];

		if (!p->netns || map_get(&seen, p->netns, NULL))
			continue;
		r = map_set(&seen, p->netns, 1);
		for (size_t k = 0; r != -ENOMEM && k < ARRAY_SIZE(inet); k++)
			r = read_inet(&net, p, inet[k].file, inet[k].protocol);
		if (r == -ENOMEM)
			break;
		r = read_unix_of(&net, p, own_fd, st.st_ino);
		if (r == -ENOTRECOVERABLE)
			break;
		if (r < 0) {
			net.unseen_cnt++;
			net.unseen_errno = -r;
		}
	}
	map_done(&seen);
	if (r != -ENOMEM && r != -ENOTRECOVERABLE)
		r = index_socks(&net);
	if (r < 0) {
		procnet_done(&net);
		return r;
	}
	*ret = net;
	return 0;
}

void procnet_done(struct procnet *n)
{
	VEC_FREE(&n->socks);
	free(n->by_addr);
	n->by_addr = NULL;
	map_done(&n->pending);
}

const struct procnet_sock *procnet_by_ino(const struct procnet *n, uint64_t ino)
{
	struct procnet_sock key = { .ino = ino };

	return ino && n->socks.n ? bsearch(&key, n->socks.v, n->socks.n, sizeof(key), ino_compare) : NULL;
}

static size_t first_local(const struct procnet *n, uint8_t protocol, uint16_t lport)
{
	struct procnet_sock key = { .protocol = protocol, .lport = lport };

	return BISECT(i, 0, n->n_addr, local_compare(&n->socks.v[n->by_addr[i]], &key) >= 0);
}

/*
 * Returns the other end of s:
 * - bound false: the connected socket with the two addresses of s swapped, in any network
 *   namespace. With a loopback address, only the namespace of s counts.
 * - bound true: the TCP listener or the unconnected UDP socket at the remote port of s, in the
 *   namespace of s.
 */
static const struct procnet_sock *find_inet(const struct procnet *n, const struct procnet_sock *s, bool bound)
{
	bool one_ns = is_loopback(s->raddr) || is_loopback(s->laddr);

	for (size_t i = first_local(n, s->protocol, s->rport); i < n->n_addr; i++) {
		const struct procnet_sock *o = &n->socks.v[n->by_addr[i]];

		if (o->protocol != s->protocol || o->lport != s->rport)
			break;
		if ((one_ns && o->netns != s->netns) || o == s)
			continue;
		if (bound) {
			if (o->netns == s->netns && o->rport == 0 &&
			    (s->protocol == IPPROTO_UDP || o->state == TCP_LISTEN) &&
			    (is_any(o->laddr) || !memcmp(o->laddr, s->raddr, 16)))
				return o;
		} else if (o->rport == s->lport && !memcmp(o->laddr, s->raddr, 16) &&
			   !memcmp(o->raddr, s->laddr, 16)) {
			return o;
		}
	}
	return NULL;
}

static const struct procnet_sock *inet_peer(const struct procnet *n, const struct procnet_sock *s,
					    bool *pending)
{
	const struct procnet_sock *p;

	if (!s->rport)
		return NULL;
	p = find_inet(n, s, false);
	if (p && p->ino)
		return p;
	if (p) { /* the connection is complete, but not accepted yet */
		struct procnet_sock client = *s;

		client.netns = p->netns;
		*pending = true;
		return find_inet(n, &client, true);
	}
	/* s may go to another machine, but a listener on 0.0.0.0 or :: here would match too. */
	if (!is_loopback(s->raddr) && memcmp(s->raddr, s->laddr, 16))
		return NULL;
	*pending = s->protocol == IPPROTO_TCP;
	return find_inet(n, s, true);
}

const struct procnet_sock *procnet_peer(const struct procnet *n, const struct procnet_sock *s,
					bool *ret_pending)
{
	const struct procnet_sock *p;
	bool pending = false;
	uint64_t listener;

	if (s->family == AF_UNIX) {
		p = procnet_by_ino(n, s->peer_ino);
		if (!p && map_get(&n->pending, s->ino, &listener)) {
			p = procnet_by_ino(n, listener);
			pending = true;
		}
	} else {
		p = inet_peer(n, s, &pending);
	}
	if (p)
		*ret_pending = pending;
	return p;
}

const struct procnet_sock *procnet_unix_listener(const struct procnet *n, uint64_t netns, const char *name)
{
	for (size_t i = 0; i < n->socks.n; i++) {
		const struct procnet_sock *s = &n->socks.v[i];

		if (s->family == AF_UNIX && s->netns == netns && s->state == TCP_LISTEN &&
		    !strcmp(s->name, name))
			return s;
	}
	return NULL;
}

bool procnet_is_remote(const struct procnet *n, const struct procnet_sock *s)
{
	bool pending;

	return s->family != AF_UNIX && s->rport && !is_loopback(s->raddr) && !procnet_peer(n, s, &pending);
}

static void describe_addr(const uint8_t addr[16], uint16_t port, char *buf, size_t size)
{
	char text[INET6_ADDRSTRLEN];

	if (is_v4(addr))
		inet_ntop(AF_INET, addr + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, addr, text, sizeof(text));
	if (is_v4(addr))
		snprintf(buf, size, "%s:%u", text, port);
	else
		snprintf(buf, size, "[%s]:%u", text, port);
}

void procnet_describe(const struct procnet_sock *s, const struct procnet_sock *peer, char *buf, size_t size)
{
	char local[INET6_ADDRSTRLEN + 10], remote[INET6_ADDRSTRLEN + 10];

	if (s->family == AF_UNIX) {
		if (s->name[0] || (peer && peer->name[0]))
			snprintf(buf, size, "unix %s", s->name[0] ? s->name : peer->name);
		else
			snprintf(buf, size, "unix socket:[%" PRIu64 "]", s->ino);
		return;
	}
	describe_addr(s->laddr, s->lport, local, sizeof(local));
	describe_addr(s->raddr, s->rport, remote, sizeof(remote));
	if (s->rport)
		snprintf(buf, size, "%s %s->%s", s->protocol == IPPROTO_TCP ? "tcp" : "udp", local, remote);
	else
		snprintf(buf, size, "%s %s", s->protocol == IPPROTO_TCP ? "tcp" : "udp", local);
}
