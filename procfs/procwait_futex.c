/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procfs/procwait_private.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ctrace/glibc.h"
#include "lib/cleanup.h"

/* ns_tid is from user memory: a tid in the pid namespace of the waiter. shared: the thread may
 * belong to another process. */
static const struct proctask_thread *thread_in_ns(const struct procwait_ctx *c, uint32_t ns_tid, bool shared)
{
	const struct proctask *t = &c->t->tasks;

	for (size_t i = 0; ns_tid && i < c->proc->n_threads; i++) {
		const struct proctask_thread *th = &t->threads.v[c->proc->first_thread + i];

		if (th->ns_tid == ns_tid)
			return th;
	}
	for (size_t i = 0; ns_tid && shared && i < t->threads.n; i++) {
		const struct proctask_thread *th = &t->threads.v[i];

		if (th->ns_tid == ns_tid && t->procs.v[th->proc].pidns == c->proc->pidns)
			return th;
	}
	return NULL;
}

static const struct proctask_thread *mutex_owner(const struct procwait_ctx *c, uint64_t addr, bool shared)
{
	struct glibc_mutex m;
	uint32_t tid;

	if (!proctask_memory(c->proc, addr, &m, sizeof(m)))
		return NULL;
	tid = m.owner & FUTEX_TID_MASK;
	if (m.kind & GLIBC_MUTEX_ROBUST) { /* the futex word itself holds the owner */
		if ((m.lock & FUTEX_TID_MASK) != (int)tid || !(m.lock & FUTEX_WAITERS))
			return NULL;
	} else if (m.lock != GLIBC_MUTEX_CONTENDED) {
		return NULL;
	}
	if (m.nusers == 0 || m.kind & ~GLIBC_MUTEX_KIND_BITS)
		return NULL;
	return thread_in_ns(c, tid, shared);
}

static const struct proctask_thread *rwlock_owner(const struct procwait_ctx *c, uint64_t addr, bool shared)
{
	static const size_t words[] = { offsetof(struct glibc_rwlock, wrphase_futex),
					offsetof(struct glibc_rwlock, writers_futex) };
	struct glibc_rwlock l;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct proctask_thread *o;

		if (!proctask_memory(c->proc, addr - words[i], &l, sizeof(l)) ||
		    (l.readers & GLIBC_RWLOCK_WRITING) != GLIBC_RWLOCK_WRITING || l.shared != shared)
			continue;
		o = thread_in_ns(c, l.cur_writer, shared);
		if (o && o != c->th)
			return o;
	}
	return NULL;
}

static int wait_on_owner(struct procwait_ctx *c, const struct proctask_thread *owner, const char *what,
			 uint64_t addr)
{
	c->w->class = PROCWAIT_WAIT;
	snprintf(c->w->name, sizeof(c->w->name), "%s 0x%" PRIx64, what, addr);
	return procwait_add(c, (struct procwait_target){
				       .id = owner->tid, .is_thread = true, .sure = true, .owes = true });
}

int procwait_futex(struct procwait_ctx *c)
{
	uint64_t addr = c->th->args[0], expected = c->th->args[2];
	unsigned op = c->th->args[1] & FUTEX_CMD_MASK;
	bool shared = !(c->th->args[1] & FUTEX_PRIVATE_FLAG);
	const struct proctask_thread *o;
	uint32_t word = 0;

	c->w->kind = "futex";
	c->w->open = c->th->args[3] != 0;
	snprintf(c->w->name, sizeof(c->w->name), "futex 0x%" PRIx64, addr);
	c->w->class = PROCWAIT_IDLE;
	if (!proctask_memory(c->proc, addr, &word, sizeof(word)))
		return 0;
	switch (op) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		o = thread_in_ns(c, word & FUTEX_TID_MASK, shared);
		return o ? wait_on_owner(c, o, "mutex", addr) : 0;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		o = mutex_owner(c, addr, shared);
		if (o)
			return wait_on_owner(c, o, "mutex", addr);
		o = rwlock_owner(c, addr, shared);
		if (o)
			return wait_on_owner(c, o, "rwlock", addr);
		/* in pthread_join(), the word is the tid of the thread that has to end */
		o = shared && word == (uint32_t)expected ? thread_in_ns(c, word, false) : NULL;
		if (!o || o == c->th)
			return 0;
		c->w->class = PROCWAIT_WAIT;
		snprintf(c->w->name, sizeof(c->w->name), "end of thread %u", o->tid);
		return procwait_add(
			c, (struct procwait_target){ .id = o->tid, .is_thread = true, .sure = true });
	default:
		return 0;
	}
}
