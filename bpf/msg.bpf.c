/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msg.bpf.c - records the bytes that are sent and received on sockets. The tracepoints exist since 6.3. On
 * older kernels, programs at the end of kernel functions (fexit) record the same for unix, IPv4 and IPv6
 * sockets, if the kernel allows them.
 *
 * A run of receives is one record: see struct cpu_recv.
 *
 * A fexit program can be preempted: then a sender holds up the ring of its CPU with an unfinished record.
 *
 * If a datagram is sent on a socket that is not connected, the record has its destination. The kernel no
 * longer has the address at the end of the send, so the program reads it from the memory of the task, where
 * the arguments of the system call point. The address is not known if another system call sends (io_uring),
 * or if sendmmsg() sends several datagrams.
 */
#include "caps.h"
#include "wait.h"

#define SOCK_STREAM 1
#define SOCK_DGRAM  2
#define MSG_PEEK    0x2

/* Returns 0 if the socket has no inode. */
static __always_inline __u64 msg_id(struct sock *sk)
{
	__u64 ino = sk->sk_socket->file->f_inode->i_ino;

	return ino ? CT_OBJ_ID(CT_OBJ_SOCK, ino) : 0;
}

/* If the cache of names has the socket, calls no function. A call takes 9 ns on some machines. */
static __always_inline __u64 msg_object(struct cpu *c, struct sock *sk, __u32 tid, __u64 now)
{
	__u64 id = msg_id(sk), key = object_key(id, sk->__sk_common.skc_state);

	return id && *object_named(c, key) == key ? id : ct_object_of_sk(address_of(sk), tid, now);
}

/* Between two receives of a task, another thread of its process may answer the first one. */
static __always_inline bool msg_is_alone(const struct task_struct *cur)
{
	return cur->signal->live.counter == 1;
}

/* If the task has just received from the same stream socket, and the record of this can grow, adds the bytes
 * to it, and returns true. */
static __always_inline bool msg_grows(struct cpu *c, struct sock *sk, __u32 tid, __u32 bytes, __u64 now)
{
	struct ct_rec *r = emit_growing(c, now);

	return r && sk->sk_type == SOCK_STREAM && r->tid == tid && r->obj && r->obj == msg_id(sk) &&
	       emit_grow(c, r, bytes, now);
}

#define IPPROTO_UDP 17

/* The fields that describe the destination in a CT_SEND (abi.h), in one number. 0: not known. */
#define DEST(kind, port, address) ((__u64)(kind) << 48 | (__u64)(port) << 32 | (__u32)(address))
#define DEST_LOOPBACK             bpf_htonl(0x7f000001)

/* A sockaddr_in, or the part of a sockaddr_in6 up to its address. */
struct dest_inet {
	__u16 family;
	__be16 port;
	__be32 v4; /* IPv6: the flow label */
	__be32 v6[4];
};

/* own: where the kernel sends if an IPv4 address is all zeros */
static __always_inline __u64 dest_inet6(const struct dest_inet *a, __be32 own)
{
	__u32 port = bpf_ntohs(a->port), last = a->v6[3];

	if (a->v6[0] || a->v6[1])
		return DEST(CT_DEST_IPV6, port, 0);
	if (a->v6[2] == bpf_htonl(0xffff))
		return DEST(CT_DEST_IPV4, port, last ? last : own);
	return DEST(CT_DEST_IPV6, port, !a->v6[2] && (!last || last == bpf_htonl(1)));
}

static __always_inline __u64 dest_inet(__u64 at, __u32 len, __be32 own)
{
	struct dest_inet a = {};

	if (len < 16 || bpf_probe_read_user(&a, 16, (void *)at))
		return 0;
	if (a.family == AF_INET)
		return DEST(CT_DEST_IPV4, bpf_ntohs(a.port), a.v4 ? a.v4 : own);
	if (a.family != AF_INET6 || len < sizeof(a) || bpf_probe_read_user(&a, sizeof(a), (void *)at))
		return 0;
	return dest_inet6(&a, own);
}

/* len: the length of a sockaddr_un. A path may be shorter. */
__weak __u64 ct_dest_unix(__u64 at, __u32 len)
{
	char name[CT_DEST_NAME_WORDS * 8] = {};
	__u64 w, hash = 0;

	if (len <= sizeof(__u16) || len > sizeof(struct sockaddr_un))
		return 0;
	at += sizeof(__u16);
	len -= sizeof(__u16);
	barrier_var(len); /* keeps the bound of len known to the verifier */
	if (bpf_probe_read_user_str(name, (len + 1) & 127, (void *)at) <= 1) {
		if (bpf_probe_read_user(name, len & 127, (void *)at))
			return 0;
		/* a path that fills its length up to the end of a page is no string */
		if (!name[0])
			name[0] = '@';
	}
	for (int i = 0; i < CT_DEST_NAME_WORDS; i++) {
		__builtin_memcpy(&w, name + i * 8, 8);
		hash = CT_DEST_NAME_ADD(hash, w);
	}
	return (__u64)CT_DEST_UNIX << 48 | hash >> 16;
}

