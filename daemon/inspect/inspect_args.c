// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_args.h"

#include <dirent.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctrace/glibc.h"
#include "lib/cleanup.h"
#include "procfs/procqueue.h"

#define THREADS_MAX 4096
#define SELECT_MAX  1024
#define SEM_OPS_MAX 8

struct futex_call {
	uint64_t uaddr;
	uint32_t op;
	bool is_private;
	bool limited;
	uint32_t expected;
};

static bool futex_call(struct unwind *u, const struct ct_iter_task *t, struct futex_call *c)
{
	if (t->wait.nr == SYS_futex) {
		c->uaddr = t->args[0];
		c->op = (uint32_t)t->args[1] & FUTEX_CMD_MASK;
		c->is_private = t->args[1] & FUTEX_PRIVATE_FLAG;
		c->expected = (uint32_t)t->args[2];
		c->limited = t->args[3];
		return true;
	}
#ifdef SYS_futex_waitv
	struct futex_waitv first;

	if (t->wait.nr == SYS_futex_waitv &&
	    unwind_memory(u, t->args[0], &first, sizeof(first)) == sizeof(first)) {
		c->uaddr = first.uaddr;
		c->op = FUTEX_WAIT;
		c->is_private = first.flags & FUTEX_PRIVATE_FLAG;
		c->expected = (uint32_t)first.val;
		return true;
	}
#endif
	return false;
}

uint32_t inspect_args_status(uint32_t tid, const char *name)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, name, strlen(name)) && last)
			return (uint32_t)strtoul(last, NULL, 10);
	}
	return 0;
}

/* Searches the threads of a process for the one that has the tid `inner` in its own (innermost) pid
 * namespace. Returns the tid of this thread in the namespace of the daemon, or 0. */
static uint32_t tid_of_inner(uint32_t tgid, uint32_t inner)
{
	uint32_t found = 0;
	struct dirent *de;
	char path[64];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	d = opendir(path);
	for (unsigned n = 0; d && !found && n < THREADS_MAX && (de = readdir(d)); n++) {
		uint32_t tid = (uint32_t)strtoul(de->d_name, NULL, 10);

		if (tid && inspect_args_status(tid, "NSpid:") == inner)
			found = tid;
	}
	if (d)
		closedir(d);
	return found;
}

static bool is_in_own(const struct ct_iter_task *t, uint32_t own_pidns)
{
	return !t->task.pidns || t->task.pidns == own_pidns;
}

uint32_t inspect_args_inner(const struct ct_iter_task *t, uint32_t own_pidns)
{
	return is_in_own(t, own_pidns) ? t->task.h.tid : inspect_args_status(t->task.h.tid, "NSpid:");
}

uint32_t inspect_args_thread(const struct ct_iter_task *t, uint32_t inner, uint32_t own_pidns)
{
	char path[64];

	if (!inner)
		return 0;
	if (!is_in_own(t, own_pidns))
		return tid_of_inner(t->task.tgid, inner);
	snprintf(path, sizeof(path), "/proc/%u/task/%u", t->task.tgid, inner);
	return access(path, F_OK) ? 0 : inner;
}

/* inner: the owner's tid as the memory of the futex has it, in the owner's pid namespace. Returns
 * the owner's tid in the daemon's namespace. 0: no task that can hold the futex has the tid
 * `inner`. */
static uint32_t owner_check(const struct ct_iter_task *t, const struct futex_call *c, uint32_t inner,
			    uint32_t own_pidns)
{
	char path[64];

	if (!inner || c->is_private || !is_in_own(t, own_pidns))
		return inspect_args_thread(t, inner, own_pidns);
	snprintf(path, sizeof(path), "/proc/%u", inner);
	return access(path, F_OK) ? 0 : inner;
}

/* Reads a mutex of glibc that a task has locked. See ct_futex_mutex_owner() in bpf/wait_futex.h. */
static bool mutex_read(struct unwind *u, const struct futex_call *c, struct glibc_mutex *ret)
{
	return unwind_memory(u, c->uaddr, ret, sizeof(*ret)) == sizeof(*ret) && ret->nusers &&
	       !(ret->kind & ~GLIBC_MUTEX_KIND_BITS);
}

static uint32_t owner_read(struct unwind *u, const struct futex_call *c, uint32_t word)
{
	struct glibc_mutex m;

	if (c->op == FUTEX_LOCK_PI || c->op == FUTEX_LOCK_PI2)
		return word & FUTEX_TID_MASK;
	if ((c->op != FUTEX_WAIT && c->op != FUTEX_WAIT_BITSET) || !mutex_read(u, c, &m))
		return 0;
	/* the word of a robust mutex holds the tid of its owner */
	if (m.kind & GLIBC_MUTEX_ROBUST)
		return word & FUTEX_WAITERS && c->expected == word ? word & FUTEX_TID_MASK : 0;
	/* A mutex of glibc or of Rust. glibc stores the owner beside the word, Rust stores none. Of
	 * the two, only Rust uses FUTEX_WAIT_BITSET without a time limit for a mutex. */
	if (c->expected != GLIBC_MUTEX_CONTENDED || (c->op == FUTEX_WAIT_BITSET && !c->limited))
		return 0;
	return (uint32_t)m.owner & FUTEX_TID_MASK;
}

void inspect_args_futex(struct unwind *u, const struct ct_iter_task *t, uint32_t own_pidns,
			struct inspect_result *r)
{
	struct futex_call c = { 0 };
	uint32_t word;

