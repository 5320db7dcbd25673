// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/prompted.h"

#include <signal.h>
#include <sys/wait.h>

#include "analysis/thresholds.h"
#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/blame.h"
#include "lib/bisect.h"
#include "lib/checked.h"

static bool is_row(const struct interval *s)
{
	return s->state == INTERVAL_BLOCKED && (s->wait == CT_W_SLEEP || s->wait == CT_W_CHILD);
}

uint64_t prompted_since(const struct graph *g, uint32_t task, uint64_t from_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, from_ns), end = t->first_interval + t->n_intervals;
	uint64_t begin;

	/* from_ns may lie before the first sleep */
	while (i < end && !is_row(&g->intervals[i]))
		i++;
	if (i >= end)
		return from_ns;
	begin = g->intervals[i].from_ns;
	while (i-- > t->first_interval && scan_step(g)) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED ? !is_row(s) : s->to_ns - s->from_ns > PROMPT_WORK_NS)
			break;
		if (s->state == INTERVAL_BLOCKED)
			begin = s->from_ns;
	}
	return begin;
}

static uint32_t told(const struct graph *g, uint32_t tid, const struct ct_rec *r, enum edge_kind *ret_edge)
{
	uint32_t task;

	if (r->kind == CT_SIGNAL && r->tid == tid && !(r->flags & (CT_GF_KERNEL | CT_GF_IGNORED)) &&
	    ct_signal_number(r) != SIGCHLD) {
		task = graph_task_at(g, ct_signal_target(r), r->ts);
		*ret_edge = EDGE_SIGNAL;
	} else if (r->kind == CT_WAKE && ct_wake_by_task(r) && ct_wake_waker(r) == tid &&
		   (CT_OBJ_KIND(r->obj) == CT_OBJ_PIPE || CT_OBJ_KIND(r->obj) == CT_OBJ_FIFO)) {
		task = graph_task_at(g, r->tid, r->ts);
		*ret_edge = EDGE_PIPE;
	} else {
		return 0;
	}
	return task == GRAPH_NONE ? 0 : g->tasks[task].tgid;
}

uint32_t prompted_task(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		       uint64_t alive_ns, enum edge_kind *ret_edge)
{
	const struct window_event *e = g->w->events;
	uint32_t tgid = 0, main_thread;

	for (size_t i = BISECT(k, 0, g->w->n_events, e[k].r.ts >= from_ns);
	     i < g->w->n_events && e[i].r.ts <= to_ns && scan_step(g); i++) {
		enum edge_kind edge = EDGE_SIGNAL;
		uint32_t other = told(g, g->tasks[task].tid, &e[i].r, &edge);

		/* `other` may be the parent of the task's process, or an older ancestor. Then the task
		 * only writes its output for `other`: it gives no order to `other`. */
		if (!other || other == g->tasks[task].tgid || graph_descends_from(g, task, other))
			continue;
		if (tgid && other != tgid)
			return GRAPH_NONE;
		tgid = other;
		*ret_edge = edge;
	}
	main_thread = tgid ? graph_task_at(g, tgid, to_ns) : GRAPH_NONE;
	return main_thread == GRAPH_NONE || g->tasks[main_thread].exit_ns < alive_ns ? GRAPH_NONE
										     : main_thread;
}

static bool tells_to_end(const struct ct_rec *r)
{
	switch (ct_signal_number(r)) {
	case SIGTERM:
		return true;
	case SIGHUP:
	case SIGINT:
	case SIGQUIT:
		/* A handler of such a signal may do something else, for example read the configuration. */
		return r->flags & CT_GF_IGNORED;
	default:
		return false;
	}
}

static bool is_from_chain(const struct graph *g, const struct link *links, size_t n, uint32_t sender)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (g->tasks[sender].tgid == links[i].pid || (g->tasks[sender].tgid != links[n - 1].pid &&
							      graph_descends_from(g, sender, links[i].pid)))
			return true;
	return false;
}

uint32_t prompted_end(const struct graph *g, const struct link *links, size_t n)
{
	const struct link *k = &links[n - 1];
	uint64_t born_ns = g->tasks[k->task].born_ns, by_ns = k->from_ns + (k->to_ns - k->from_ns) / 2;
	uint32_t found = GRAPH_NONE, sender;
	size_t all;
	const struct graph_ref *r = graph_refs_from(g, &g->signals, k->pid, born_ns, &all);

	if (g->tasks[k->task].exit_ns < k->to_ns)
		return GRAPH_NONE;
	for (size_t i = 0; i < all && scan_step(g); i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;

		if (e->ts > by_ns)
			break;
		sender = tells_to_end(e) && !(e->flags & CT_GF_KERNEL) ? graph_task_at(g, e->tid, e->ts)
								       : GRAPH_NONE;
		if (sender != GRAPH_NONE && is_from_chain(g, links, n, sender))
			found = r[i].event;
	}
	return found;
}

bool prompted_by_person(int signal)
{
	return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM ||
	       signal == SIGKILL;
}

static bool is_from_outside(const struct graph *g, const struct link *links, size_t n, const struct ct_rec *r)
{
	uint32_t sender;

	if (r->flags & CT_GF_KERNEL)
		return prompted_by_person(ct_signal_number(r));
	sender = graph_task_at(g, r->tid, r->ts);
	if (sender == GRAPH_NONE)
		return true;
	for (size_t i = 0; i < n; i++)
		if (g->tasks[sender].tgid == links[i].pid || graph_descends_from(g, sender, links[i].pid))
			return false;
	return true;
}

/* Returns true if the process of task t was killed from outside at the end of the task. */
static bool was_killed(const struct graph *g, const struct link *links, size_t n, const struct graph_task *t)
{
	size_t all;
	const struct graph_ref *r =
		graph_refs_from(g, &g->signals, t->tgid, checked_sub(t->exit_ns, KILLED_GONE_NS), &all);

	for (size_t i = 0; i < all && scan_step(g); i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;

		if (e->ts > t->exit_ns)
			break;
		if (ct_signal_number(e) == WTERMSIG(t->exit_code) && is_from_outside(g, links, n, e))
			return true;
	}
	return false;
}

bool prompted_kill(const struct graph *g, const struct link *links, size_t n)
{
	uint64_t middle_ns = links[0].from_ns + (links[0].to_ns - links[0].from_ns) / 2;

	for (size_t i = 0; i < n; i++) {
		const struct graph_task *t = &g->tasks[links[i].task];

		if (WTERMSIG(t->exit_code) && t->exit_ns > middle_ns &&
		    t->exit_ns < links[0].to_ns + KILLED_GONE_NS && was_killed(g, links, n, t))
			return true;
	}
	return false;
}

bool prompted_idles(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	bool reads = s && s->state == INTERVAL_BLOCKED && s->wait == CT_W_READ;

	return blame_idles(g, task, ts_ns) ||
	       (reads && (CT_OBJ_KIND(s->obj) == CT_OBJ_PIPE || CT_OBJ_KIND(s->obj) == CT_OBJ_FIFO));
}
