// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/interrupt.h"

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/cause.h"

static bool is_poll(const struct interval *s)
{
	return s->wait == CT_W_POLL || s->wait == CT_W_EPOLL;
}

/* Returns true if a signal of the waker may only interrupt the wait. */
static bool may_interrupt(const struct graph *g, const struct interval *s, const struct window_event *wake)
{
	uint32_t waker;

	switch ((unsigned)CT_OBJ_KIND(s->obj)) {
	case CT_OBJ_SIGNALFD:
	case CT_OBJ_PIDFD:
		return false;
	case CT_OBJ_NONE:
		return s->wait == CT_W_SYSVIPC;
	case CT_OBJ_TASK:
		waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
		return s->wait == CT_W_CHILD && waker != GRAPH_NONE &&
		       g->tasks[waker].tgid != (s->obj & CT_OBJ_MASK);
	default:
		return s->wait == CT_W_READ || s->wait == CT_W_WRITE || s->wait == CT_W_ACCEPT ||
		       s->wait == CT_W_FUTEX || s->wait == CT_W_FLOCK;
	}
}

/* Returns true if the process sent or received something on the object between the two times. */
static bool used(const struct graph *g, uint64_t obj, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_index *messages[] = { &g->sends, &g->recvs };
	size_t n;

	for (size_t i = 0; i < 2; i++) {
		const struct graph_ref *r = graph_refs_from(g, messages[i], obj, from_ns, &n);

		if (n && g->w->events[r->event].r.ts < to_ns)
			return true;
	}
	return false;
}

/* Returns the wait with which the task goes on with the wait s, or NULL. */
static const struct interval *goes_on(const struct graph *g, const struct interval *s)
{
	const struct graph_task *t = &g->tasks[s->task];
	const struct interval *end = &g->intervals[t->first_interval + t->n_intervals], *x = s + 1;
	uint64_t ran_ns = 0;

	for (unsigned looks = 0; x < end && looks < INTERRUPT_LOOKS && scan_step(g); x++, looks++) {
		if (x->state == INTERVAL_BLOCKED && blame_same_wait(s, x))
			return used(g, s->obj, s->to_ns, x->from_ns) ? NULL : x;
		ran_ns += interval_ran_ns(x);
		if (x->state == INTERVAL_UNKNOWN || ran_ns > PROGRESS_NS ||
		    (x->state == INTERVAL_BLOCKED && x->to_ns - x->from_ns > OTHER_WAIT_NS))
			return NULL;
	}
	return NULL;
}

/* Returns true if the task sent a message or a signal, woke a task, or started one between the two times. */
static bool acts(const struct graph *g, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	size_t at = window_lower_bound(g->w, from_ns);

	for (size_t looks = 0; at < g->w->n_events && g->w->events[at].r.ts < to_ns; at++, looks++) {
		const struct ct_rec *r = &g->w->events[at].r;

		if (looks == HANDED_LOOKS || !scan_step(g))
			return true;
		if (r->kind == CT_WAKE ? ct_wake_by_task(r) && ct_wake_waker(r) == tid
				       : r->tid == tid && (r->kind == CT_SEND || r->kind == CT_FORK ||
							   r->kind == CT_SIGNAL))
			return true;
	}
	return false;
}

uint32_t interrupt_next(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval], *x;
	const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];

	if (!wake || wake->r.obj || !ct_wake_by_task(&wake->r) || !may_interrupt(g, s, wake))
		return GRAPH_NONE;
	x = goes_on(g, s);
	return x && wake_signal(g, s, wake, true) ? (uint32_t)(x - g->intervals) : GRAPH_NONE;
}

uint32_t interrupt_last(const struct graph *g, uint32_t interval)
{
	for (unsigned n = 0; n < INTERRUPTS_MAX; n++) {
		uint32_t next = interrupt_next(g, interval);

		if (next == GRAPH_NONE)
			return interval;
		interval = next;
	}
	return GRAPH_NONE;
}

/* Returns true if most requests on the socket before ts_ns got an answer before the next request. The last
 * request does not count. Messages that follow each other within MESSAGE_LATE_NS are parts of one request. */
static bool is_mostly_answered(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct window_event *e = g->w->events;
	size_t n, requests = 0, answered = 0;
	const struct graph_ref *first = graph_refs(&g->sends, sock, &n);
	const struct graph_ref *r = graph_ref_before(g, &g->sends, sock, ts_ns), *got;

	for (; r && r > first && requests < DEBT_REQUESTS && scan_step(g); r--) {
		if (e[r[-1].event].r.ts + MESSAGE_LATE_NS >= e[r->event].r.ts)
			continue;
		got = graph_ref_before(g, &g->recvs, sock, e[r->event].r.ts);
		requests++;
		answered += got && got->event > r[-1].event;
	}
	return 2 * answered >= requests;
}

/* Returns true if a time limit or a sleep ended the last wait of the task before ts_ns. */
static bool acts_on_timer(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);

	for (; i != GRAPH_NONE && i >= g->tasks[task].first_interval && scan_step(g); i--) {
		const struct interval *x = &g->intervals[i];

		if (x->state == INTERVAL_BLOCKED)
			return x->wake != GRAPH_NONE && edge_by_timer(g, x, &g->w->events[x->wake]);
		if (!i)
			break;
	}
	return false;
}

/* Returns true if the waker, another thread of the process, wakes the task now and then, without work for it.
 */
static bool is_heartbeat(const struct graph *g, const struct interval *s, const struct window_event *wake,
			 uint32_t waker)
{
	size_t n, beats = 0;
	const struct graph_ref *r = graph_refs(&g->wakes, wake->r.obj, &n);

	if (!wake->r.obj || g->tasks[waker].tgid != g->tasks[s->task].tgid ||
	    !acts_on_timer(g, waker, wake->r.ts))
		return false;
	for (size_t i = 0; i < n && beats < 2 && scan_step(g); i++)
		beats += g->w->events[r[i].event].r.tid == wake->r.tid &&
			 ct_wake_waker(&g->w->events[r[i].event].r) == ct_wake_waker(&wake->r);
	return beats > 1;
}

bool interrupt_debt(const struct graph *g, uint32_t interval, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval], *x;
	const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];
	uint32_t tgid = g->tasks[s->task].tgid, waker;
	struct blame after;

	if (!wake || !is_poll(s) || s->to_ns - s->from_ns <= OTHER_WAIT_NS || !ct_wake_by_task(&wake->r))
		return false;
	waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
	if (waker == GRAPH_NONE || waker == s->task ||
	    (wake->r.obj ? !is_heartbeat(g, s, wake, waker) : !wake_signal(g, s, wake, true)))
		return false;
	x = goes_on(g, s);
	if (!x || acts(g, g->tasks[s->task].tid, s->to_ns, x->from_ns))
		return false;
	blame_lasting(g, interval, ret);
	if (!ret->owed || ret->task == GRAPH_NONE || g->tasks[ret->task].tgid == tgid ||
	    g->tasks[ret->task].tgid == g->tasks[waker].tgid || !is_mostly_answered(g, ret->obj, s->to_ns))
		return false;
	blame_lasting(g, (uint32_t)(x - g->intervals), &after);
	return after.owed && after.obj == ret->obj;
}