	if (!futex_call(u, t, &c) || unwind_memory(u, c.uaddr, &word, sizeof(word)) != sizeof(word))
		return;
	r->has_futex = true;
	r->futex = (struct ct_rec){
		.ts = r->rec.ts,
		.kind = CT_FUTEX,
		.tid = r->rec.tid,
		.peer = owner_check(t, &c, owner_read(u, &c, word), own_pidns),
		.nr = r->rec.nr,
		.obj = CT_OBJ_FUTEX_ID(t->task.tgid, c.uaddr),
	};
	r->futex_words[0] = c.uaddr;
	r->futex_words[1] = c.op | (c.is_private ? FUTEX_PRIVATE_FLAG : 0) | (uint64_t)word << 32;
}

static bool gives_back(const struct sembuf *ops, size_t n, unsigned num)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].sem_num == num && ops[i].sem_flg & SEM_UNDO)
			return true;
	return false;
}

/*
 * A semaphore is a lock if its owner gives it back at its exit (SEM_UNDO). To take the lock, a process makes
 * a 1 to a 0, or waits for a 0 and makes it a 1. So if the lock is taken, the owner was the last process that
 * changed the semaphore: perform_atomic_semop() in ipc/sem.c. A semaphore without SEM_UNDO may count items or
 * free places; there, the last process may be another consumer. Returns the owner, or 0.
 */
static uint32_t semaphore_owner(struct unwind *u, const struct ct_iter_task *t)
{
	struct sembuf ops[SEM_OPS_MAX];
	size_t n = t->args[2] <= SEM_OPS_MAX ? (size_t)t->args[2] : 0;

	if (!n || unwind_memory(u, t->args[1], ops, n * sizeof(ops[0])) != (long)(n * sizeof(ops[0])))
		return 0;
	for (size_t i = 0; i < n && ops[i].sem_num < CT_ITER_SEMS; i++) {
		uint64_t sem = t->sems[ops[i].sem_num];
		uint32_t value = (uint32_t)(sem >> 32);

		if (ops[i].sem_op < 0 ? !value : !ops[i].sem_op && value == 1)
			return gives_back(ops, n, ops[i].sem_num) ? (uint32_t)sem : 0;
	}
	return 0;
}

static bool is_in_ipcns(uint32_t tid, uint32_t ipcns)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/ipc", tid);
	return !stat(path, &st) && (uint32_t)st.st_ino == ipcns;
}

static uint32_t queue_peer(const struct ct_iter_task *t, uint32_t own_ipcns)
{
	struct procqueues q;
	int32_t id = (int32_t)t->args[0];
	uint32_t pid;

	if (!is_in_ipcns(t->task.h.tid, own_ipcns) || procqueues_read(&q))
		return 0;
	pid = t->wait.nr == SYS_msgsnd ? procqueues_reader(&q, id, t->task.tgid)
				       : procqueues_server(&q, id, t->task.tgid);
	procqueues_done(&q);
	return pid;
}

void inspect_args_sysv(struct unwind *u, const struct ct_iter_task *t, uint32_t own_ipcns,
		       struct inspect_result *r)
{
	uint32_t owner = 0;

	switch (t->wait.nr) {
	case SYS_semop:
	case SYS_semtimedop:
		owner = semaphore_owner(u, t);
		break;
	case SYS_msgsnd:
	case SYS_msgrcv:
		owner = queue_peer(t, own_ipcns);
		break;
	default:
		break;
	}
	if (!owner || owner == t->task.tgid)
		return;
	r->rec.aux = CT_VL_SYSV;
	r->rec.peer = owner;
}

static void poll_fds(struct unwind *u, uint64_t addr, uint64_t n, struct inspect_result *r)
{
	struct pollfd p[CT_WAITFD_MAX];
	long got = unwind_memory(u, addr, p, MIN(n, (uint64_t)CT_WAITFD_MAX) * sizeof(p[0]));

	r->n_set = (uint16_t)MIN(n, (uint64_t)UINT16_MAX);
	for (long i = 0; i < got / (long)sizeof(p[0]); i++)
		if (p[i].fd >= 0)
			r->fds[r->n_fds++] =
				(struct inspect_fd){ .fd = p[i].fd, .events = (uint16_t)p[i].events };
}

static void select_fds(struct unwind *u, const uint64_t args[6], struct inspect_result *r)
{
	static const uint16_t events[3] = { POLLIN, POLLOUT, POLLPRI };
	uint64_t sets[3][SELECT_MAX / 64] = { 0 };
	unsigned n = (unsigned)MIN(args[0], (uint64_t)SELECT_MAX);

	for (unsigned s = 0; s < ARRAY_SIZE(events); s++)
		if (args[1 + s] && unwind_memory(u, args[1 + s], sets[s], (n + 63) / 64 * 8) <= 0)
			memset(sets[s], 0, sizeof(sets[s]));
	for (unsigned fd = 0; fd < n; fd++) {
		uint16_t ev = 0;

		for (unsigned s = 0; s < ARRAY_SIZE(events); s++)
			ev |= sets[s][fd / 64] >> fd % 64 & 1 ? events[s] : 0;
		if (!ev)
			continue;
		r->n_set++;
		if (r->n_fds < CT_WAITFD_MAX)
			r->fds[r->n_fds++] = (struct inspect_fd){ .fd = (int32_t)fd, .events = ev };
	}
}

void inspect_args_fds(struct unwind *u, const struct ct_iter_task *t, struct inspect_result *r)
{
	switch (t->wait.nr) {
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
		poll_fds(u, t->args[0], t->args[1], r);
		break;
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
		select_fds(u, t->args, r);
		break;
	default:
		break;
	}
}
