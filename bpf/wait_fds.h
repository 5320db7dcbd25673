/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_fds.h - finds the descriptors that poll and select wait on. This header is a part of wait.h,
 * which includes it.
 *
 * It decodes only the current task, because it reads the memory of the task. ct_wait_set() and
 * ct_wait_select() are global, so that the verifier checks them once and not on every path.
 */
#ifndef CTRACE_BPF_WAIT_FDS_H
#define CTRACE_BPF_WAIT_FDS_H

#define WAIT_AGAIN_NS     1000000000ULL
#define WAIT_SELECT_WORDS 16 /* words that are read; each has 64 descriptors */

#define POLLIN  0x1
#define POLLPRI 0x2
#define POLLOUT 0x4

/* The head of struct pollfd. */
struct wait_pollfd {
	__s32 fd;
	__u16 events, revents;
};

struct wait_set {
	__u64 now;
	__u32 n;    /* number of descriptors; as input of ct_wait_select(): the highest descriptor + 1 */
	__u32 word; /* ct_wait_select(): how many words were read */
	union {
		/*
		 * Input of ct_wait_select(): user addresses of the sets for read, write and
		 * exceptions.
		 */
		__u64 bits[3];
		struct wait_pollfd fd[CT_WAITFD_MAX];
	};
};

/* True: this set of descriptors must be written: the set last written for this task was another
 * one, or was written more than a second ago. */
static __always_inline bool wait_set_is_new(struct wait_set *s, struct task_struct *t)
{
	struct task_state *ts = bpf_task_storage_get(&ct_tasks, t, 0, 0);
	__u64 hash = s->n;

	if (!ts)
		return true;
	for (int i = 0; i < CT_WAITFD_MAX; i++)
		hash = (hash ^ ((__u64)s->fd[i].fd << 16 | s->fd[i].events)) * 0x9e3779b97f4a7c15ULL;
	if (ts->poll_hash == hash && s->now - ts->poll_ns < WAIT_AGAIN_NS)
		return false;
	ts->poll_hash = hash;
	ts->poll_ns = s->now;
	return true;
}

/* Writes the CT_WAITFD records of a set. */
__weak int ct_wait_set(struct wait_set *s)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct cpu *c = emit_cpu();

	if (!s || !c || !wait_set_is_new(s, t))
		return 0;
	for (__u32 i = 0; i < CT_WAITFD_MAX && i < s->n; i++) {
		__s32 fd = s->fd[i].fd;
		struct ct_rec *r;
		__u64 obj;

		if (fd < 0)
			continue;
		obj = ct_object_of_fd(fd, s->now);
		r = emit_rec(c, CT_WAITFD, s->now);
		if (!r)
			return 0;
		r->tid = t->pid;
		r->peer = fd;
		r->state = i;
		r->wait = s->n < 255 ? s->n : 255;
		r->aux = s->fd[i].events;
		r->obj = obj;
		emit_submit(r, s->now);
	}
	return 0;
}

static __always_inline __u64 wait_word(__u64 user, __u32 word)
{
	__u64 v = 0, given = user;

	/* The test is on another value than user. After a test of user itself, the verifier would check
	 * the rest of the program twice: for user == 0, and for other addresses. */
	barrier_var(given);
	given >>= 3;
	barrier_var(given);
	if (given)
		bpf_probe_read_user(&v, sizeof(v), (void *)(user + word * 8));
	return v;
}

/*
 * The index of the only bit that is set. The code has no branch, because the verifier would check
 * each branch separately. Clang 14 has no __builtin_ctzll() for BPF. Without the barrier, Clang would
 * turn this code into a call of __builtin_ctzll().
 */
static __always_inline __u32 wait_bit_index(__u64 bit)
{
	__u64 v = bit - 1;

	v -= v >> 1 & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
	barrier_var(v);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return v * 0x0101010101010101ULL >> 56;
}

/*
 * Takes the first CT_WAITFD_MAX descriptors out of the bit sets of select. Each step of the loop
 * takes a descriptor, or goes on to the next word.
 *
 * The counters n and word are in *s, not in local variables. The verifier assumes that a number read
 * from *s can have any value, and checks the step once. For a local variable, it would check the
 * step again for each value.
 */
__weak int ct_wait_select(struct wait_set *s)
{
	__u64 in = 0, out = 0, pri = 0, bits = 0, user[3];
	__u32 n_fds;

	if (!s)
		return 0;
	n_fds = s->n;
	for (int i = 0; i < 3; i++)
		user[i] = s->bits[i];
	s->n = s->word = 0;
	for (int i = 0; i < WAIT_SELECT_WORDS + CT_WAITFD_MAX; i++) {
		__u64 mask = bits & -bits, at = s->n;
		__u32 word = s->word, bit;

		barrier_var(at);
		if (at >= CT_WAITFD_MAX)
			break;
		if (!bits) {
			if (word >= WAIT_SELECT_WORDS || word * 64 >= n_fds)
				break;
			in = wait_word(user[0], word);
			out = wait_word(user[1], word);
			pri = wait_word(user[2], word);
			bits = in | out | pri;
			if (n_fds - word * 64 < 64)
				bits &= (1ULL << (n_fds & 63)) - 1;
			s->word = word + 1;
			continue;
		}
		bits ^= mask;
		bit = wait_bit_index(mask);
		s->fd[at].fd = (word - 1) * 64 + bit;
		s->fd[at].events = (in >> bit & 1) * POLLIN | (out >> bit & 1) * POLLOUT |
				   (pri >> bit & 1) * POLLPRI; /* no branches */
		s->n = at + 1;
	}
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
	if (s.n == 1 && s.fd[0].fd >= 0)
		x->w.obj = ct_object_of_fd(s.fd[0].fd, x->now);
	else if (s.n)
		ct_wait_set(&s);
	else
		x->w.kind = CT_W_SLEEP; /* a select or poll without descriptors: an old way to sleep for less
					   than a second */
}

#endif
