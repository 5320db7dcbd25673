/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_fds.h - a part of wait.h: finds the descriptors that poll and select wait on. wait_fds() reads the
 * user memory of the current task, wait_polled() the kernel stack of another task.
 *
 * Most functions are global, so that the verifier checks them once and not on every path. A global
 * function must return a number, so some of them always return 0.
 */
#ifndef CTRACE_BPF_WAIT_FDS_H
#define CTRACE_BPF_WAIT_FDS_H

#define WAIT_AGAIN_NS     1000000000ULL
#define WAIT_SELECT_WORDS 16

/* ct_polled_find() searches this many bytes of the kernel stack, below the saved registers. The
 * kernel moves the frames of a system call down by up to 1 KiB, at random. The frames themselves
 * take up to 1.5 KiB. */
#define POLLED_STACK   3072
#define POLLED_WORDS   8
#define POLLED_ENTRIES 9

#define POLLIN     0x1
#define POLLPRI    0x2
#define POLLOUT    0x4
#define POLLERR    0x8
#define POLLHUP    0x10
#define POLLRDNORM 0x40

struct wait_pollfd {
	__s32 fd;
	__u16 events, revents;
};

struct wait_set {
	__u64 now;
	/* How many descriptors there are. If there are more than CT_WAITFD_MAX, fd[] has only some
	 * of them. As input of ct_wait_select(): the highest descriptor + 1. */
	__u32 n;
	__u32 word;
	union {
		/* input of ct_wait_select(): user addresses of the sets for read, write, exceptions */
		__u64 bits[3];
		struct wait_pollfd fd[CT_WAITFD_MAX];
	};
};

static __always_inline __u64 wait_hash(__u64 hash, __u64 v)
{
	return (hash ^ v) * 0x9e3779b97f4a7c15ULL;
}

static __always_inline bool wait_hash_is_new(struct task_state *ts, __u64 hash, __u64 now)
{
	if (ts->poll_hash == hash && now - ts->poll_ns < WAIT_AGAIN_NS)
		return false;
	ts->poll_hash = hash;
	ts->poll_ns = now;
	return true;
}

static __always_inline void wait_set_note(struct wait_set *s, struct task_state *ts)
{
	ts->n_polled = s->n;
	for (int i = 0; i < CT_WAITFD_MAX; i++)
		ts->polled[i] = s->fd[i].events & (POLLIN | POLLRDNORM) ? s->fd[i].fd : -1;
}

static __always_inline bool wait_set_is_new(struct wait_set *s, struct task_struct *t)
{
	struct task_state *ts = bpf_task_storage_get(&ct_tasks, t, 0, 0);
	__u64 hash = s->n;

	if (!ts)
		return true;
	wait_set_note(s, ts);
	for (int i = 0; i < CT_WAITFD_MAX; i++)
		hash = wait_hash(hash, (__u64)s->fd[i].fd << 16 | s->fd[i].events);
	return wait_hash_is_new(ts, hash, s->now);
}

/* Returns 0 if nothing is written. Not inlined: before 6.2, ct_wait_set() has little stack left. */
__weak int ct_wait_one(struct wait_set *s, __u32 i, __u64 obj)
{
	struct cpu *c = emit_cpu();
	struct ct_rec *r = NULL;

	if (s && c && i < CT_WAITFD_MAX)
		r = emit_rec(c, CT_WAITFD, s->now);
	if (!r)
		return 0;
	r->tid = (__u32)bpf_get_current_pid_tgid();
	r->peer = s->fd[i].fd;
	r->state = i;
	r->wait = s->n < 255 ? s->n : 255;
	r->aux = s->fd[i].events;
	r->obj = obj;
	emit_submit(r, s->now);
	return 1;
}

__weak int ct_wait_set(struct wait_set *s)
{
	if (!s || !wait_set_is_new(s, bpf_get_current_task_btf()) || s->n < 2)
		return 0;
	for (__u32 i = 0; i < CT_WAITFD_MAX && i < s->n; i++) {
		__s32 fd = s->fd[i].fd;

		if (fd >= 0 && !ct_wait_one(s, i, ct_object_of_fd(fd, s->now)))
			return 0;
	}
	return 0;
}

/* Returns a word of the bit set at `user`, without the bits from n_fds on. */
__weak __u64 ct_wait_word(__u64 user, __u32 word, __u32 n_fds)
{
	__u64 v = 0;

	if (user)
		bpf_probe_read_user(&v, sizeof(v), (void *)(user + word * 8));
	return n_fds - word * 64 < 64 ? v & ((1ULL << (n_fds & 63)) - 1) : v;
}

