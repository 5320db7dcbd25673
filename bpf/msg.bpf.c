/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msg.bpf.c - records bytes sent and received on sockets, and sockets that became readable. The
 * tracepoints came with 6.2 (sk_data_ready) and 6.3 (sends and receives). On older kernels, programs
 * at the start or the end of kernel functions (fentry, fexit) record the same, where the kernel
 * allows such programs.
 *
 * A program at a tracepoint runs with preemption off. A program at the end of a function does not.
 * So before 6.3, on a fully preemptible kernel, a sender can lose the CPU in the middle of its
 * record. Then the record holds up the ring of the CPU until the sender runs again.
 */
#include "caps.h"
#include "context.h"
#include "object_name.h"

#define MSG_PEEK 0x2

/* Reads the address of a socket as a number: the verifier lets no program compute with a pointer
 * that comes from ctx. */
static __always_inline struct sock *msg_sk(__u64 *arg)
{
	struct sock *sk = NULL;

	bpf_probe_read_kernel(&sk, sizeof(sk), arg);
	return sk;
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
	obj = object_of_sk(sk, cur->pid, now);
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
	return msg_emit(CT_SEND, msg_sk(&ctx[0]), ctx[1]);
}

SEC("tp_btf/sock_recv_length")
int ct_recv(__u64 *ctx)
{
	return ctx[2] & MSG_PEEK ? 0 : msg_emit(CT_RECV, msg_sk(&ctx[0]), ctx[1]);
}

/* ctx of these programs: a struct socket, a message, a length, the result. */
#define SEND_FEXIT(function)                                                                                 \
	SEC("fexit/" #function) int ct_fexit_##function(__u64 *ctx)                                          \
	{                                                                                                    \
		return msg_emit(CT_SEND, (void *)RD_NUM((struct socket *)msg_sk(&ctx[0]), sk), ctx[3]);      \
	}
SEND_FEXIT(unix_stream_sendmsg)
SEND_FEXIT(unix_dgram_sendmsg) /* the kernel also sends SOCK_SEQPACKET through this function */
SEND_FEXIT(inet_sendmsg)
SEND_FEXIT(inet6_sendmsg)

/* ctx of these programs: a struct socket, a message, a length, flags, the result. */
#define RECV_FEXIT(function)                                                                                 \
	SEC("fexit/" #function) int ct_fexit_##function(__u64 *ctx)                                          \
	{                                                                                                    \
		if (ctx[3] & MSG_PEEK)                                                                       \
			return 0;                                                                            \
		return msg_emit(CT_RECV, (void *)RD_NUM((struct socket *)msg_sk(&ctx[0]), sk), ctx[4]);      \
	}
RECV_FEXIT(unix_stream_recvmsg)
RECV_FEXIT(unix_dgram_recvmsg)
RECV_FEXIT(inet_recvmsg)
RECV_FEXIT(inet6_recvmsg)

/*
 * The current task makes a socket readable. True: the record is left out, because the task is
 * capped and the socket belongs to the same user. The socket of another user may belong to a task
 * that is not capped. The records of such a task must be complete, so that record is kept.
 */
static __always_inline bool msg_ready_leave_out(struct cpu *c, struct task_struct *cur, struct sock *sk)
{
	return ct_govern.capping && BPF_CORE_READ(sk, sk_uid.val) == cur->real_cred->uid.val &&
	       caps_leave_out(c, cur, NULL);
}

/*
 * Remembers the socket for the wakes that follow (CT_WF_READY). Writes a CT_READY only for an IPv4
 * or IPv6 socket in a softirq: otherwise a local task has sent the data, and the CT_SEND of that
 * task says the same.
 */
static __always_inline int msg_ready(struct sock *sk)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	struct cpu_context *in;
	__u64 now, obj;
	struct ct_rec *r;
	__u16 family;

	if (!c || !sk || govern_sheds(CT_SHED_HOOKS) || msg_ready_leave_out(c, cur, sk))
		return 0;
	now = bpf_ktime_get_boot_ns();
	obj = object_of_sk(sk, cur->pid, now);
	context_ready(c, cur, obj, now);
	govern_ran(c, GOVERN_MESSAGE, now);
	in = context_now(c);
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (!in || in->ctx != CT_CTX_SOFTIRQ || (family != AF_INET && family != AF_INET6))
		return 0;
	r = emit_rec(c, CT_READY, now);
	if (!r)
		return 0;
	r->obj = obj;
	r->state = in->ctx;
	emit_submit(r, now);
	return 0;
}

SEC("tp_btf/sk_data_ready")
int ct_ready(__u64 *ctx)
{
	return msg_ready(msg_sk(&ctx[0]));
}

SEC("fentry/sock_def_readable")
int ct_fentry_sock_def_readable(__u64 *ctx)
{
	return msg_ready(msg_sk(&ctx[0]));
}
