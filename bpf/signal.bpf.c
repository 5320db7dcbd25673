/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal.bpf.c - records signals when they are sent and when they are delivered, and whether they
 * kill. Saves the stack of a task that a signal ends. */
#include "compat.h"
#include "caps.h"
#include "context.h"
#include "wait.h"

#define SIGKILL 9
/* two values of the kernel, in place of the address of a struct kernel_siginfo */
#define SEND_SIG_NOINFO        0 /* user space sent the signal */
#define SEND_SIG_PRIV          1 /* the kernel sent the signal */
#define SI_KERNEL              0x80
#define TRACE_SIGNAL_DELIVERED 0

/* By default, none of these kills: SIGURG, SIGCHLD, SIGCONT, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU. */
#define SIGNAL_NOT_FATAL                                                                                     \
	(CT_SIGNAL_BIT(23) | CT_SIGNAL_BIT(17) | CT_SIGNAL_BIT(18) | CT_SIGNAL_BIT(28) | CT_SIGNAL_BIT(19) | \
	 CT_SIGNAL_BIT(20) | CT_SIGNAL_BIT(21) | CT_SIGNAL_BIT(22))

/* In signal_struct.flags: the process is the first of its pid namespace. It ignores the signals for
 * which it has no handler, except SIGKILL and SIGSTOP from an outer namespace. The kernel clears
 * this flag before it forces a signal on the process, such as SIGSEGV. */
#define SIGNAL_UNKILLABLE 0x40

static __always_inline bool signal_kills(struct task_struct *t, __u32 sig, __u64 handler)
{
	if (sig == SIGKILL)
		return true;
	return sig - 1 < 64 && !handler && !(SIGNAL_NOT_FATAL & CT_SIGNAL_BIT(sig)) &&
	       !(BPF_CORE_READ(t, signal, flags) & SIGNAL_UNKILLABLE);
}

static __always_inline __u64 signal_handler(struct task_struct *t, __u32 sig)
{
	void *ka = (void *)RD_NUM(t, sighand) + bpf_core_field_offset(struct sighand_struct, action);

	ka += ((sig - 1) & 63) * bpf_core_type_size(struct k_sigaction);
	return RD_NUM((struct k_sigaction *)ka, sa.sa_handler);
}

SEC("tp_btf/signal_generate")
int ct_signal(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[2], *cur = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();
	__u32 sig = ctx[0];
	__u64 now, info = 0;
	struct ct_rec *r;
	__s32 code = 0;

	if (!c || caps_leave_out(c, cur, t))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_SIGNAL, now);
	if (!r)
		return 0;
	/* Read as a number, because two values of info are no address. */
	bpf_probe_read_kernel(&info, sizeof(info), &ctx[1]);
	if (info == SEND_SIG_PRIV)
		code = SI_KERNEL;
	else if (info != SEND_SIG_NOINFO)
		code = BPF_CORE_READ((struct kernel_siginfo *)info, si_code);
	r->tid = cur->pid;
	r->peer = t->pid;
	r->state = sig;
	r->obj = t->tgid;
	r->aux = code;
	r->nr = CT_NR_NONE;
	if (signal_kills(t, sig, signal_handler(t, sig)))
		r->flags |= CT_GF_FATAL;
	if (ctx[4] != TRACE_SIGNAL_DELIVERED)
		r->flags |= CT_GF_IGNORED;
	if (ctx[3])
		r->flags |= CT_GF_GROUP;
	if (code > 0 || context_now(c) || task_is_kernel(cur))
		r->flags |= CT_GF_KERNEL;
	else
		r->nr = wait_syscall(cur, task_regs(cur));
	emit_submit(r, now);
	govern_ran(c, GOVERN_OTHER, now);
	return 0;
}

SEC("tp_btf/signal_deliver")
int ct_signal_deliver(__u64 *ctx)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct k_sigaction *ka = (void *)ctx[2];
	struct cpu *c = emit_cpu();
	__u32 sig = ctx[0];
	struct ct_rec *r;
	__u64 now;

	if (!c || caps_leave_out(c, cur, NULL))
		return 0;
	now = bpf_ktime_get_boot_ns();
	r = emit_rec(c, CT_SIGDELIVER, now);
	if (!r)
		return 0;
	r->tid = cur->pid;
	r->state = sig;
	if (signal_kills(cur, sig, (__u64)BPF_CORE_READ(ka, sa.sa_handler)))
		r->flags = CT_GF_FATAL;
	emit_submit(r, now);
	return 0;
}

