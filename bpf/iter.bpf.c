/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iter.bpf.c - writes records of things that exist already: tasks with their waits, descriptors,
 * and members of epoll sets. The daemon runs these programs by reading an iterator.
 */
#include "wait.h"
#include "task.h"

/* Before 6.1, the kernel cannot limit an iterator. There, ct_iter_tid limits ct_iter_tasks(), and
 * ct_iter_tgid limits ct_iter_files(). 0: no limit. */
volatile __u32 ct_iter_tid = 0;
volatile __u32 ct_iter_tgid = 0;
/* Not 0: the id of a socket. ct_iter_files() writes only how much unread data the socket has. */
volatile __u64 ct_iter_obj = 0;
/* 1: ct_iter_tasks() leaves out the member `args` of struct ct_iter_task, and all members after
 * it. */
volatile __u32 ct_iter_brief = 0;

static __always_inline void iter_reason(struct wait_ctx *x, struct task_struct *t, __u32 state,
					struct ct_rec *r)
{
	wait_decode(x, t, WAIT_OTHER);
	r->nr = x->w.nr;
	if (!state)
		return;
	r->flags = x->w.flags;
	if (wait_is_stopped(t, state))
		r->wait = CT_W_STOPPED;
	else if (state & TASK_DEAD)
		r->wait = CT_W_EXITED;
	else if (task_wants_memory(t))
		r->wait = CT_W_MEMORY;
	else {
		r->wait = x->w.kind;
		r->obj = x->w.obj;
	}
	if (BPF_CORE_READ_BITFIELD(t, in_iowait))
		r->flags |= CT_SF_IOWAIT;
	if (state & TASK_NOLOAD && state & TASK_UNINTERRUPTIBLE)
		r->flags |= CT_SF_IDLE;
}

/* Writes the state and the wait of t in the form of a CT_SWITCH. Not inlined: the
 * stack of a program is small. */
static __noinline int iter_wait(struct seq_file *seq, struct task_struct *t, __u64 now)
{
	struct wait_ctx x = { .now = now };
	bool on_cpu = t->on_cpu;
	__u32 state = on_cpu ? 0 : t->__state;
	struct ct_rec r;

	emit_init(&r, CT_SWITCH);
	r.ts = now;
	r.tid = t->pid;
	r.nr = CT_NR_NONE;
	if (on_cpu && bpf_core_field_exists(t->thread_info.cpu))
		r.peer = t->thread_info.cpu + 1;
	r.state = state & 0xff;
	if (state && !r.state)
		r.state = CT_ST_DISK; /* as in switch_fill() */
	r.aux = t->prio & 0xff;
	if (!task_is_kernel(t)) {
		iter_reason(&x, t, state, &r);
		if (!state && !on_cpu && task_is_throttled(t))
			r.flags |= CT_SF_THROTTLED;
	} else {
		r.flags = CT_SF_KTHREAD;
		r.wait = state ? CT_W_KTHREAD : CT_W_NONE;
	}
	return bpf_seq_write(seq, &r, sizeof(r));
}

static __noinline int iter_who(struct seq_file *seq, struct task_struct *t, __u64 now)
{
	struct ct_task_blob b = {};

	b.h.ts = now;
	task_fill(&b, t, CT_TF_FOUND);
	return bpf_seq_write(seq, &b, sizeof(b));
}

static __noinline int iter_regs(struct seq_file *seq, struct task_struct *t)
{
	struct pt_regs *regs = task_regs(t);
	__u64 v[6 + 34] = {};

	if (!task_is_kernel(t)) {
		for (int i = 0; i < 6; i++)
			v[i] = regs_arg(regs, i);
		bpf_probe_read_kernel(&v[6], REGS_BYTES, regs);
	}
	return bpf_seq_write(seq, v, sizeof(v));
}

