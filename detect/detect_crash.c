// SPDX-License-Identifier: GPL-2.0-or-later
/* detect_crash.c - the rule CRASH: notices the processes that a signal ends which dumps core. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "detect/detect_private.h"
#include "lib/cleanup.h"

/* SIG_KERNEL_COREDUMP_MASK of include/linux/signal.h */
static bool dumps_core(unsigned signal)
{
	static const uint8_t core[] = { SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE,
					SIGSEGV, SIGBUS, SIGSYS,  SIGXCPU, SIGXFSZ };

	for (size_t i = 0; i < ARRAY_SIZE(core); i++)
		if (core[i] == signal)
			return true;
	return false;
}

static struct detect_dying *dying_find(struct detect *d, uint32_t tgid)
{
	for (unsigned i = 0; i < DETECT_DYING; i++)
		if (d->dying[i].tgid == tgid)
			return &d->dying[i];
	return NULL;
}

static void crash_note(struct detect *d, const struct detect_task *t, const struct ct_rec *rec)
{
	struct detect_limits limits;
	struct detect_hang *h;

	detect_limits_of(d, t, &limits);
	if (!limits.after_ns[CT_HANG_CRASH] || t->tgid == d->opt.own_tgid)
		return;
	if (d->n_crashes >= MIN(CRASHES_PER_TICK, DETECT_CRASHES)) {
		d->stats.behind++;
		return;
	}
	h = &d->crashes[d->n_crashes++];
	*h = (struct detect_hang){ .rule = CT_HANG_CRASH,
				   .tid = t->tid,
				   .tgid = t->tgid,
				   .cgroup_id = t->cgroup_id,
				   .since_ns = rec->ts,
				   .uid = t->uid,
				   .nr = CT_NR_NONE,
				   .wait = CT_W_NONE };
	memcpy(h->comm, t->comm, sizeof(h->comm));
}

void detect_crash_signal(struct detect *d, const struct ct_rec *rec)
{
	const struct detect_task *t;

	if (!(rec->flags & CT_GF_FATAL))
		return;
	t = detect_task_touch(d, rec->tid, rec->ts);
	if (!t || !t->tgid || dying_find(d, t->tgid))
		return;
	/* Also for other signals: afterwards, no signal to the process is a crash. */
	d->dying[d->n_dying++ % DETECT_DYING] = (struct detect_dying){ .tgid = t->tgid, .ns = rec->ts };
	if (dumps_core(ct_signal_number(rec)))
		crash_note(d, t, rec);
}

void detect_crash_exit(struct detect *d, const struct ct_rec *rec)
{
	unsigned signal = (unsigned)WTERMSIG(ct_exit_code(rec));
	struct detect_dying *dying;
	struct detect_task *t;

	if (!(rec->flags & CT_LF_GROUP_DEAD))
		return;
	dying = dying_find(d, (uint32_t)rec->obj);
	if (dying) {
		*dying = (struct detect_dying){ 0 };
		return;
	}
	/* The record of the signal is missing, for example because of a cap. */
	t = dumps_core(signal) ? detect_task_touch(d, rec->tid, rec->ts) : NULL;
	if (t && t->tgid)
		crash_note(d, t, rec);
}

void detect_crash_report(struct detect *d, uint64_t now_ns)
{
	for (unsigned i = 0; i < d->n_crashes; i++) {
		struct detect_hang *h = &d->crashes[i];

		h->found_ns = MAX(now_ns, h->since_ns);
		d->stats.found[CT_HANG_CRASH]++;
		d->opt.hang(d->opt.hang_arg, h);
	}
	d->n_crashes = 0;
}
