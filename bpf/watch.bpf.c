/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.bpf.c - the programs behind watchpoints. A hardware breakpoint calls a program after the
 * instruction that accessed the variable. Used on x86-64 only.
 *
 * x86-64 has no breakpoint for reads alone. So a watchpoint with reads has two breakpoints:
 * ct_watch_write() sees the writes, ct_watch_any() all accesses. A spinning task reads without end, so
 * only its first read after each change is recorded.
 */
#include "compat.h"
#include "emit.h"
#include "ctrace/watchslot.h"

#define WATCH_ONE_HIT_NS 50000
#define WATCH_LATE_LOOKS 64

/* As in linux/bpf_perf_event.h. The verifier replaces each read of a member by reads of the kernel's own
 * structures. */
struct bpf_perf_event_data {
#if defined(__TARGET_ARCH_x86)
	__u64 regs[21];
#define REGS_IP 16
#else
	__u64 regs[34];
#define REGS_IP 32
#endif
	__u64 sample_period;
	__u64 addr;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct watch_slots);
} ct_watches SEC(".maps");

struct watch_seen {
	__u32 gen;
	__u32 pad;
	__u64 change; /* the last change that the task has seen or made */
	__u64 value;
	__u64 write_ns;
	__u64 told_ns;
	__u64 write_ip;
};
struct watch_task {
	struct watch_seen v[WATCH_SLOTS];
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct watch_task);
} ct_watch_tasks SEC(".maps");

struct watch_hit {
	struct watch_slot *slot;
	struct watch_seen *seen;
	__u64 now;
	__u64 value;
	__u32 tgid;
};

static __always_inline __u64 watch_value(const struct watch_slot *s)
{
	__u64 v = 0;

	switch (s->len) {
	case 1:
		bpf_probe_read_user(&v, 1, (void *)s->addr);
		break;
	case 2:
		bpf_probe_read_user(&v, 2, (void *)s->addr);
		break;
	case 4:
		bpf_probe_read_user(&v, 4, (void *)s->addr);
		break;
	default:
		bpf_probe_read_user(&v, 8, (void *)s->addr);
	}
	return v;
}

/* If gen differs, the slot has another variable now. */
static __always_inline void watch_renew(struct watch_hit *h)
{
	if (!h->seen || h->seen->gen == h->slot->gen)
		return;
	h->seen->gen = h->slot->gen;
	h->seen->change = ~0ULL;
	h->seen->write_ns = h->seen->told_ns = h->seen->write_ip = 0;
}

static __always_inline bool watch_find(struct bpf_perf_event_data *ctx, struct watch_hit *h)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	__u32 zero = 0;
	struct watch_slots *slots = bpf_map_lookup_elem(&ct_watches, &zero);
	struct watch_task *t;
	__u64 addr = ctx->addr;

	h->tgid = cur->tgid;
	if (!slots)
		return false;
	/* An allocation is allowed here: the access came from user mode, or from kernel code that
	 * copies user memory. */
	t = bpf_task_storage_get(&ct_watch_tasks, cur, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
#pragma unroll
	for (int i = 0; i < WATCH_SLOTS; i++)
		if (slots->v[i].tgid == h->tgid && slots->v[i].addr == addr) {
			h->slot = &slots->v[i];
			h->seen = t ? &t->v[i] : NULL;
			watch_renew(h);
			return true;
		}
	return false;
}

static __always_inline bool watch_may_tell(struct watch_slot *s, __u64 now)
{
	if (now - s->second_ns >= 1000000000) {
		s->second_ns = now;
		s->n_second = 0;
	}
	if (s->n_second >= WATCH_PER_S) {
		__sync_fetch_and_add(&s->refused, 1);
		return false;
	}
	s->n_second++;
	return true;
}

static __always_inline int watch_tell(struct bpf_perf_event_data *ctx, const struct watch_hit *h, __u8 state)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct access_buf {
		struct ct_rawaccess_blob b;
		__u64 ip[CT_RAWSTACK_MAX];
	} * a;
	struct cpu *c = emit_cpu();
	long got;

	if (!c || !watch_may_tell(h->slot, h->now))
		return 0;
	a = emit_reserve(c, sizeof(*a), h->now);
	if (!a)
		return 0;
	a->b.h.kind = CT_RAWACCESS;
	a->b.h.flags = state;
	a->b.h.tid = cur->pid;
	a->b.addr = h->slot->addr;
	a->b.value = h->value;
	a->b.tgid = h->tgid;
	a->b.len = h->slot->len;
	a->b.pad = 0;
	got = bpf_get_stack(ctx, a->ip, sizeof(a->ip), BPF_F_USER_STACK);
	a->b.n_user = got > 0 ? (__u64)got >> 3 : 0;
	a->b.h.size = sizeof(a->b) + a->b.n_user * 8;
	emit_submit(a, h->now);
	return 0;
}

SEC("perf_event")
int ct_watch_write(struct bpf_perf_event_data *ctx)
{
	struct watch_hit h = { .now = bpf_ktime_get_boot_ns() };
	bool changed;

	if (!watch_find(ctx, &h))
		return 0;
	h.value = watch_value(h.slot);
	changed = h.value != h.slot->value;
	if (changed) {
		__sync_fetch_and_add(&h.slot->change, 1);
		h.slot->value = h.value;
	}
	if (h.seen) {
		h.seen->write_ns = h.now;
		h.seen->write_ip = ctx->regs[REGS_IP];
		if (!changed && h.now - h.seen->told_ns < WATCH_SAME_AGAIN) {
			__sync_fetch_and_add(&h.slot->refused, 1);
			return 0;
		}
		h.seen->told_ns = h.now;
		h.seen->change = h.slot->change;
		h.seen->value = h.value;
	}
	return watch_tell(ctx, &h, 0);
}

/* Waits briefly for a writer that is still in its exception on another CPU: the record of a write must
 * come before the record of a read of the new value. Returns the time. */
__weak __u64 ct_watch_let_writer(struct watch_slot *s, __u64 value)
{
	__u64 now = 0;

	for (int i = 0; s && i < WATCH_LATE_LOOKS; i++) {
		now = bpf_ktime_get_boot_ns();
		if (*(volatile __u64 *)&s->value == value)
			break;
	}
	return now;
}

SEC("perf_event")
int ct_watch_any(struct bpf_perf_event_data *ctx)
{
	struct watch_hit h = { .now = bpf_ktime_get_boot_ns() };

	if (!watch_find(ctx, &h) || !h.seen || h.now - h.seen->write_ns < WATCH_ONE_HIT_NS)
		return 0;
	/* If the last write of the task came from the same instruction, this access is not recorded
	 * as a read. Either the access is that write itself: a write hits both breakpoints, and a
	 * hypervisor may deliver the second hit late. Or the instruction both reads and writes,
	 * such as xchg. */
	if (ctx->regs[REGS_IP] == h.seen->write_ip)
		return 0;
	h.value = watch_value(h.slot);
	if (h.seen->change == h.slot->change && h.seen->value == h.value)
		return 0;
	h.now = ct_watch_let_writer(h.slot, h.value);
	h.seen->change = h.slot->change;
	h.seen->value = h.value;
	return watch_tell(ctx, &h, 1);
}
