// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctrace/fields.h"
#include "ctrace/postgres.h"
#include "daemon/inspect/inspect_args.h"
#include "daemon/inspect/inspect_path.h"
#include "daemon/inspect/inspect_postgres.h"
#include "daemon/inspect/variable.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/format/blob.h"
#include "trace/words/frame.h"

/* Returns how long the machine was suspended. The scheduler's clock, which the task iterator uses,
 * does not count this time. */
static uint64_t suspended_ns(void)
{
	return (uint64_t)-clock_offsets_now().boot_to_mono_ns;
}

int inspect_look_new(const struct symbols_kernel *kernel, struct inspect_look **ret)
{
	struct inspect_look *l = calloc(1, sizeof(*l));
	struct stat st;

	if (l)
		l->polled = polled_new();
	if (!l || !l->polled || unwind_new(&l->unwind) || symbols_new(NULL, kernel, &l->symbols)) {
		inspect_look_free(l);
		return -ENOMEM;
	}
	if (!stat("/proc/self/ns/pid", &st))
		l->own_pidns = (uint32_t)st.st_ino;
	if (!stat("/proc/self/ns/ipc", &st))
		l->own_ipcns = (uint32_t)st.st_ino;
	l->suspended_ns = suspended_ns();
	*ret = l;
	return 0;
}

void inspect_look_free(struct inspect_look *l)
{
	if (!l)
		return;
	unwind_free(l->unwind);
	symbols_free(l->symbols);
	polled_free(l->polled);
	map_done(&l->futexes);
	map_done(&l->procs);
	map_done(&l->java.threads);
	for (size_t i = 0; i < INSPECT_LOOK_KNOWN; i++)
		free(l->known[i].stack);
	free(l);
}

bool inspect_look_same_wait(const struct inspect_look *l, const struct inspect_want *w,
			    const struct ct_iter_task *t)
{
	uint64_t slack;

	if (t->wait.state == CT_ST_RUNNING || t->wait.nr != w->nr)
		return false;
	/* Without CONFIG_SCHED_INFO, sched_since comes from se.exec_start (found_left()). The clock
	 * of se.exec_start stands still while a host takes the CPU from its virtual machine. So the
	 * wait seems shorter than it is, and sched_since is too late. Half of the time since the
	 * begin of the wait is allowed for this. */
	slack = INSPECT_SAME_WAIT_NS + (t->wait.ts > w->since_ns ? (t->wait.ts - w->since_ns) / 2 : 0);
	if (!w->since_ns || t->sched_since <= w->since_ns + slack)
		return true;
	return t->sched_since <= w->since_ns + slack + (suspended_ns() - l->suspended_ns);
}

/* Returns true if the task still has the stack pointer and program counter of t, or if its
 * /proc/TID/syscall exists but cannot be opened. */
static bool still_there(const struct ct_iter_task *t)
{
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long sp, pc;
	char path[64], line[256];
	char *pc_at, *sp_at;

	snprintf(path, sizeof(path), "/proc/%u/syscall", t->task.h.tid);
	f = fopen(path, "re");
	if (!f)
		return errno != ENOENT && errno != ESRCH;
	if (!fgets(line, sizeof(line), f) || !strncmp(line, "running", 7))
		return false;
	pc_at = strrchr(line, ' ');
	if (!pc_at)
		return false;
	pc = strtoull(pc_at, NULL, 16);
	*pc_at = 0;
	sp_at = strrchr(line, ' ');
	sp = strtoull(sp_at ?: line, NULL, 16);
	return pc == unwind_pc(t->regs) && sp == unwind_sp(t->regs);
}

static void add_kernel(struct inspect_look *l, uint32_t tid, const uint64_t *ip, size_t n, bool first_exact)
{
	if (!first_exact && (!n || symbols_kernel_state(l->symbols) != SYMBOLS_KERNEL_OK))
		l->n = symbols_kernel_task(tid, l->text, CT_ITER_KSTACK);
	if (l->n)
		return;
	for (size_t i = 0; i < MIN(n, (size_t)CT_ITER_KSTACK); i++)
		symbols_kernel(l->symbols, ip[i], first_exact && !i, l->text[l->n++]);
}

