/* SPDX-License-Identifier: GPL-2.0-or-later */
/* life.bpf.c - records fork, exec (with the arguments), rename and exit of tasks. With ct_empty(), the
 * daemon measures what the call of a program costs. */
#include "maps.h"
#include "caps.h"
#include "task.h"

static __always_inline void life_task(struct cpu *c, struct task_struct *t, __u8 flags, const char *comm,
				      __u64 now)
{
	struct ct_task_blob *b = emit_reserve(c, sizeof(*b), now);

	if (!b)
		return;
	task_fill(b, t, flags);
	if (comm)
		bpf_probe_read_kernel_str(b->comm, sizeof(b->comm), comm);
	emit_submit(b, now);
}

static __always_inline void life_cmdline(struct cpu *c, struct task_struct *t, __u64 now)
{
	struct mm_struct *mm = task_plain(t)->mm;
	struct ct_rawcmdline_blob *b;
	__u64 from, bytes;

	if (!mm)
		return;
	from = mm->arg_start;
	bytes = mm->arg_end - from;
	b = emit_reserve(c, sizeof(*b), now);
	if (!b)
		return;
	b->h.kind = CT_RAWCMDLINE;
	b->h.size = sizeof(*b);
	b->h.tid = t->pid;
	b->bytes = bytes > 0xffffffff ? 0xffffffff : bytes;
	b->exec_id = t->self_exec_id;
	if (bytes > CT_RAWCMDLINE_MAX) {
		const __u32 tail = CT_RAWCMDLINE_MAX - CT_RAWCMDLINE_HEAD;

		bpf_probe_read_user(b->args, CT_RAWCMDLINE_HEAD, (void *)from);
		bpf_probe_read_user(b->args + CT_RAWCMDLINE_HEAD, tail, (void *)(from + bytes - tail));
	} else {
		bpf_probe_read_user(b->args, bytes, (void *)from);
	}
	emit_submit(b, now);
}

SEC("tp_btf/sched_process_fork")
int ct_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct cpu *c = emit_cpu();
	struct ct_rec *r;
	__u64 now;

	if (!c || caps_fork(c, parent, child))
		return 0;
	now = bpf_ktime_get_boot_ns();
	if (!bpf_task_storage_get(&ct_tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		emit_loss(c, CT_LOSS_STORAGE, now);
	r = emit_rec(c, CT_FORK, now);
	if (r) {
		r->tid = parent->pid;
		r->peer = child->pid;
		r->obj = child->tgid;
		r->flags = child->tgid == parent->tgid ? CT_LF_THREAD : 0;
		emit_submit(r, now);
	}
	life_task(c, child, CT_TF_FORK, NULL, now);
	govern_ran(c, GOVERN_LIFE, now);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int ct_exec(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct cpu *c = emit_cpu();
	struct ct_rec *r;
	__u64 now;

	if (!c || (caps_unborn(t) && caps_leave_out(c, t, NULL)))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_EXEC, now);
	if (r) {
		r->tid = t->pid;
		r->peer = ctx[1];
		emit_submit(r, now);
	}
	life_task(c, t, CT_TF_EXEC, NULL, now);
	life_cmdline(c, t, now);
	govern_ran(c, GOVERN_LIFE, now);
	return 0;
}

/* Returns true if comm is already the name of t. Then ct_rename() writes no record: some programs
 * rename a thread before each piece of work, mostly to its present name. */
static __always_inline bool life_is_called(struct task_struct *t, const char *comm)
{
	__u64 was[CT_COMM_LEN / 8] = {}, is[CT_COMM_LEN / 8] = {};

	bpf_probe_read_kernel_str(was, sizeof(was), t->comm);
	bpf_probe_read_kernel_str(is, sizeof(is), comm);
	return was[0] == is[0] && was[1] == is[1];
}

SEC("tp_btf/task_rename")
int ct_rename(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct cpu *c = emit_cpu();
	__u64 now;

	if (!c || caps_leave_out(c, t, NULL) || life_is_called(t, (const char *)ctx[1]))
		return 0;
	now = bpf_ktime_get_boot_ns();
	life_task(c, t, CT_TF_RENAME, (const char *)ctx[1], now);
	govern_ran(c, GOVERN_LIFE, now);
	return 0;
}

#define SIGNAL_GROUP_EXIT 0x4 /* in signal_struct.flags: group_exit_code is valid */

/* Returns the exit code of the thread t. For the last thread of a process, returns the exit code of the
 * process, as wait(2) does. The two differ if, for example, another thread called exit(3) while t was
 * already ending. */
static __always_inline __u32 life_exit_code(struct task_struct *t, bool last)
{
	struct signal_struct *s = task_plain(t)->signal;

	return last && s->flags & SIGNAL_GROUP_EXIT ? s->group_exit_code : t->exit_code;
}

SEC("tp_btf/sched_process_exit")
int ct_exit(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct cpu *c = emit_cpu();
	struct ct_rec *r;
	bool last;
	__u64 now;

	if (!c || (caps_unborn(t) && caps_leave_out(c, t, NULL)))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_EXIT, now);
	if (!r)
		return 0;
	r->tid = t->pid;
	last = !task_plain(t)->signal->live.counter;
	r->peer = life_exit_code(t, last);
	r->obj = t->tgid;
	r->flags = last ? CT_LF_GROUP_DEAD : 0;
	emit_submit(r, now);
	govern_ran(c, GOVERN_LIFE, now);
	return 0;
}

SEC("tp_btf/task_rename")
int ct_empty(__u64 *ctx)
{
	return 0;
}