static __noinline __u64 dest_find(struct task_struct *cur, __u32 family, __be32 own)
{
	struct pt_regs *regs = task_regs(cur);
	struct {
		__u64 name;
		__u32 len, pad;
	} h = {};
	__u16 nr = wait_syscall(cur, regs);

	if (nr == CT_NR_NONE || task_is_kernel(cur) || task_is_compat(cur))
		return 0;
	switch (SYSCLASS_HOW(wait_class(nr))) {
	case SYSCLASS_SENDTO:
		h.name = regs_arg(regs, 4);
		h.len = regs_arg(regs, 5);
		break;
	case SYSCLASS_SENDMMSG:
		if (regs_arg(regs, 2) != 1)
			return 0;
		/* a struct mmsghdr begins with a struct msghdr */
	case SYSCLASS_SENDMSG:
		if (bpf_probe_read_user(&h, sizeof(h), (void *)regs_arg(regs, 1)))
			return 0;
		break;
	}
	if (!h.name)
		return 0;
	return family == AF_UNIX ? ct_dest_unix(h.name, h.len) : dest_inet(h.name, h.len, own);
}

static __always_inline bool is_connected_unix(struct sock *sk)
{
	return !bpf_core_type_exists(struct unix_sock) || BPF_CORE_READ((struct unix_sock *)sk, peer);
}

/* Returns 0 at once for a socket that is connected. */
static __always_inline __u64 dest_of(struct task_struct *cur, struct sock *sk)
{
	__u16 family;
	__be32 own;

	if (sk->sk_type != SOCK_DGRAM)
		return 0;
	family = sk->__sk_common.skc_family;
	/* a unix socket also counts as connected if only another one is connected to it */
	if (family == AF_UNIX)
		return is_connected_unix(sk) ? 0 : dest_find(cur, family, 0);
	if (sk->__sk_common.skc_state == TCP_ESTABLISHED || (family != AF_INET && family != AF_INET6) ||
	    sk->sk_protocol != IPPROTO_UDP)
		return 0;
	own = sk->__sk_common.skc_rcv_saddr;
	return dest_find(cur, family, own ? own : DEST_LOOPBACK);
}

static __always_inline void dest_fill(struct ct_rec *r, __u64 dest)
{
	r->state = dest >> 48;
	r->nr = dest >> 32;
	r->flags = dest >> 24;
	r->wait = dest >> 16;
	r->aux = dest;
}

/* Returns 0 at once if no program on the machine has strands. Else the fields of the strand in a CT_RECV, in
 * the order of dest_fill(). */
static __always_inline __u64 strand_of(struct task_struct *cur)
{
	__u32 tgid = cur->tgid;

	if (!ct_has_strands || !bpf_map_lookup_elem(&ct_strands, &tgid))
		return 0;
	return (__u64)CT_RECV_STRAND << 48 | (regs_strand(task_regs(cur)) & ((1ULL << 48) - 1));
}

static __always_inline int msg_emit(__u8 kind, struct sock *sk, __s32 bytes)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	struct ct_rec *r;
	__u64 now, id, from, dest;

	if (!c || bytes <= 0 || !sk || cur->tgid == ct_tracer_tgid || govern_sheds(CT_SHED_HOOKS) ||
	    caps_leave_out(c, cur, NULL))
		return 0;
	now = bpf_ktime_get_boot_ns();
	if (kind == CT_RECV && msg_grows(c, sk, cur->pid, bytes, now)) {
		govern_ran(c, GOVERN_MESSAGE, now);
		return 0;
	}
	id = msg_object(c, sk, cur->pid, now);
	dest = kind == CT_SEND ? dest_of(cur, sk) : strand_of(cur);
	from = c->head;
	r = emit_rec(c, kind, now);
	if (!r)
		return 0;
	r->tid = cur->pid;
	r->peer = bytes;
	r->obj = id;
	if (dest)
		dest_fill(r, dest);
	emit_submit(r, now);
	if (kind == CT_RECV && msg_is_alone(cur))
		emit_may_grow(c, from, now);
	govern_ran(c, GOVERN_MESSAGE, now);
	return 0;
}

SEC("tp_btf/sock_send_length")
int ct_send(__u64 *ctx)
{
	return msg_emit(CT_SEND, (void *)ctx[0], ctx[1]);
}

SEC("tp_btf/sock_recv_length")
int ct_recv(__u64 *ctx)
{
	return ctx[2] & MSG_PEEK ? 0 : msg_emit(CT_RECV, (void *)ctx[0], ctx[1]);
}

/* ctx: a struct socket, a message, a length, the result. */
#define SEND_FEXIT(function)                                                                                 \
	SEC("fexit/" #function) int ct_fexit_##function(__u64 *ctx)                                          \
	{                                                                                                    \
		return msg_emit(CT_SEND, ((struct socket *)ctx[0])->sk, ctx[3]);                             \
	}
SEND_FEXIT(unix_stream_sendmsg)
SEND_FEXIT(unix_dgram_sendmsg) /* also sends SOCK_SEQPACKET */
SEND_FEXIT(inet_sendmsg)
SEND_FEXIT(inet6_sendmsg)

/* ctx: a struct socket, a message, a length, flags, the result. */
#define RECV_FEXIT(function)                                                                                 \
	SEC("fexit/" #function) int ct_fexit_##function(__u64 *ctx)                                          \
	{                                                                                                    \
		if (ctx[3] & MSG_PEEK)                                                                       \
			return 0;                                                                            \
		return msg_emit(CT_RECV, ((struct socket *)ctx[0])->sk, ctx[4]);                             \
	}
RECV_FEXIT(unix_stream_recvmsg)
RECV_FEXIT(unix_dgram_recvmsg)
RECV_FEXIT(inet_recvmsg)
RECV_FEXIT(inet6_recvmsg)