static void add_user(struct inspect_look *l, const struct ct_iter_task *t, struct inspect_result *r)
{
	/* A session of PostgreSQL that waits for a lock is in a system call of the kind poll or
	 * epoll. */
	bool poll = r && ct_wait_is_poll(t->wait.wait);
	bool futex = r && t->wait.wait == CT_W_FUTEX;
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	size_t n = unwind_stack(l->unwind, t->regs, frames, &l->cut);

	for (size_t i = 0; i < n; i++) {
		symbols_user(l->symbols, t->task.tgid, &frames[i], l->text[l->n]);
		if (poll && !r->rec.aux && frames[i].elf &&
		    frame_is_function(l->text[l->n], POSTGRES_LOCK_FUNCTION))
			inspect_postgres(l->unwind, t, &frames[i], l->own_pidns, &l->procs, r);
		if (futex && inspect_java_wants(&frames[i])) {
			inspect_java(l->unwind, t, &frames[i], l->own_pidns, &l->java, r);
			futex = false;
		}
		l->n++;
	}
}

static int add_stack(struct inspect_look *l, struct inspect_result *r)
{
	const char *frames[ARRAY_SIZE(l->text)];

	if (!l->n)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		frames[i] = l->text[i];
	r->stack = blob_stack(r->rec.ts, frames, l->n);
	if (!r->stack)
		return -ENOMEM;
	r->words[0] = r->stack->id;
	return 0;
}

static struct inspect_result *result_new(const struct inspect_want *w, const struct ct_iter_task *t)
{
	struct inspect_result *r = calloc(1, sizeof(*r));
	uint64_t since = w->since_ns ?: t->sched_since;

	if (!r)
		return NULL;
	r->rec = t->wait;
	r->rec.ts = clock_boot_ns();
	r->rec.kind = CT_VISIT;
	r->rec.tid = w->tid;
	r->rec.peer = 0;
	r->rec.aux = 0;
	r->rec.obj = w->obj ?: t->wait.obj;
	r->words[1] = since && since < r->rec.ts ? r->rec.ts - since : 0;
	r->tgid = t->task.tgid;
	return r;
}

static void add_polled(struct inspect_look *l, const struct ct_iter_task *t, bool loop,
		       struct inspect_result *r)
{
	struct polled_variable found[POLLED_MAX];
	unsigned n = polled_look(l->polled, l->unwind, t, loop, clock_boot_ns(), found);

	r->polled = n ? malloc(n * sizeof(found[0])) : NULL;
	if (!r->polled)
		return;
	memcpy(r->polled, found, n * sizeof(found[0]));
	r->n_polled = n;
}

static void add_futex_name(struct inspect_look *l, const struct ct_iter_task *t, struct inspect_result *r)
{
	uint64_t key = r->futex.obj ^ (uint64_t)t->task.tgid << 32;
	struct variable_maps maps;
	struct variable v;

	if (!r->has_futex || map_get(&l->futexes, key, NULL))
		return;
	if (l->futexes.n >= INSPECT_FUTEXES_MAX)
		map_done(&l->futexes);
	if (map_set(&l->futexes, key, 0) || variable_maps_read(&maps, t->task.tgid))
		return;
	maps.file_max = VARIABLE_FILE_MAX;
	if (!variable_at(&maps, r->futex_words[0], &v) && v.name[0])
		variable_text(&v, r->futex_name, sizeof(r->futex_name));
	variable_maps_done(&maps);
}

bool inspect_look_spin_wanted(struct inspect_look *l, uint32_t tid)
{
	return polled_wants(l->polled, tid, clock_boot_ns());
}

void inspect_look_spin(struct inspect_look *l, const struct ct_iter_task *t, struct inspect_result *r)
{
	if (unwind_pc(t->regs) && !unwind_begin(l->unwind, t->task.h.tid))
		add_polled(l, t, false, r);
	unwind_end(l->unwind);
}

int inspect_look_wait(struct inspect_look *l, const struct inspect_want *w, const struct ct_iter_task *t,
		      struct inspect_result **ret)
{
	struct inspect_result *res = result_new(w, t);
	int r = 0;

	if (!res)
		return -ENOMEM;
	l->n = 0;
	l->cut = false;
	add_kernel(l, w->tid, t->kstack, t->n_kstack, false);
	if (unwind_pc(t->regs)) {
		l->cut = true;
		if (!unwind_begin(l->unwind, w->tid)) {
			add_user(l, t, res);
			if (t->wait.wait == CT_W_FUTEX)
				inspect_args_futex(l->unwind, t, l->own_pidns, res);
			else if (t->wait.wait == CT_W_POLL)
				inspect_args_fds(l->unwind, t, res);
			else if (t->wait.wait == CT_W_SYSVIPC)
				inspect_args_sysv(l->unwind, t, l->own_ipcns, res);
			else if (t->wait.wait == CT_W_OPEN && !res->rec.obj)
				inspect_path(l->unwind, t, res);
			if (w->loop && inspect_look_spin_wanted(l, w->tid))
				add_polled(l, t, true, res);
		}
		unwind_end(l->unwind);
		r = still_there(t) ? 0 : -ESRCH;
	}
	if (!r)
		r = add_stack(l, res);
	if (r) {
		inspect_result_free(res);
		return r;
	}
	add_futex_name(l, t, res);
	*ret = res;
	return 0;
}

