// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debt.c - blame_debt(): the task that owes an answer to a process, seen from any thread of the process.
 *
 * Some runtimes (those of Go, Rust's tokio, executors of the JVM) let any thread go on with any
 * request. A thread that has received a request may soon wait for something that has nothing to do
 * with this request. In other servers, one thread accepts the requests, and the threads of a pool serve them.
 */
#include "graph/wake/blame.h"

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"

/* The wait in which the task may wait for an answer at ts_ns: the read, connect or poll that lasts, or else
 * the last wait in an epoll that the task began up to ts_ns, if not too many intervals lie in between. GRAPH_NONE:
 * there is none. */
static uint32_t asking_wait(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t i = graph_interval_at(g, task, ts_ns);

	if (i == GRAPH_NONE)
		return GRAPH_NONE;
	for (size_t looks = 0; looks < DEBT_LOOKS && scan_step(g); looks++, i--) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED &&
		    (s->wait == CT_W_EPOLL ||
		     (!looks && (s->wait == CT_W_READ || s->wait == CT_W_CONNECT || s->wait == CT_W_POLL))))
			return i;
		if (i == t->first_interval)
			break;
	}
	return GRAPH_NONE;
}

/* Whether the task idles at ts_ns, as a server that waits for requests, or for the moment to answer. */
static bool is_idle(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return !s || (s->state == INTERVAL_BLOCKED &&
		      (s->wait == CT_W_POLL || s->wait == CT_W_EPOLL || s->wait == CT_W_ACCEPT ||
		       s->wait == CT_W_SLEEP || s->wait == CT_W_FUTEX));
}

bool blame_debt(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[s->task].tgid, &n);
	struct blame found = { .task = GRAPH_NONE }, b;

	for (size_t i = 0; i < n && scan_step(g); i++) {
		uint32_t wait = asking_wait(g, r[i].event, s->to_ns - 1);
		const struct graph_ref *sent;

		if (wait == GRAPH_NONE)
			continue;
		blame_lasting(g, wait, &b);
		if (b.task == GRAPH_NONE || !b.owed || g->tasks[b.task].tgid == g->tasks[s->task].tgid)
			continue;
		/* A request from before since_ns may ask for news. An idle server answers such a
		 * request only if there is news, so maybe never. */
		sent = graph_ref_before(g, &g->sends, b.obj, g->intervals[wait].from_ns);
		if ((!sent || g->w->events[sent->event].r.ts < since_ns) && is_idle(g, b.task, s->to_ns - 1))
			continue;
		if (found.task != GRAPH_NONE && g->tasks[found.task].tgid != g->tasks[b.task].tgid)
			return false;
		found = b;
	}
	if (found.task == GRAPH_NONE)
		return false;
	*ret = found;
	ret->until_ns = s->to_ns;
	return true;
}