/*
 * The rest of this file saves what is needed to unwind the stack of a task that a signal is about to
 * end. The process is gone before the daemon can look at it. So the record has the registers, the
 * top of the stack, and the executable mappings that the stack needs, with the paths of their files.
 *
 * The program runs with interrupts off. There, no helper of the kernel lists the mappings, so the
 * program reads the kernel's own list: a maple tree since Linux 6.1, a linked list before. All reads
 * are safe: a list that changes meanwhile leads to missing mappings, and so to a shorter stack.
 */

#define CRASH_PER_S 4
/* The program looks at no more than CRASH_LEAVES leaves of the maple tree, or CRASH_LIST mappings of the
 * linked list. */
#define CRASH_LEAVES 128
#define CRASH_LIST   1024
#define CRASH_DEPTH  8
#define CRASH_CHUNK  256
#define CRASH_NOTE   64 /* divides CRASH_CHUNK */
#define VM_EXEC      0x4
/* The memory is divided into areas of 1 << CRASH_AREA_SHIFT bytes. The program notes the areas to which
 * the saved registers and the saved stack point, by their number modulo CRASH_AREAS. */
#define CRASH_AREA_SHIFT 16
#define CRASH_AREAS      8192
#define CRASH_AREAS_LOOK 64

/* Constants of include/linux/maple_tree.h, for 64-bit machines. A node has NODE_WORDS words: first
 * the parent, then the pivots, then the slots. */
#define NODE_WORDS 32
#define NODE_MASK  255
enum { NODE_LEAF = 1, NODE_RANGE = 2, NODE_ARANGE = 3 };

struct crash_scratch {
	struct cpu_side side;
	struct ct_rawcrash_blob b;
	/* The walk through the tree: the next address, and the range of the node that is now in
	 * `node`. */
	__u64 at, min, max, enc;
	__u64 node[NODE_WORDS];
	__u64 vma;
	__u64 areas[CRASH_AREAS / 64]; /* a bit for each noted area */
	struct name_buf name;
};
_Static_assert(__builtin_offsetof(struct crash_scratch, b) == sizeof(struct cpu_side), "side by side");
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct crash_scratch);
} ct_crash_scratch SEC(".maps");

__u64 crash_second_ns;
__u32 crash_n_second;
__u64 ct_crash_limited; /* crashes without a stack, because of CRASH_PER_S */

/* Two CPUs may both count at the same time; then one record more is written. */
static __always_inline bool crash_may_tell(__u64 now)
{
	if (now - crash_second_ns >= 1000000000) {
		crash_second_ns = now;
		crash_n_second = 0;
	}
	if (crash_n_second++ < CRASH_PER_S)
		return true;
	__sync_fetch_and_add(&ct_crash_limited, 1);
	return false;
}

static __always_inline bool crash_is_fatal(struct task_struct *t, __u32 sig, struct k_sigaction *ka)
{
	return sig - 1 < 64 && CT_CORE_SIGNALS & CT_SIGNAL_BIT(sig) &&
	       signal_kills(t, sig, (__u64)BPF_CORE_READ(ka, sa.sa_handler)) && !task_is_kernel(t) &&
	       t->tgid != ct_tracer_tgid;
}

/* Stops at the first page that is not there: the end of the stack. */
static __always_inline void crash_stack(struct ct_rawcrash_blob *b, __u64 sp)
{
	b->n_stack = 0;
	for (__u32 at = 0; at < CT_CRASH_STACK; at += CRASH_CHUNK) {
		if (bpf_probe_read_user(b->stack + at, CRASH_CHUNK, (void *)(sp + at)))
			break;
		b->n_stack = at + CRASH_CHUNK;
	}
}

static __always_inline void crash_note(struct crash_scratch *s, __u64 addr)
{
	__u32 area = addr >> CRASH_AREA_SHIFT & (CRASH_AREAS - 1);

	s->areas[area / 64] |= 1ULL << area % 64;
}

/* Notes the areas to which the words of the stack and the registers point. Each return address is one of
 * these words. So a mapping without a noted area has no function of this stack: ct_crash_map() skips it. */