/* Stops at a return address outside code: the kernel has followed a wrong frame pointer. exact:
 * ip[0] is the instruction itself, not a return address. */
static void add_walked(struct inspect_look *l, uint32_t tid, uint32_t tgid, const uint64_t *ip, size_t n,
		       bool exact)
{
	/* If the thread has ended, its process may still have the code. */
	bool begun = n && (!unwind_begin(l->unwind, tid) || !unwind_begin(l->unwind, tgid));

	for (size_t i = 0; begun && i < MIN(n, (size_t)UNWIND_FRAMES_MAX); i++) {
		struct unwind_frame f = unwind_locate(l->unwind, ip[i], exact && i == 0);

		l->cut = i && !f.mapped;
		if (l->cut)
			break;
		symbols_user(l->symbols, tgid, &f, l->text[l->n++]);
	}
	unwind_end(l->unwind);
}

struct ct_rec inspect_look_access_rec(const struct ct_rawaccess_blob *raw)
{
	return (struct ct_rec){ .ts = raw->h.ts,
				.kind = CT_ACCESS,
				.state = raw->h.flags,
				.tid = raw->h.tid,
				.aux = raw->len,
				.obj = CT_OBJ_USER_ID(CT_OBJ_DATA, raw->tgid, raw->addr) };
}

static struct inspect_look_known *known_get(struct inspect_look *l, const struct ct_rawaccess_blob *raw,
					    bool *ret_hit)
{
	struct inspect_look_known *oldest = &l->known[0];

	for (size_t i = 0; i < INSPECT_LOOK_KNOWN; i++) {
		struct inspect_look_known *k = &l->known[i];

		*ret_hit = k->stack && k->tgid == raw->tgid && k->n == raw->n_user &&
			   raw->h.ts < k->ns + INSPECT_LOOK_KNOWN_NS &&
			   !memcmp(k->ip, raw->ip, k->n * sizeof(k->ip[0]));
		if (*ret_hit)
			return k;
		if (k->ns < oldest->ns)
			oldest = k;
	}
	return oldest;
}

static void known_put(struct inspect_look_known *k, const struct ct_rawaccess_blob *raw,
		      const struct ct_stack_blob *stack)
{
	free(TAKE_PTR(k->stack));
	if (!stack || raw->n_user > CT_RAWSTACK_MAX)
		return;
	k->stack = malloc(stack->h.size);
	if (!k->stack)
		return;
	memcpy(k->stack, stack, stack->h.size);
	memcpy(k->ip, raw->ip, raw->n_user * sizeof(k->ip[0]));
	k->ns = raw->h.ts;
	k->tgid = raw->tgid;
	k->n = raw->n_user;
}

static int access_stack(struct inspect_look *l, const struct ct_rawaccess_blob *raw,
			struct inspect_result *res)
{
	struct inspect_look_known *k;
	bool hit;
	int r;

	k = known_get(l, raw, &hit);
	if (hit) {
		res->stack = malloc(k->stack->h.size);
		if (!res->stack)
			return -ENOMEM;
		memcpy(res->stack, k->stack, k->stack->h.size);
		res->stack->h.ts = raw->h.ts;
		res->words[0] = res->stack->id;
		return 0;
	}
	/* Like a return address, ip[0] is the address after the instruction that made the
	 * access. */
	add_walked(l, raw->h.tid, raw->tgid, raw->ip, raw->n_user, false);
	r = add_stack(l, res);
	if (!r)
		known_put(k, raw, res->stack);
	return r;
}

int inspect_look_access(struct inspect_look *l, const struct ct_rawaccess_blob *raw,
			struct inspect_result **ret)
{
	struct inspect_result *res = calloc(1, sizeof(*res));
	int r;

	if (!res)
		return -ENOMEM;
	l->n = 0;
	l->cut = false;
	res->rec = inspect_look_access_rec(raw);
	res->tgid = raw->tgid;
	r = access_stack(l, raw, res);
	if (r) {
		inspect_result_free(res);
		return r;
	}
	res->words[1] = res->words[0];
	res->words[0] = raw->value;
	*ret = res;
	return 0;
}

int inspect_look_sample(struct inspect_look *l, const struct ct_rawstack_blob *raw,
			struct inspect_result **ret)
{
	struct inspect_result *res = calloc(1, sizeof(*res));
	const uint64_t *user = raw->ip + raw->n_kernel;
	size_t sampler = symbols_sampler(l->symbols, raw->ip, raw->n_kernel);
	int r;