/* Returns the index of the only bit that is set in `bit`. Has no branches, because the verifier would check
 * each of them. Does not use __builtin_ctzll(), because clang 14 cannot compile it for BPF. barrier_var()
 * keeps clang from turning this code into a __builtin_ctzll(). */
static __always_inline __u32 wait_bit_index(__u64 bit)
{
	__u64 v = bit - 1;

	v -= v >> 1 & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
	barrier_var(v);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return v * 0x0101010101010101ULL >> 56;
}

/* Adds the descriptors of one word of the bit sets to s->fd. The counter n is in *s: if it were local, the
 * verifier would check the loop again for each of its values. */
__weak int ct_wait_select_word(struct wait_set *s, __u64 in, __u64 out, __u64 pri)
{
	__u64 bits = in | out | pri;

	if (!s)
		return 0;
	for (int i = 0; i <= CT_WAITFD_MAX && bits; i++) {
		__u64 mask = bits & -bits, at = s->n;
		__u32 bit = wait_bit_index(mask);

		barrier_var(at);
		s->n = at + 1;
		if (at >= CT_WAITFD_MAX)
			break;
		s->fd[at].fd = s->word * 64 + bit;
		s->fd[at].events =
			(in >> bit & 1) * POLLIN | (out >> bit & 1) * POLLOUT | (pri >> bit & 1) * POLLPRI;
		bits ^= mask;
	}
	return 0;
}

/* Puts the first CT_WAITFD_MAX descriptors of the bit sets into s->fd. */
__weak int ct_wait_select(struct wait_set *s)
{
	__u64 user[3];
	__u32 n_fds;

	if (!s)
		return 0;
	n_fds = s->n;
	for (int i = 0; i < 3; i++)
		user[i] = s->bits[i];
	s->n = s->word = 0;
	for (__u32 word = 0; word < WAIT_SELECT_WORDS && word * 64 < n_fds && s->n < CT_WAITFD_MAX; word++) {
		s->word = word;
		ct_wait_select_word(s, ct_wait_word(user[0], word, n_fds), ct_wait_word(user[1], word, n_fds),
				    ct_wait_word(user[2], word, n_fds));
	}
	if (s->n == CT_WAITFD_MAX && s->word * 64 + 64 < n_fds)
		s->n++;
	return 0;
}

static __always_inline void wait_fds(struct wait_ctx *x, struct pt_regs *regs)
{
	struct wait_set s = { .now = x->now };
	__u64 got;

	if (SYSCLASS_HOW(x->cls) == SYSCLASS_SELECT) {
		s.n = regs_arg(regs, 0);
		s.bits[0] = regs_arg(regs, 1);
		s.bits[1] = regs_arg(regs, 2);
		s.bits[2] = regs_arg(regs, 3);
		ct_wait_select(&s);
	} else {
		got = s.n = regs_arg(regs, 1);
		if (got > CT_WAITFD_MAX)
			got = CT_WAITFD_MAX;
		barrier_var(got);
		if (bpf_probe_read_user(s.fd, (got & 15) * sizeof(s.fd[0]), (void *)regs_arg(regs, 0)))
			return;
	}
	if (s.n)
		ct_wait_set(&s);
	if (s.n == 1 && s.fd[0].fd >= 0)
		x->w.obj = ct_object_of_fd(s.fd[0].fd, x->now);
	else if (!s.n)
		x->w.kind = CT_W_SLEEP; /* poll and select without a descriptor only sleep */
}

/* Small, because before 6.2 little stack is left here. */
struct wait_polled {
	__u64 now;
	/* The addresses are numbers: before 6.9, a global function takes no pointer to a task. */
	union {
		__u64 task; /* input of ct_polled_find(): the task that polls */
		__u64 hash; /* result of ct_polled_read(): a hash of the files and events */
		__u64 done; /* used by ct_polled_emit(): how many files it has written so far */
	};
	union {
		__u64 regs; /* input of ct_polled_find(): the saved registers */
		__u64 at;   /* result of ct_polled_find(): the struct poll_wqueues */
		__u64 obj;  /* result of ct_polled_read() for a single file */
	};
	__u32 tid;
	__u32 n; /* number of files; above CT_WAITFD_MAX, not exact */
};

/* Returns true if `at` is the address of a struct poll_wqueues that is in use. The first entry of
 * such a struct points back to the struct. After the end of the system call, the struct may still
 * be on the stack, but then the kernel has poisoned the links of the entry. */
__weak int ct_polled_is(__u64 at)
{
	struct poll_wqueues *q = (void *)at;
	__u64 link = at + bpf_core_field_offset(struct poll_wqueues, inline_entries) +
		     bpf_core_field_offset(struct poll_table_entry, wait.entry);

	return (__u64)BPF_CORE_READ(q, inline_entries[0].wait.private) == at &&
	       (__u64)BPF_CORE_READ(q, inline_entries[0].wait.entry.next, prev) == link;
}

