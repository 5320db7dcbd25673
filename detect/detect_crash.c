// SPDX-License-Identifier: GPL-2.0-or-later
/* detect_crash.c - the rule CRASH: notices the processes that end by a signal that dumps core. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "detect/detect_private.h"
#include "lib/cleanup.h"

static struct detect_dying *dying_find(struct detect *d, uint32_t tgid)
{
	for (unsigned i = 0; i < DETECT_DYING; i++)
		if (d->dying[i].tgid == tgid)
			return &d->dying[i];
	return NULL;
}

static void end_name(struct detect *d, struct detect_end *end)
{
	const struct detect_task *t = detect_tasks_find(&d->tasks, end->tid);

	if (!t || !t->tgid)
		return;
	end->named_ns = t->named_ns;
	end->tgid = t->tgid;
	end->uid = t->uid;
	end->cgroup_id = t->cgroup_id;
	memcpy(end->comm, t->comm, sizeof(end->comm));
}

static void end_note(struct detect *d, const struct ct_rec *rec, bool is_exit)
{
	struct detect_end *end;

	if (d->n_ends == DETECT_ENDS) {
		d->stats.crashes_refused++;
		return;
	}
	end = &d->ends[d->n_ends++];
	*end = (struct detect_end){ .ns = rec->ts, .tid = rec->tid, .is_exit = is_exit };
	end_name(d, end);
}

void detect_crash_name(struct detect *d, const struct ct_task_blob *b)
{
	for (unsigned i = 0; i < d->n_ends; i++) {
		struct detect_end *end = &d->ends[i];

		if (end->tid != b->h.tid || b->h.ts > end->ns || b->h.ts < end->named_ns)
			continue;
		end->named_ns = b->h.ts;
		end->tgid = b->tgid;
		end->uid = b->uid;
		end->cgroup_id = b->cgroup_id;
		memcpy(end->comm, b->comm, sizeof(end->comm));
		end->comm[sizeof(end->comm) - 1] = 0;
	}
}

void detect_crash_signal(struct detect *d, const struct ct_rec *rec)
{
	if (rec->flags & CT_GF_FATAL && ct_signal_dumps_core(ct_signal_number(rec)))
		end_note(d, rec, false);
}

void detect_crash_exit(struct detect *d, const struct ct_rec *rec)
{
	if (rec->flags & CT_LF_GROUP_DEAD && ct_signal_dumps_core((unsigned)WTERMSIG(ct_exit_code(rec))))
		end_note(d, rec, true);
}

/* Returns true if the crash was looked at before. The end of a process always belongs to the crash
 * noted for its pid (struct detect_dying). A signal belongs to this crash too, if the last record
 * noted for the crash is a signal, less than CRASH_SAME_NS earlier. Any other signal belongs to a
 * new process with this pid. */
static bool is_known(struct detect *d, const struct detect_end *end)
{
	struct detect_dying *dying = dying_find(d, end->tgid);
	bool known = dying && (end->is_exit || (!dying->ended && end->ns < dying->ns + CRASH_SAME_NS));

	if (!dying)
		dying = &d->dying[d->n_dying++ % DETECT_DYING];
	*dying = (struct detect_dying){ .tgid = end->tgid, .ns = end->ns, .ended = end->is_exit };
	return known;
}

static void crash_report(struct detect *d, const struct detect_end *end, uint64_t now_ns)
{
	struct detect_hang h = { .rule = CT_HANG_CRASH,
				 .tid = end->tid,
				 .tgid = end->tgid,
				 .cgroup_id = end->cgroup_id,
				 .since_ns = end->ns,
				 .found_ns = MAX(now_ns, end->ns),
				 .uid = end->uid,
				 .nr = CT_NR_NONE,
				 .wait = CT_W_NONE };

	memcpy(h.comm, end->comm, sizeof(h.comm));
	d->stats.found[CT_HANG_CRASH]++;
	d->opt.hang(d->opt.hang_arg, &h);
}

static int by_time(const void *a, const void *b)
{
	const struct detect_end *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* The record with the name of a task may come after the record of its end, through the ring of
 * another CPU. So an end is reported only at the second tick after its record. */
void detect_crash_report(struct detect *d, uint64_t now_ns)
{
	unsigned reported = 0, kept = 0;

	qsort(d->ends, d->n_ends, sizeof(d->ends[0]), by_time);
	for (unsigned i = 0; i < d->n_ends; i++) {
		struct detect_end *end = &d->ends[i];
		struct detect_task as = { 0 };
		struct detect_limits limits;

		if (!end->waited) {
			end->waited = true;
			d->ends[kept++] = *end;
			continue;
		}
		if (!end->tgid || is_known(d, end) || end->tgid == d->opt.own_tgid)
			continue;
		as.cgroup_id = end->cgroup_id;
		memcpy(as.comm, end->comm, sizeof(as.comm));
		detect_limits_of(d, &as, &limits);
		if (!limits.after_ns[CT_HANG_CRASH])
			continue;
		if (reported++ < CRASHES_PER_TICK)
			crash_report(d, end, now_ns);
		else
			d->stats.crashes_refused++;
	}
	d->n_ends = kept;
}