#define ITER_FOLLOWS(member, after)                                                                          \
	_Static_assert(__builtin_offsetof(struct ct_iter_task, member) ==                                    \
			       __builtin_offsetof(struct ct_iter_task, after) +                              \
				       sizeof(((struct ct_iter_task *)0)->after),                            \
		       #member " follows " #after)
ITER_FOLLOWS(wait, task);
ITER_FOLLOWS(exec_id, wait);
ITER_FOLLOWS(n_kstack, exec_id);
ITER_FOLLOWS(sched_since, n_kstack);
ITER_FOLLOWS(times, sched_since);
ITER_FOLLOWS(switches, times);
ITER_FOLLOWS(sched_left, switches);
ITER_FOLLOWS(jiffies, sched_left);
ITER_FOLLOWS(args, jiffies);
ITER_FOLLOWS(regs, args);
ITER_FOLLOWS(kstack, regs);
ITER_FOLLOWS(sems, kstack);
_Static_assert(sizeof(struct ct_iter_task) == 64 + 32 + 48 + (6 + 34 + CT_ITER_KSTACK + CT_ITER_SEMS) * 8,
	       "nothing else");

static __noinline int iter_stack(struct seq_file *seq, struct task_struct *t)
{
	__u64 ip[CT_ITER_KSTACK] = {};

	bpf_get_task_stack(t, ip, sizeof(ip), 0);
	return bpf_seq_write(seq, ip, sizeof(ip));
}

/* The low bits of an id of System V are its index in the tree of its namespace: ipc/util.h. With the boot
 * parameter ipcmni_extend, there are more such bits, and the checks of the id find no object. */
#define IPC_INDEX_MASK 0x7fff
#define IPC_SEM_IDS    0
#define IDR_DEPTH      4
#define PID_OF_PROCESS 1 /* PIDTYPE_TGID: include/linux/pid_types.h */

/* Returns the set of semaphores of System V that has this id in the namespace of t, or NULL. Follows the tree
 * as radix_tree_lookup() in lib/radix-tree.c. */
static __always_inline struct sem_array *iter_sem_array(struct task_struct *t, __u32 id)
{
	struct ipc_namespace *ns = BPF_CORE_READ(t, nsproxy, ipc_ns);
	__u64 at = ns ? (__u64)BPF_CORE_READ(ns, ids[IPC_SEM_IDS].ipcs_idr.idr_rt.xa_head) : 0;
	__u32 slots = bpf_core_field_size(struct xa_node, slots) / sizeof(void *);
	struct sem_array *set;

	for (int i = 0; i < IDR_DEPTH && (at & 3) == 2; i++) {
		struct xa_node *node = (void *)(at & ~3ULL);
		__u32 slot = (id & IPC_INDEX_MASK) >> (BPF_CORE_READ(node, shift) & 31) & (slots - 1);

		bpf_probe_read_kernel(&at, sizeof(at),
				      (void *)node + bpf_core_field_offset(struct xa_node, slots) +
					      slot * sizeof(void *));
	}
	if (!at || at & 3)
		return NULL;
	set = (void *)(at - bpf_core_field_offset(struct sem_array, sem_perm));
	return (__u32)BPF_CORE_READ(set, sem_perm.id) == id ? set : NULL;
}

static __always_inline __u64 iter_sem(struct sem_array *set, __u32 i)
{
	struct sem *s = (void *)set + bpf_core_field_offset(struct sem_array, sems) +
			i * bpf_core_type_size(struct sem);
	struct pid *pid = BPF_CORE_READ(s, sempid);
	struct upid *up = (void *)pid + bpf_core_field_offset(struct pid, numbers);
	/* If the process is gone, another process may have its number. */
	bool lives = pid && BPF_CORE_READ(pid, tasks[PID_OF_PROCESS].first);

	return (__u64)(__u32)BPF_CORE_READ(s, semval) << 32 | (lives ? (__u32)BPF_CORE_READ(up, nr) : 0);
}

static __noinline int iter_sems(struct seq_file *seq, struct task_struct *t)
{
	struct pt_regs *regs = task_regs(t);
	__u64 v[CT_ITER_SEMS] = {};
	struct sem_array *set = NULL;
	__u32 n = 0;

	if (bpf_core_type_exists(struct sem_array) && !task_is_kernel(t) && !task_is_compat(t) &&
	    SYSCLASS_WAIT(wait_class(wait_syscall(t, regs))) == CT_W_SYSVIPC)
		set = iter_sem_array(t, regs_arg(regs, 0));
	if (set)
		n = BPF_CORE_READ(set, sem_nsems);
	for (__u32 i = 0; i < CT_ITER_SEMS && i < n; i++)
		v[i] = iter_sem(set, i);
	return bpf_seq_write(seq, v, sizeof(v));
}

SEC("iter/task")
int ct_iter_tasks(struct bpf_iter__task *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *t = ctx->task;
	/* Written after the member `wait` of struct ct_iter_task. User space fills in n_kstack. */
	struct {
		__u32 exec_id, n_kstack;
		__u64 sched_since, times, switches, sched_left, jiffies;
	} head = {};
	__u64 now = bpf_ktime_get_boot_ns();

	if (!t || (ct_iter_tid && t->pid != ct_iter_tid))
		return 0;
	bpf_task_storage_get(&ct_tasks, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	iter_who(seq, t, now);
	iter_wait(seq, t, now);
	if (!t->on_cpu && !t->__state)
		head.sched_since = found_queued(t, now, found_clock(now));
	else
		head.sched_since = found_since(t, now, found_clock(now));
	if (!task_is_kernel(t))
		head.exec_id = t->self_exec_id;
	head.times = found_times(t);
	head.switches = found_switches(t);
	head.sched_left = found_left(t);
	head.jiffies = bpf_jiffies64();
	bpf_seq_write(seq, &head, sizeof(head));
	if (ct_iter_brief)
		return 0;
	iter_regs(seq, t);
	iter_stack(seq, t);
	iter_sems(seq, t);
	return 0;
}

#define EPOLL_MEMBERS 64
#define EPOLL_DEPTH   32
#define RB_PARENT(v)  ((struct rb_node *)((v) & ~3UL))

struct epoll_at {
	/* The walk looks at `node` next. It looked at `from` before. */
	struct rb_node *node, *from;
	struct rb_node *member;
};

/* One step of the walk. If e->node is the next member, sets e->member to it and returns 1.
 * Otherwise returns 0. A walk comes to each node up to three times. Global, so that the verifier
 * checks it once. */
__weak int ct_epoll_step(struct epoll_at *e)
{
	struct rb_node *at = e ? e->node : NULL, *from, *up, *left, *right;
	bool visit;

	if (!e || !at)
		return 0;
	from = e->from;
	up = RB_PARENT(BPF_CORE_READ(at, __rb_parent_color));
	left = BPF_CORE_READ(at, rb_left);
	right = BPF_CORE_READ(at, rb_right);
	visit = (from == up && !left) || (left && from == left);
	e->from = at;
	if (from == up && left)
		e->node = left;
	else
		e->node = visit && right ? right : up;
	if (visit)
		e->member = at;
	return visit;
}

/* Walks to the next member: sets e->member and returns 1. Returns 0 if the tree ends, or if
 * EPOLL_DEPTH steps find no member. */
__weak int ct_epoll_next(struct epoll_at *e)
{
	for (int i = 0; i < EPOLL_DEPTH; i++)
		if (ct_epoll_step(e))
			return 1;
	return 0;
}

/* A name is too large for the stack. Only ct_iter_files() uses this memory, never twice at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct name_buf);
} ct_iter_name SEC(".maps");

/* Fills in n, also its time. Returns the bytes of n. */
__weak __u64 ct_object_bytes(struct name_buf *n, struct object *o, __u64 now)
{
	if (!n || !o)
		return 0;
	ct_object_fill(n, o);
	n->b.h.ts = now;
	return n->b.h.size;
}

/* If o is a unix socket whose other end has no descriptor (not accepted yet, or closed), makes o this
 * other end and returns 1. Otherwise returns 0. */
__weak int ct_object_embryo(struct object *o)
{
	struct sock *sk = o ? o->sk : NULL, *other;

	if (!sk || !bpf_core_type_exists(struct unix_sock) ||
	    BPF_CORE_READ(sk, __sk_common.skc_family) != AF_UNIX)
		return 0;
	other = BPF_CORE_READ((struct unix_sock *)sk, peer);
	if (!other || BPF_CORE_READ(other, sk_socket))
		return 0;
	o->file = NULL;
	o->inode = NULL;
	o->sk = other;
	o->id = object_sock_id(other);
	return 1;
}

struct files_walk {
	struct seq_file *seq;
	struct name_buf *name;
	__u64 now;
};

static __always_inline void object_write(struct files_walk *w, struct object *o)
{
	__u64 size = ct_object_bytes(w->name, o, w->now);

	barrier_var(size);
	if (size <= sizeof(*w->name))
		bpf_seq_write(w->seq, w->name, size);
}

/* Writes the name of o, and of its other end if this has no descriptor. */
static __noinline int files_object(struct files_walk *w, struct object *o)
{
	object_write(w, o);
	if (ct_object_embryo(o))
		object_write(w, o);
	return 0;
}

/* Fills in the member of an epoll set, and the object of its file. m->r has the task and m->x[0] the set. */
__weak int ct_epoll_member(struct emit_rec2 *m, struct object *o, __u64 node)
{
	struct epitem *item = (void *)node - bpf_core_field_offset(struct epitem, rbn);

	if (!m || !o)
		return 0;
	*o = (struct object){ .file = BPF_CORE_READ(item, ffd.file), .tid = m->r.tid };
	ct_object_of_file(o);
	m->r.peer = BPF_CORE_READ(item, ffd.fd);
	m->r.obj = o->id;
	m->x[1] = BPF_CORE_READ(item, event.events);
	return 0;
}

static __noinline int epoll_walk(struct files_walk *w, struct file *f, __u64 epoll, __u32 tgid)
{
	struct eventpoll *ep = (void *)RD_NUM(f, private_data);
	struct emit_rec2 m = { .r = { .ts = w->now, .kind = CT_EPMEMBER, .tid = tgid }, .x = { epoll } };
	struct epoll_at e = {};
	struct object o = {};

	e.node = BPF_CORE_READ(ep, rbr.rb_root.rb_node);
	for (int i = 0; i < EPOLL_MEMBERS && ct_epoll_next(&e); i++) {
		ct_epoll_member(&m, &o, (__u64)e.member);
		files_object(w, &o);
		bpf_seq_write(w->seq, &m, sizeof(m));
	}
	return 0;
}

#define IPPROTO_TCP 6

/* If f is the socket ct_iter_obj, writes one __u64. For an established TCP socket, this is the
 * number of its unread bytes. For a unix socket, it is the number of its unread buffers. Writes
 * nothing for any other socket. */
static __noinline int files_unread(struct seq_file *seq, struct file *f)
{
	struct object o = { .file = f };
	struct sock *sk;
	__u64 unread;
	__u16 family;

	ct_object_of_file(&o);
	sk = o.sk;
	if (o.id != ct_iter_obj || !sk)
		return 0;
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (family == AF_UNIX) {
		unread = BPF_CORE_READ(sk, sk_receive_queue.qlen);
	} else if ((family == AF_INET || family == AF_INET6) &&
		   BPF_CORE_READ(sk, sk_protocol) == IPPROTO_TCP &&
		   BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_ESTABLISHED) {
		struct tcp_sock *tp = (void *)sk;

		unread = (__u32)(BPF_CORE_READ(tp, rcv_nxt) - BPF_CORE_READ(tp, copied_seq));
	} else {
		return 0;
	}
	return bpf_seq_write(seq, &unread, sizeof(unread));
}

SEC("iter/task_file")
int ct_iter_files(struct bpf_iter__task_file *ctx)
{
	struct files_walk w = { .seq = ctx->meta->seq, .now = bpf_ktime_get_boot_ns() };
	struct task_struct *t = ctx->task;
	struct file *f = ctx->file;
	struct object o = { .file = f };
	__u32 zero = 0;
	struct ct_rec r;

	if (!t || !f || (ct_iter_tgid && t->tgid != ct_iter_tgid))
		return 0;
	if (ct_iter_obj) {
		/* the inode number first: it is cheap, and a process may have thousands of descriptors */
		if (f->f_inode->i_ino == (ct_iter_obj & CT_OBJ_MASK))
			files_unread(w.seq, f);
		return 0;
	}
	w.name = bpf_map_lookup_elem(&ct_iter_name, &zero);
	if (!w.name)
		return 0;
	ct_object_of_file(&o);
	o.tid = t->pid;
	emit_init(&r, CT_FD);
	r.ts = w.now;
	r.tid = t->tgid;
	r.peer = ctx->fd;
	r.obj = o.id;
	/* CT_FF_READ and CT_FF_WRITE are the kernel's FMODE_READ and FMODE_WRITE */
	r.flags = BPF_CORE_READ(f, f_mode) & (CT_FF_READ | CT_FF_WRITE);
	files_object(&w, &o);
	bpf_seq_write(w.seq, &r, sizeof(r));
	if (CT_OBJ_KIND(r.obj) == CT_OBJ_EPOLL)
		epoll_walk(&w, f, r.obj, t->tgid);
	return 0;
}
