// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_postgres.h"

#include <elf.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/postgres.h"
#include "daemon/inspect/inspect_args.h"
#include "daemon/inspect/variable.h"
#include "lib/cleanup.h"

#define PROCS_MAX    64   /* files; the map is emptied before it gets more */
#define LIST_MAX     1024 /* members; a longer list of the lock manager is not searched */
#define CHILDREN_MAX 8192

struct proc {
	uint64_t addr;
	uint64_t words[POSTGRES_PROC_BYTES / sizeof(uint64_t)];
};

struct waiter {
	struct unwind *u;
	struct proc proc;
	struct postgres_wait wait;
	struct postgres_hold hold;
	struct postgres_lock lock;
	size_t wait_at, pid_at; /* bytes from the start of a PGPROC */
	uint32_t conflicts;
};

static bool get(struct unwind *u, uint64_t addr, void *buf, size_t n)
{
	return addr && addr % sizeof(uint64_t) == 0 && unwind_memory(u, addr, buf, n) == (long)n;
}

static bool proc_read(struct unwind *u, uint64_t addr, struct proc *ret)
{
	ret->addr = addr;
	return get(u, addr, ret->words, sizeof(ret->words));
}

static uint32_t proc_pid(const struct waiter *w, const struct proc *p)
{
	uint32_t pid;

	memcpy(&pid, (const char *)p->words + w->pid_at, sizeof(pid));
	return pid;
}

static struct postgres_wait proc_wait(const struct waiter *w, const struct proc *p)
{
	struct postgres_wait wait;

	memcpy(&wait, (const char *)p->words + w->wait_at, sizeof(wait));
	return wait;
}

/* Finds the offsets wait_at and pid_at in the session's own PGPROC. pid: the session's process id,
 * in the session's pid namespace. */
static bool waiter_find(struct waiter *w, uint32_t pid)
{
	static const uint32_t conflicts[POSTGRES_MODES + 1] = POSTGRES_CONFLICTS;

	/* A PGPROC has addresses of the memory that all sessions share. The upper halves of these
	 * addresses are equal, and the search below would take such a half for the process id. */
	if (pid == w->proc.addr >> CHAR_BIT * sizeof(pid))
		return false;
	for (w->pid_at = 0; proc_pid(w, &w->proc) != pid; w->pid_at += sizeof(pid))
		if (w->pid_at + 2 * sizeof(pid) > sizeof(w->proc.words))
			return false;
	for (w->wait_at = 0; w->wait_at + sizeof(w->wait) <= sizeof(w->proc.words);
	     w->wait_at += sizeof(uint64_t)) {
		w->wait = proc_wait(w, &w->proc);
		if (w->wait.mode < 1 || w->wait.mode > POSTGRES_MODES ||
		    !get(w->u, w->wait.hold, &w->hold, sizeof(w->hold)) || w->hold.lock != w->wait.lock ||
		    w->hold.proc != w->proc.addr)
			continue;
		w->conflicts = conflicts[w->wait.mode];
		return get(w->u, w->wait.lock, &w->lock, sizeof(w->lock));
	}
	return false;
}

/* Counts the sessions that own the lock in a mode that conflicts with the wanted mode of the
 * waiter. *ret_pid: process id of the last one of these sessions. Returns -1 if a check fails. */
static int owners_count(const struct waiter *w, uint32_t *ret_pid)
{
	uint64_t end = w->wait.lock + offsetof(struct postgres_lock, owners), at = w->lock.owners.next;
	struct postgres_hold h;
	struct proc p;
	int n = 0;

	for (unsigned i = 0; at != end; i++, at = h.of_lock.next) {
		if (i == LIST_MAX ||
		    !get(w->u, at - offsetof(struct postgres_hold, of_lock), &h, sizeof(h)) ||
		    h.lock != w->wait.lock)
			return -1;
		if (h.proc == w->proc.addr || h.leader == w->hold.leader || !(h.held & w->conflicts))
			continue;
		if (!proc_read(w->u, h.proc, &p))
			return -1;
		*ret_pid = proc_pid(w, &p);
		n++;
	}
	return n;
}

/* Searches the lock's queue in front of the waiter. Returns the process id of the first session
 * there whose wanted mode conflicts with that of the waiter. 0: there is none, or a check fails. */
static uint32_t queued_before(const struct waiter *w)
{
	uint64_t at = w->lock.waiters.next;
	struct proc p;

	for (unsigned i = 0; i < LIST_MAX && at != w->proc.addr; i++, at = p.words[1]) {
		struct postgres_wait wait;

		if (!proc_read(w->u, at, &p))
			return 0;
		wait = proc_wait(w, &p);
		if (wait.lock != w->wait.lock || wait.mode > POSTGRES_MODES)
			return 0;
		if (w->conflicts >> wait.mode & 1)
			return proc_pid(w, &p);
	}
	return 0;
}

/* inner: process id of a session in the pid namespace of the sessions. Returns its process id in
 * the daemon's namespace. All sessions of a server have the same parent. 0: the parent has no such
 * child. */
static uint32_t session_of(const struct ct_iter_task *t, uint32_t inner, bool own_ns)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64];
	uint32_t pid;

	if (own_ns)
		return inspect_args_status(inner, "PPid:") == t->task.ppid ? inner : 0;
	snprintf(path, sizeof(path), "/proc/%u/task/%u/children", t->task.ppid, t->task.ppid);
	f = fopen(path, "re");
	for (unsigned i = 0; f && i < CHILDREN_MAX && fscanf(f, "%u", &pid) == 1; i++)
		if (inspect_args_status(pid, "NSpid:") == inner)
			return pid;
	return 0;
}

static int own_proc_symbol(void *arg, const struct elf_symbol *sym)
{
	uint64_t *ret_vaddr = arg;

	if (sym->type != STT_OBJECT || strcmp(sym->name, POSTGRES_OWN_PROC))
		return 0;
	*ret_vaddr = sym->vaddr;
	return 1;
}

/* Returns the address of the session's own PGPROC, or 0. */
static uint64_t own_proc(struct unwind *u, const struct unwind_frame *f, struct map *procs)
{
	uint64_t vaddr = 0, proc;

	if (!map_get(procs, f->elf->serial, &vaddr)) {
		if (f->elf->file.size > VARIABLE_FILE_MAX ||
		    elf_symbols_each(&f->elf->file, own_proc_symbol, &vaddr) < 0)
			return 0;
		if (procs->n >= PROCS_MAX)
			map_done(procs);
		map_set(procs, f->elf->serial, vaddr);
	}
	return vaddr && get(u, f->ip - f->vaddr + vaddr, &proc, sizeof(proc)) ? proc : 0;
}

void inspect_postgres(struct unwind *u, const struct ct_iter_task *t, const struct unwind_frame *f,
		      uint32_t own_pidns, struct map *procs, struct inspect_result *r)
{
	bool own_ns = !t->task.pidns || t->task.pidns == own_pidns;
	uint32_t pid = own_ns ? t->task.tgid : inspect_args_status(t->task.tgid, "NSpid:"), owner = 0;
	struct waiter w = { .u = u };
	int n;

	r->rec.aux = CT_VL_DATABASE;
	if (!pid || !proc_read(u, own_proc(u, f, procs), &w.proc) || !waiter_find(&w, pid))
		return;
	n = owners_count(&w, &owner);
	if (n == 1 && !owner) {
		r->rec.aux = CT_VL_DATABASE | CT_VL_NO_TASK;
		return;
	}
	if (!n)
		owner = queued_before(&w);
	if (n >= 0 && n <= 1 && owner)
		r->rec.peer = session_of(t, owner, own_ns);
}