	if (!res)
		return -ENOMEM;
	l->n = 0;
	l->cut = false;
	add_kernel(l, raw->h.tid, raw->ip + sampler, raw->n_kernel - sampler, true);
	add_walked(l, raw->h.tid, raw->tgid, user, raw->n_user, true);
	res->rec = (struct ct_rec){ .ts = raw->h.ts,
				    .kind = CT_SAMPLE,
				    .flags = raw->n_kernel ? CT_PF_KERNEL : 0,
				    .tid = raw->h.tid,
				    .nr = raw->nr,
				    .obj = raw->n_user ? user[0] : 0 };
	res->words[1] = raw->ran_ns;
	res->tgid = raw->tgid;
	r = add_stack(l, res);
	if (r)
		inspect_result_free(res);
	else
		*ret = res;
	return r;
}

/* If a task has crashed because it called an address without code, adds this address as a frame.
 * The walk then goes on at the return address, which the call has left on the stack (x86-64) or in
 * the link register (arm64). */
static void add_jump(struct inspect_look *l, struct ct_iter_task *t)
{
	struct unwind_frame f = unwind_locate(l->unwind, unwind_pc(t->regs), true);
#if defined(__x86_64__)
	uint64_t back = 0;
#endif

	if (f.mapped)
		return;
	snprintf(l->text[l->n++], SYMBOLS_TEXT_MAX, "0x%llx (no code)", (unsigned long long)f.ip);
#if defined(__x86_64__)
	if (unwind_memory(l->unwind, t->regs[19], &back, sizeof(back)) != sizeof(back))
		back = 0;
	t->regs[16] = back;
	t->regs[19] += sizeof(back);
#elif defined(__aarch64__)
	t->regs[32] = t->regs[30];
#endif
}

int inspect_look_crash(struct inspect_look *l, const struct ct_rawcrash_blob *raw,
		       struct inspect_result **ret)
{
	struct inspect_result *res = calloc(1, sizeof(*res));
	struct ct_iter_task t = { .task.tgid = raw->tgid };
	int r;

	if (!res)
		return -ENOMEM;
	l->n = 0;
	l->cut = true;
	memcpy(t.regs, raw->regs, sizeof(t.regs));
	res->rec = (struct ct_rec){ .ts = raw->h.ts,
				    .kind = CT_SAMPLE,
				    .flags = CT_PF_FATAL,
				    .tid = raw->h.tid,
				    .nr = raw->nr,
				    .obj = unwind_pc(raw->regs) };
	res->tgid = raw->tgid;
	r = unwind_begin_saved(l->unwind, raw);
	if (!r) {
		/* raw has room for CT_CRASH_MAPS mappings. If this room is full, mappings may be
		 * missing, and an address outside of all mappings of raw may still be in code. */
		if (raw->n_maps < CT_CRASH_MAPS)
			add_jump(l, &t);
		add_user(l, &t, NULL);
	}
	unwind_end(l->unwind);
	if (!r)
		r = add_stack(l, res);
	if (r)
		inspect_result_free(res);
	else
		*ret = res;
	return r;
}

int inspect_look_job(struct inspect_look *l, const struct ct_rawjob_blob *raw, struct inspect_result **ret)
{
	struct inspect_result *res = calloc(1, sizeof(*res));
	struct ct_iter_task t = { .task.tgid = raw->tgid };
	uint64_t sp = unwind_sp(raw->regs);
	int r;

	if (!res)
		return -ENOMEM;
	l->n = 0;
	l->cut = false;
	memcpy(t.regs, raw->regs, sizeof(t.regs));
	res->rec = (struct ct_rec){ .ts = raw->h.ts,
				    .kind = CT_JOB_STACK,
				    .tid = raw->h.tid,
				    .aux = raw->framework,
				    .obj = raw->queue };
	res->tgid = raw->tgid;
	r = unwind_begin_copy(l->unwind, raw->h.tid, sp, raw->stack, raw->n_stack);
	if (r) /* If the thread has ended, its process still has the code. */
		r = unwind_begin_copy(l->unwind, raw->tgid, sp, raw->stack, raw->n_stack);
	if (!r && !unwind_locate(l->unwind, unwind_pc(raw->regs), true).mapped)
		r = -ESRCH;
	if (!r)
		add_user(l, &t, NULL);
	unwind_end(l->unwind);
	if (!r && l->cut)
		snprintf(l->text[l->n++], SYMBOLS_TEXT_MAX, "%s", BLOB_STACK_REST);
	if (!r)
		r = add_stack(l, res);
	if (r) {
		inspect_result_free(res);
		return r == -ENOMEM ? r : -ESRCH;
	}
	res->words[1] = res->words[0];
	res->words[0] = raw->job;
	*ret = res;
	return 0;
}
