// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect_exception.c - the rule EXCEPTION: notices the processes that end with an exit status other than 0
 * after a framework has reported an exception or an error without a handler (CT_CALL_*). Also notices the
 * threads that end after such an exception, while their process goes on.
 *
 * The record of the call may come after that of the end of the process or thread, through another ring.
 */
#include <string.h>
#include <sys/wait.h>

#include "detect/detect_private.h"
#include "lib/cleanup.h"

void detect_exception_name(struct detect *d, const struct ct_object_blob *o)
{
	static const char *const names[DETECT_CALLS] = { CT_CALL_EXCEPTION, CT_CALL_FATAL, CT_CALL_ERROR };

	for (unsigned i = 0; CT_OBJ_KIND(o->id) == CT_OBJ_MARK && i < DETECT_CALLS; i++) {
		size_t n = strlen(names[i]);

		if (o->name_len == n && o->h.size >= sizeof(*o) + n && !memcmp(o->name, names[i], n))
			d->calls[i] = o->id;
	}
}

/* thread: as detect_raised.thread */
static struct detect_raised *raised_find(struct detect *d, uint32_t tgid, uint32_t thread)
{
	for (unsigned i = 0; d->n_raised && tgid && i < DETECT_RAISED; i++)
		if (d->raised[i].tgid == tgid && d->raised[i].thread == thread)
			return &d->raised[i];
	return NULL;
}

static void raised_drop(struct detect *d, struct detect_raised *x)
{
	*x = (struct detect_raised){ 0 };
	d->n_raised--;
}

/* Returns an empty entry. If there is none, replaces an old one. */
static struct detect_raised *raised_new(struct detect *d)
{
	for (unsigned i = 0; i < DETECT_RAISED; i++)
		if (!d->raised[i].tgid) {
			d->n_raised++;
			return &d->raised[i];
		}
	d->stats.crashes_refused++;
	return &d->raised[d->raised_next++ % DETECT_RAISED];
}

static bool waits_for_work(uint8_t wait)
{
	return wait == CT_W_EPOLL || wait == CT_W_ACCEPT;
}

/* Returns when the process or thread ended, if this was at ns or later and its record has come already. */
static uint64_t ended_since(const struct detect_ended *v, uint32_t id, uint64_t ns)
{
	for (unsigned i = 0; i < DETECT_ENDED; i++)
		if (v[i].id == id && v[i].ns >= ns)
			return v[i].ns;
	return 0;
}

static void raised_ends(struct detect *d, struct detect_raised *x, uint64_t ns)
{
	const struct detect_raised *process = x->thread ? raised_find(d, x->tgid, 0) : NULL;

	if (ns < x->ns || (x->thread && ns - x->ns > RAISED_THREAD_NS))
		return;
	/* the exception ends the process, too */
	if (!process || process->tid != x->thread)
		x->failed_ns = ns;
}

/* t: the task of the call. any_thread: the process ends, whichever thread has reported the exception. */
static void raised_add(struct detect *d, const struct ct_rec *rec, const struct detect_task *t,
		       bool any_thread)
{
	uint32_t thread = any_thread || t->tgid == rec->tid ? 0 : rec->tid;
	struct detect_raised *x;

	if (t->tgid == d->opt.own_tgid)
		return;
	/* the program has handled the exception, and its record has come before */
	if (t->run == DETECT_BLOCKED && waits_for_work(t->wait) && t->since_ns > rec->ts)
		return;
	x = raised_find(d, t->tgid, thread) ?: raised_new(d);
	*x = (struct detect_raised){ .ns = rec->ts,
				     .cgroup_id = t->cgroup_id,
				     .tid = rec->tid,
				     .tgid = t->tgid,
				     .thread = thread,
				     .uid = t->uid };
	memcpy(x->comm, t->comm, sizeof(x->comm));
	raised_ends(d, x,
		    thread ? ended_since(d->ended, thread, rec->ts)
			   : ended_since(d->failed, t->tgid, rec->ts));
}