__weak int ct_crash_note_words(struct crash_scratch *s, __u32 at)
{
	if (!s || at > CT_CRASH_STACK - CRASH_NOTE)
		return 0;
	for (__u32 i = 0; i < CRASH_NOTE; i += 8)
		crash_note(s, *(__u64 *)(s->b.stack + at + i));
	return 0;
}

__weak int ct_crash_note(struct crash_scratch *s)
{
	if (!s)
		return 0;
	for (__u32 i = 0; i < CRASH_AREAS / 64; i++)
		s->areas[i] = 0;
	for (__u32 i = 0; i < sizeof(s->b.regs) / 8; i++)
		crash_note(s, s->b.regs[i]);
	for (__u32 at = 0; at < CT_CRASH_STACK && at < s->b.n_stack; at += CRASH_NOTE)
		ct_crash_note_words(s, at);
	return 0;
}

__weak int ct_crash_area_is_noted(struct crash_scratch *s, __u32 area)
{
	area &= CRASH_AREAS - 1;
	return s && s->areas[area / 64] & 1ULL << area % 64;
}

/* Returns true if an area of the mapping [start, end) is noted. The area of `end` counts too: if a call is
 * the last instruction of the mapping, its return address is `end`. Returns true for any large mapping. */
static __always_inline bool crash_is_noted(struct crash_scratch *s, __u64 start, __u64 end)
{
	__u64 from = start >> CRASH_AREA_SHIFT, n = (end >> CRASH_AREA_SHIFT) - from + 1;

	if (n > CRASH_AREAS_LOOK)
		return true;
	for (__u32 i = 0; i < CRASH_AREAS_LOOK && i < n; i++)
		if (ct_crash_area_is_noted(s, from + i))
			return true;
	return false;
}

