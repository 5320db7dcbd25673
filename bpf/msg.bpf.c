/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msg.bpf.c - records the bytes that are sent and received on sockets. The tracepoints exist since 6.3. On
 * older kernels, programs at the end of kernel functions (fexit) record the same for unix, IPv4 and IPv6
 * sockets, if the kernel allows them.
 *
 * A fexit program can be preempted: then a sender holds up the ring of its CPU with an unfinished record.
 */
#include "caps.h"
#include "object_name.h"

#define MSG_PEEK 0x2

/* Negates a pointer twice. Then the verifier takes it for a number, so a program may compute with it.
 * Reading the address from memory would take 45 ns more. */
static __always_inline __u64 msg_address(__u64 pointer)
{
	asm volatile("%0 = -%0\n\t%0 = -%0" : "+r"(pointer));
	return pointer;
}

/* If the cache of names has the socket, calls no function. A call takes 9 ns on some machines. */
static __always_inline __u64 msg_object(struct cpu *c, struct sock *sk, __u32 tid, __u64 now)
{
	__u64 ino = sk->sk_socket->file->f_inode->i_ino, id = CT_OBJ_ID(CT_OBJ_SOCK, ino);
	__u64 key = object_key(id, sk->__sk_common.skc_state);

	return ino && *object_named(c, key) == key ? id : ct_object_of_sk(msg_address((__u64)sk), tid, now);
}

static __always_inline int msg_emit(__u8 kind, struct sock *sk, __s32 bytes)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	struct ct_rec *r;
	__u64 now, obj;

	if (!c || bytes <= 0 || !sk || cur->tgid == ct_tracer_tgid || govern_sheds(CT_SHED_HOOKS) ||
	    caps_leave_out(c, cur, NULL))
		return 0;
	now = bpf_ktime_get_boot_ns();
	obj = msg_object(c, sk, cur->pid, now);
	r = emit_rec(c, kind, now);
	if (!r)
		return 0;
	r->tid = cur->pid;
	r->peer = bytes;
	r->obj = obj;
	emit_submit(r, now);
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