void detect_exception_call(struct detect *d, const struct ct_rec *rec)
{
	const struct detect_task *t = detect_tasks_find(&d->tasks, rec->tid);

	for (unsigned i = 0; i < DETECT_CALLS; i++) {
		if (!(rec->flags & CT_MF_CALL) || !rec->obj || d->calls[i] != rec->obj)
			continue;
		if (t && t->tgid)
			raised_add(d, rec, t, i > 0);
		else if (d->n_unnamed < DETECT_UNNAMED)
			d->unnamed[d->n_unnamed++] = *rec;
		else
			d->stats.crashes_refused++;
	}
}

void detect_exception_wait(struct detect *d, const struct ct_rec *rec)
{
	for (unsigned i = 0; waits_for_work(rec->wait) && i < DETECT_RAISED; i++)
		if (d->raised[i].tid == rec->tid && d->raised[i].tgid && d->raised[i].ns < rec->ts &&
		    !d->raised[i].failed_ns)
			raised_drop(d, &d->raised[i]);
}

void detect_exception_anew(struct detect *d, uint32_t tgid, uint64_t ts)
{
	struct detect_raised *x = raised_find(d, tgid, 0);

	if (x && x->ns < ts && !x->failed_ns)
		raised_drop(d, x);
}

/* A thread that ends by itself has the code 0. If another task ends the process, its threads have the code of
 * the process. */
static void thread_ends(struct detect *d, const struct ct_rec *rec)
{
	struct detect_raised *x = raised_find(d, (uint32_t)rec->obj, rec->tid);

	if (ct_exit_code(rec))
		return;
	d->ended[d->ended_next++ % DETECT_ENDED] = (struct detect_ended){ .ns = rec->ts, .id = rec->tid };
	if (x)
		raised_ends(d, x, rec->ts);
}

void detect_exception_exit(struct detect *d, const struct ct_rec *rec)
{
	int code = (int)ct_exit_code(rec);
	uint32_t tgid = (uint32_t)rec->obj;
	struct detect_raised *x = raised_find(d, tgid, 0);

	if (!(rec->flags & CT_LF_GROUP_DEAD)) {
		thread_ends(d, rec);
		return;
	}
	if (WIFSIGNALED(code) || !WEXITSTATUS(code)) {
		detect_exception_anew(d, tgid, rec->ts);
		return;
	}
	d->failed[d->failed_next++ % DETECT_ENDED] = (struct detect_ended){ .ns = rec->ts, .id = tgid };
	if (x)
		raised_ends(d, x, rec->ts);
}

static void exception_report(struct detect *d, const struct detect_raised *x, uint64_t now_ns)
{
	struct detect_hang h = { .rule = CT_HANG_EXCEPTION,
				 .tid = x->tid,
				 .tgid = x->tgid,
				 .cgroup_id = x->cgroup_id,
				 .since_ns = x->ns,
				 .found_ns = MAX(now_ns, x->failed_ns),
				 .uid = x->uid,
				 .nr = CT_NR_NONE,
				 .wait = CT_W_NONE };

	memcpy(h.comm, x->comm, sizeof(h.comm));
	d->stats.found[CT_HANG_EXCEPTION]++;
	d->opt.hang(d->opt.hang_arg, &h);
}

void detect_exception_report(struct detect *d, uint64_t now_ns)
{
	unsigned reported = 0, n_unnamed = d->n_unnamed;

	d->n_unnamed = DETECT_UNNAMED; /* a call whose task has no name now gets none */
	for (unsigned i = 0; i < n_unnamed; i++)
		detect_exception_call(d, &d->unnamed[i]);
	d->n_unnamed = 0;
	for (unsigned i = 0; d->n_raised && i < DETECT_RAISED; i++) {
		struct detect_raised *x = &d->raised[i];
		struct detect_task as = { .cgroup_id = x->cgroup_id };
		struct detect_limits limits;

		if (!x->failed_ns) {
			if (x->tgid && now_ns >= x->ns + RAISED_KEPT_NS)
				raised_drop(d, x);
			continue;
		}
		memcpy(as.comm, x->comm, sizeof(as.comm));
		detect_limits_of(d, &as, &limits);
		if (limits.after_ns[CT_HANG_EXCEPTION] && reported++ < CRASHES_PER_TICK)
			exception_report(d, x, now_ns);
		else if (limits.after_ns[CT_HANG_EXCEPTION])
			d->stats.crashes_refused++;
		raised_drop(d, x);
	}
}