__weak int ct_polled_step(struct wait_polled *p, __u64 from)
{
	__u64 words[POLLED_WORDS];

	if (!p || bpf_probe_read_kernel(words, sizeof(words), (void *)from))
		return -1;
	for (int i = 0; i < POLLED_WORDS; i++) {
		__u64 at = from + i * 8 - bpf_core_field_offset(struct poll_wqueues, polling_task);

		if (words[i] == p->task && ct_polled_is(at)) {
			p->at = at;
			return 1;
		}
	}
	return 0;
}

/* Sets p->at to the struct poll_wqueues of the task and returns 1, or returns 0. The struct is on the
 * kernel stack, not far below the saved registers. */
__weak int ct_polled_find(struct wait_polled *p)
{
	int found = 0;

	if (!p)
		return 0;
	for (int i = POLLED_STACK; i > 0 && !found; i -= POLLED_WORDS * 8)
		found = ct_polled_step(p, p->regs - i);
	return found > 0;
}

static __always_inline __u64 polled_first(__u64 at)
{
	return at + bpf_core_field_offset(struct poll_wqueues, inline_entries);
}

__weak int ct_polled_read(struct wait_polled *p)
{
	struct file *f, *last = NULL;
	struct poll_table_entry *e;
	struct poll_wqueues *q;
	int used;

	if (!p)
		return 0;
	q = (void *)p->at;
	e = (void *)polled_first(p->at);
	used = BPF_CORE_READ(q, inline_index);
	for (int i = 0; i < POLLED_ENTRIES && i < used; i++) {
		f = BPF_CORE_READ(e, filp);
		if (f != last) {
			p->n++;
			p->hash = wait_hash(p->hash, (__u64)f ^ BPF_CORE_READ(e, key));
		}
		last = f;
		e = (void *)e + bpf_core_type_size(struct poll_table_entry);
	}
	if (BPF_CORE_READ(q, table))
		p->n += CT_WAITFD_MAX;
	if (p->n == 1)
		p->obj = object_of_file(last, p->tid, p->now);
	return 0;
}

__weak int ct_polled_file(struct wait_polled *p, __u64 f, __u32 events)
{
	struct ct_rec *r;
	struct cpu *c;
	__u64 obj;

	if (!p)
		return 0;
	obj = object_of_file((void *)f, p->tid, p->now);
	c = emit_cpu();
	r = c ? emit_rec(c, CT_WAITFD, p->now) : NULL;
	if (!r)
		return 0;
	r->tid = p->tid;
	r->peer = CT_FD_NONE;
	r->state = p->done++;
	r->wait = p->n;
	r->aux = events & ~(POLLERR | POLLHUP);
	r->obj = obj;
	emit_submit(r, p->now);
	return 1;
}

__weak int ct_polled_emit(struct wait_polled *p)
{
	struct file *f, *last = NULL;
	struct poll_table_entry *e;

	if (!p)
		return 0;
	p->done = 0;
	e = (void *)polled_first(p->at);
	for (int i = 0; i < POLLED_ENTRIES && p->done < p->n && p->done < CT_WAITFD_MAX; i++) {
		f = BPF_CORE_READ(e, filp);
		if (f != last && !ct_polled_file(p, (__u64)f, BPF_CORE_READ(e, key)))
			return 0;
		last = f;
		e = (void *)e + bpf_core_type_size(struct poll_table_entry);
	}
	return 0;
}

static __always_inline void wait_polled(struct wait_ctx *x, struct task_struct *t, struct pt_regs *regs)
{
	struct wait_polled p = { .now = x->now, .tid = t->pid };
	struct task_state *ts;

	if (!(__u32)regs_arg(regs, SYSCLASS_HOW(x->cls) == SYSCLASS_SELECT ? 0 : 1)) {
		x->w.kind = CT_W_SLEEP;
		return;
	}
	/* the verifier must take the addresses for numbers, not for pointers */
	bpf_probe_read_kernel(&p.task, sizeof(p.task), &t);
	bpf_probe_read_kernel(&p.regs, sizeof(p.regs), &regs);
	if (!ct_polled_find(&p))
		return;
	ct_polled_read(&p);
	ts = bpf_task_storage_get(&ct_tasks, t, 0, 0);
	if (p.n == 1)
		x->w.obj = p.obj;
	else if (!ts || wait_hash_is_new(ts, p.hash, x->now))
		ct_polled_emit(&p);
}

#endif