__weak int ct_crash_map(struct crash_scratch *s)
{
	struct vm_area_struct *vma;
	struct ct_crash_map *m;
	struct inode *inode;
	struct file *f;
	__u64 start, end;
	__u32 i;

	if (!s)
		return 0;
	vma = (void *)s->vma;
	if (!vma || !(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return 0;
	start = BPF_CORE_READ(vma, vm_start);
	end = BPF_CORE_READ(vma, vm_end);
	if (!crash_is_noted(s, start, end))
		return 0;
	i = s->b.n_maps;
	barrier_var(i);
	if (i >= CT_CRASH_MAPS)
		return 0;
	m = &s->b.maps[i];
	m->start = start;
	m->end = end;
	m->off = BPF_CORE_READ(vma, vm_pgoff) << ct_page_shift;
	m->ino = 0;
	m->dev = 0;
	m->path[0] = 0;
	f = BPF_CORE_READ(vma, vm_file);
	if (f) {
		inode = BPF_CORE_READ(f, f_inode);
		m->ino = BPF_CORE_READ(inode, i_ino);
		m->dev = BPF_CORE_READ(inode, i_sb, s_dev);
		__builtin_memset(s->name.name, 0, sizeof(s->name.name));
		name_path(&s->name, f);
		bpf_probe_read_kernel_str(m->path, sizeof(m->path), s->name.name);
	}
	s->b.n_maps = i + 1;
	return 0;
}

static __always_inline __u64 crash_word(const struct crash_scratch *s, __u32 i)
{
	barrier_var(i);
	i &= NODE_WORDS - 1;
	barrier_var(i);
	return s->node[i];
}

/* Returns the index of the last slot in use, as ma_data_end() of lib/maple_tree.c. */
static __always_inline __u32 crash_node_end(const struct crash_scratch *s, __u32 type)
{
	__u64 last = s->node[15];

	if (type == NODE_ARANGE)
		return s->node[30] & 0xff;
	if (!last)
		return s->node[31] & 0xff;
	return last == s->max ? 14 : 15;
}

/* Goes from a node to its child for the address s->at, and returns 0. Returns 1 if the node is a leaf (it has
 * no child), and -1 after an error. */
__weak int ct_crash_down(struct crash_scratch *s)
{
	__u32 type, end, slots, i;
	__u64 pivot;

	if (!s)
		return -1;
	type = s->enc >> 3 & 15;
	if (bpf_probe_read_kernel(s->node, sizeof(s->node), (void *)(s->enc & ~(__u64)NODE_MASK)))
		return -1;
	if (type == NODE_LEAF)
		return 1;
	if (type != NODE_RANGE && type != NODE_ARANGE)
		return -1;
	slots = type == NODE_ARANGE ? 10 : 16;
	end = crash_node_end(s, type);
	for (i = 0; i < 16; i++) {
		if (i >= end)
			break;
		pivot = crash_word(s, 1 + i);
		if (pivot >= s->at) {
			s->max = pivot;
			break;
		}
		s->min = pivot + 1;
	}
	s->enc = crash_word(s, slots + i);
	return 0;
}

/* Finds the leaf for the address s->at in the kernel's tree of the process's mappings (mm->mm_mt).
 * Calls ct_crash_map() for each mapping of this leaf. ct_crash_map() adds the mapping to the record
 * if it is executable, crash_is_noted() is true for it, and the record has fewer than CT_CRASH_MAPS
 * mappings. If another leaf follows, ct_crash_leaf() sets s->at to the first address of that leaf,
 * and returns 1. Otherwise, or after an error, returns 0. mm: the address of the struct mm_struct. */
__weak int ct_crash_leaf(struct crash_scratch *s, __u64 mm)
{
	__u32 end;
	int r = 0;

	/* Kernels before 6.8 check a global function even if no program can reach its call. */
	if (!s || !bpf_core_field_exists(((struct mm_struct *)0)->mm_mt))
		return 0;
	s->min = 0;
	s->max = ~0ULL;
	s->enc = (__u64)BPF_CORE_READ((struct mm_struct *)mm, mm_mt.ma_root);
	if ((s->enc & 3) != 2)
		return 0;
	for (int i = 0; i < CRASH_DEPTH && !r; i++)
		r = ct_crash_down(s);
	if (r != 1)
		return 0;
	end = crash_node_end(s, NODE_LEAF);
	for (__u32 i = 0; i < 16; i++) {
		if (i > end)
			break;
		s->vma = crash_word(s, 16 + i);
		ct_crash_map(s);
	}
	if (s->max >= ~0ULL - 1 || s->max < s->at)
		return 0;
	s->at = s->max + 1;
	return 1;
}

static __always_inline void crash_tree(struct crash_scratch *s, struct mm_struct *mm)
{
	s->at = 0;
	for (int i = 0; i < CRASH_LEAVES; i++)
		if (!ct_crash_leaf(s, (__u64)mm))
			break;
}

static __always_inline void crash_list(struct crash_scratch *s, struct mm_struct *mm)
{
	struct vm_area_struct *vma = BPF_CORE_READ(mm, mmap);

	for (int i = 0; i < CRASH_LIST && vma; i++) {
		s->vma = (__u64)vma;
		ct_crash_map(s);
		vma = BPF_CORE_READ(vma, vm_next);
	}
}

SEC("tp_btf/signal_deliver")
int ct_crash(__u64 *ctx)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct crash_scratch *s;
	struct mm_struct *mm;
	struct pt_regs *regs;
	struct cpu *c;
	__u32 zero = 0;
	__u64 now;

	if (!crash_is_fatal(cur, ctx[0], (void *)ctx[2]))
		return 0;
	c = emit_cpu();
	if (!c)
		return 0;
	now = bpf_ktime_get_boot_ns();
	s = bpf_map_lookup_elem(&ct_crash_scratch, &zero);
	if (!s || !crash_may_tell(now))
		return 0;
	s->b.h.ts = now;
	s->b.h.kind = CT_RAWCRASH;
	s->b.h.flags = ctx[0];
	s->b.h.size = sizeof(s->b);
	s->b.h.tid = cur->pid;
	s->b.tgid = cur->tgid;
	s->b.ppid = BPF_CORE_READ(cur, real_parent, tgid);
	s->b.nr = wait_syscall(cur, task_regs(cur));
	s->b.n_maps = 0;
	regs = task_regs(cur);
	__builtin_memset(s->b.regs, 0, sizeof(s->b.regs));
	bpf_probe_read_kernel(s->b.regs, REGS_BYTES, regs);
	crash_stack(&s->b, regs_sp(regs));
	ct_crash_note(s);
	mm = BPF_CORE_READ(cur, mm);
	if (bpf_core_field_exists(mm->mm_mt))
		crash_tree(s, mm);
	else
		crash_list(s, mm);
	emit_side(c, &s->side, sizeof(s->side) + sizeof(s->b), now);
	govern_ran(c, GOVERN_OTHER, now);
	return 0;
}
