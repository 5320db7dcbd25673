// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/crashes/crashes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "analysis/crashes/crashes_private.h"
#include "analysis/thresholds.h"
#include "ctrace/fields.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "trace/words/frame.h"

const char *crash_how_name(enum crash_how how)
{
	static const char *const names[] = { "crash", "killed", "status", "exception", "thread-exception" };

	return (unsigned)how < ARRAY_SIZE(names) ? names[how] : "unknown";
}

bool crash_has_path(enum crash_how how)
{
	return how == CRASH_SIGNAL || how == CRASH_EXCEPTION || how == CRASH_THREAD;
}

struct search {
	struct crashes *cs;
	uint64_t from_ns, to_ns;
	struct map fatal;   /* tgid -> index of its first fatal CT_SIGDELIVER */
	struct map raised;  /* tgid -> index of the last call that reports that the process ends */
	struct map threads; /* tid -> index of its last CT_CALL_EXCEPTION; no first threads */
	struct map ended;   /* ended tgids: several of their threads may have CT_LF_GROUP_DEAD */
	VEC(struct crash) found;
};

static const struct window_event *event_of(const struct search *s, size_t i)
{
	return &s->cs->g->w->events[i];
}

static bool is_ours(const struct search *s, uint32_t task)
{
	return task != GRAPH_NONE && !s->cs->g->tasks[task].kthread && !s->cs->g->tasks[task].tracer;
}

/* Finds the last signal of this number that was sent to the process, or to this task of it. */
static uint32_t sent_event(const struct graph *g, const struct graph_task *t, unsigned signal, uint64_t at_ns)
{
	const struct graph_ref *first, *last = graph_ref_before(g, &g->signals, t->tgid, at_ns);
	size_t n;

	first = graph_refs(&g->signals, t->tgid, &n);
	for (size_t looked = 0; last && last >= first && looked < CRASH_SIGNALS_LOOK; last--, looked++) {
		const struct ct_rec *r = &g->w->events[last->event].r;

		if (ct_signal_number(r) == signal && !(r->flags & CT_GF_IGNORED) && r->ts >= t->from_ns &&
		    (r->flags & CT_GF_GROUP || ct_signal_target(r) == t->tid))
			return last->event;
	}
	return GRAPH_NONE;
}

/* Two BPF programs record a crash: one saves the stack, the other one the signal. So the time of the
 * stack differs a little from at_ns, the time of the signal. */
static uint64_t stack_at(const struct graph *g, uint32_t tid, uint64_t at_ns)
{
	size_t n;
	const struct graph_ref *r =
		graph_refs_from(g, &g->samples, tid, at_ns > CRASH_STACK_NS ? at_ns - CRASH_STACK_NS : 0, &n);

	for (size_t i = 0; i < n; i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e->r.ts > at_ns + CRASH_STACK_NS)
			break;
		if (e->r.flags & CT_PF_FATAL)
			return window_words(g->w, e)[0];
	}
	return 0;
}

static void add_sender(const struct graph *g, struct crash *c)
{
	const struct ct_rec *r;

	c->sent = sent_event(g, &g->tasks[c->task], c->signal, c->at_ns);
	if (c->sent == GRAPH_NONE)
		return;
	r = &g->w->events[c->sent].r;
	if (!(r->flags & CT_GF_KERNEL))
		c->sender = graph_task_at(g, r->tid, r->ts);
	else if (r->tid == g->tasks[c->task].tid && ct_signal_code(r) > 0)
		c->code = ct_signal_code(r);
}

static int add(struct search *s, struct crash *c)
{
	struct crashes *cs = s->cs;
	uint64_t ns = c->end_ns == UINT64_MAX ? c->at_ns : c->end_ns;

	if (ns < s->from_ns || ns >= s->to_ns)
		return 0;
	if (cs->count[c->how]++ >= CRASHES_MAX) {
		cs->refused++;
		return 0;
	}
	if (c->signal)
		add_sender(cs->g, c);
	if (c->how == CRASH_SIGNAL && c->task_known)
		c->stack = stack_at(cs->g, cs->g->tasks[c->task].tid, c->at_ns);
	return VEC_PUSH(&s->found, *c);
}

static const char *call_name(const struct graph *g, const struct ct_rec *r)
{
	const struct window_object *o = r->flags & CT_MF_CALL ? window_object(g->w, r->obj) : NULL;

	return o ? o->name : "";
}

/* Returns true if the task has waited for its next work in the time: then the program has handled the
 * exception, and goes on. */
static bool went_on(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint32_t at = graph_interval_at(g, task, from_ns);

	for (; at != GRAPH_NONE && at < t->first_interval + t->n_intervals && scan_step(g); at++) {
		const struct interval *x = &g->intervals[at];

		if (x->from_ns >= to_ns)
			break;
		if (x->state == INTERVAL_BLOCKED && x->from_ns > from_ns &&
		    (x->wait == CT_W_EPOLL || x->wait == CT_W_ACCEPT))
			return true;
	}
	return false;
}

static void ended_by_exception(const struct search *s, const struct ct_rec *call, struct crash *c)
{
	const struct graph *g = s->cs->g;
	uint32_t task = graph_task_at(g, call->tid, call->ts);

	if (task == GRAPH_NONE || went_on(g, task, call->ts, c->end_ns))
		return;
	c->how = CRASH_EXCEPTION;
	c->task = task;
	c->task_known = true;
	c->at_ns = call->ts;
	c->is_error = !strcmp(call_name(g, call), CT_CALL_ERROR);
}

/* A thread that ends by itself has the exit code 0. If another task ends the process, its threads have the
 * code of the process. */
static int on_thread_end(struct search *s, const struct ct_rec *r)
{
	const struct graph *g = s->cs->g;
	const struct ct_rec *call;
	struct crash c = { .how = CRASH_THREAD,
			   .task_known = true,
			   .confirmed = true,
			   .end_ns = r->ts,
			   .sent = GRAPH_NONE,
			   .sender = GRAPH_NONE };
	uint64_t i, fatal;

	if (r->flags & CT_LF_GROUP_DEAD || ct_exit_code(r) || !map_get(&s->threads, r->tid, &i))
		return 0;
	call = &event_of(s, i)->r;
	c.task = graph_task_at(g, call->tid, call->ts);
	c.at_ns = call->ts;
	map_del(&s->threads, r->tid);
	if (c.task == GRAPH_NONE || r->ts - call->ts > CRASH_THREAD_END_NS ||
	    went_on(g, c.task, call->ts, r->ts))
		return 0;
	/* the exception ends the process too */
	if (map_get(&s->raised, g->tasks[c.task].tgid, &fatal) && event_of(s, fatal)->r.tid == r->tid)
		return 0;
	return add(s, &c);
}

static int on_exit_record(struct search *s, size_t i)
{
	const struct ct_rec *r = &event_of(s, i)->r;
	uint32_t task = graph_task_at(s->cs->g, r->tid, r->ts), code = ct_exit_code(r);
	struct crash c = { .task = task,
			   .confirmed = true,
			   .at_ns = r->ts,
			   .end_ns = r->ts,
			   .sent = GRAPH_NONE,
			   .sender = GRAPH_NONE };
	uint64_t fatal;
	bool seen;

	if (!(r->flags & CT_LF_GROUP_DEAD) || !is_ours(s, task) ||
	    map_get(&s->ended, s->cs->g->tasks[task].tgid, NULL))
		return 0;
	if (map_set(&s->ended, s->cs->g->tasks[task].tgid, 1))
		return -ENOMEM;
	seen = map_get(&s->fatal, s->cs->g->tasks[task].tgid, &fatal);
	map_del(&s->fatal, s->cs->g->tasks[task].tgid);
	c.signal = WIFSIGNALED(code) ? (uint8_t)WTERMSIG(code) : 0;
	c.dumped = c.signal && WCOREDUMP(code);
	c.status = c.signal ? 0 : (uint8_t)WEXITSTATUS(code);
	if (!c.signal && !c.status)
		return 0;
	c.how = !c.signal ? CRASH_STATUS : ct_signal_dumps_core(c.signal) ? CRASH_SIGNAL : CRASH_KILLED;
	if (!c.signal && map_get(&s->raised, s->cs->g->tasks[task].tgid, &fatal))
		ended_by_exception(s, &event_of(s, fatal)->r, &c);
	if (c.signal && seen && ct_signal_number(&event_of(s, fatal)->r) == c.signal) {
		const struct ct_rec *d = &event_of(s, fatal)->r;

		c.task = graph_task_at(s->cs->g, d->tid, d->ts);
		c.task_known = true;
		c.at_ns = d->ts;
	}
	return add(s, &c);
}

/* Only the first fatal signal counts: afterwards, the kernel ends the other threads with KILL. */
static int on_deliver(struct search *s, size_t i)
{
	const struct ct_rec *r = &event_of(s, i)->r;
	uint32_t task = graph_task_at(s->cs->g, r->tid, r->ts);

	if (!(r->flags & CT_GF_FATAL) || !is_ours(s, task) ||
	    map_get(&s->fatal, s->cs->g->tasks[task].tgid, NULL))
		return 0;
	return map_set(&s->fatal, s->cs->g->tasks[task].tgid, i);
}

static int on_mark(struct search *s, size_t i)
{
	const struct ct_rec *r = &event_of(s, i)->r;
	const char *name = call_name(s->cs->g, r);
	bool is_exception = !strcmp(name, CT_CALL_EXCEPTION);
	uint32_t task;

	if (!is_exception && strcmp(name, CT_CALL_FATAL) != 0 && strcmp(name, CT_CALL_ERROR) != 0)
		return 0;
	task = graph_task_at(s->cs->g, r->tid, r->ts);
	if (!is_ours(s, task))
		return 0;
	if (is_exception && s->cs->g->tasks[task].tgid != r->tid)
		return map_set(&s->threads, r->tid, i);
	return map_set(&s->raised, s->cs->g->tasks[task].tgid, i);
}

static void forget(struct search *s, uint32_t tgid)
{
	map_del(&s->fatal, tgid);
	map_del(&s->raised, tgid);
}

static int on_fork(struct search *s, size_t i)
{
	const struct ct_rec *r = &event_of(s, i)->r;

	map_del(&s->threads, ct_fork_child(r));
	if (r->flags & CT_LF_THREAD)
		return 0;
	/* the pid is used again */
	forget(s, ct_fork_child_tgid(r));
	map_del(&s->ended, ct_fork_child_tgid(r));
	return 0;
}

/* Adds the processes that got a fatal signal, but whose end is not in the window. Such a process
 * still writes its core dump, or the record of its end is missing. */
static int add_dying(struct search *s, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		const struct ct_rec *e = &event_of(s, i)->r;
		uint32_t task =
			e->kind == CT_SIGDELIVER ? graph_task_at(s->cs->g, e->tid, e->ts) : GRAPH_NONE;
		struct crash c = { .how = CRASH_SIGNAL,
				   .task = task,
				   .task_known = true,
				   .signal = ct_signal_number(e),
				   .at_ns = e->ts,
				   .end_ns = UINT64_MAX,
				   .sent = GRAPH_NONE,
				   .sender = GRAPH_NONE };
		uint64_t first;

		if (task == GRAPH_NONE || !ct_signal_dumps_core(c.signal) ||
		    !map_get(&s->fatal, s->cs->g->tasks[task].tgid, &first) || first != i)
			continue;
		r = add(s, &c);
	}
	return r;
}

static int search_events(struct search *s)
{
	const struct window *w = s->cs->g->w;
	int r = 0;

	for (size_t i = 0; i < w->n_events && !r; i++) {
		switch (w->events[i].r.kind) {
		case CT_SIGDELIVER:
			r = on_deliver(s, i);
			break;
		case CT_FORK:
			r = on_fork(s, i);
			break;
		case CT_EXEC:
			/* When a process executes a program, the kernel ends its other threads with KILL. The
			 * process itself goes on, so this fatal signal is forgotten. */
			forget(s, w->events[i].r.tid);
			break;
		case CT_MARK:
			r = on_mark(s, i);
			break;
		case CT_EXIT:
			r = on_thread_end(s, &w->events[i].r);
			r = r ? r : on_exit_record(s, i);
			break;
		case CT_GAP:
			s->cs->lossy |= w->events[i].r.ts >= s->from_ns && w->events[i].r.ts < s->to_ns;
			break;
		}
	}
	return r ? r : s->fatal.n ? add_dying(s, w->n_events) : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct crash *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* If another process sent the signal, the walk begins at the signal. Otherwise it begins just before
 * the signal, because the signal is an effect of the work. */
static uint64_t walk_from(const struct graph *g, const struct crash *c)
{
	const struct ct_rec *r = c->sent == GRAPH_NONE ? NULL : &g->w->events[c->sent].r;

	if (r && c->sender != GRAPH_NONE && g->tasks[c->sender].tgid != g->tasks[c->task].tgid)
		return c->at_ns;
	if (r && r->ts < c->at_ns && r->tid == g->tasks[c->task].tid)
		return r->ts - 1;
	return c->at_ns - 1;
}

static bool is_start(const struct edge *e)
{
	return e->kind == EDGE_FORK || e->kind == EDGE_VFORK;
}

/* Edges of these kinds count as requests, also between two threads of one process. */
static bool is_request(const struct edge *e)
{
	return e->kind == EDGE_MESSAGE || e->kind == EDGE_PIPE || e->kind == EDGE_FUSE;
}

static bool is_handed_over(const struct edge *e)
{
	return is_request(e) || e->kind == EDGE_JOB || e->kind == EDGE_POST || e->kind == EDGE_EVENTFD ||
	       e->kind == EDGE_SIGNAL || e->kind == EDGE_ANSWER;
}

/* If the choice took the start of a process (is_start()) or an exec, but could have taken a
 * request: returns the edge of the request. Otherwise returns GRAPH_NONE. */
static uint32_t request_option(const struct crashes *cs, const struct slice *s, const struct slice_choice *x)
{
	const struct slice_option *o = s->options + x->first_option;

	if (x->chosen >= x->n_options || (!is_start(&cs->c->edges[o[x->chosen].edge]) &&
					  cs->c->edges[o[x->chosen].edge].kind != EDGE_EXEC))
		return GRAPH_NONE;
	for (uint32_t i = 0; i < x->n_options; i++) {
		const struct edge *e = &cs->c->edges[o[i].edge];

		if (is_request(e) && e->strength == EDGE_STRONG && e->from != GRAPH_NONE)
			return o[i].edge;
	}
	return GRAPH_NONE;
}

/* Replaces the steps after `step` by those of tail. edge: leads from the first step of tail to `step`. */
static int splice(struct slice *s, uint32_t step, const struct slice *tail, uint32_t edge)
{
	size_t room = step + 1 < CRASH_STEPS_MAX ? CRASH_STEPS_MAX - 1 - step : 0;
	size_t n = MIN(tail->n_steps, room);
	struct slice_step *steps = realloc(s->steps, (step + 1 + n) * sizeof(*steps));

	if (!steps)
		return -ENOMEM;
	s->steps = steps;
	for (size_t i = 0; i < n; i++) {
		steps[step + 1 + i] = tail->steps[i];
		steps[step + 1 + i].parent = step + (uint32_t)i;
	}
	if (n)
		steps[step + 1].edge = edge;
	s->n_steps = step + 1 + n;
	s->n_choices = 0;
	s->end = n < tail->n_steps ? SLICE_END_LIMIT : tail->end;
	s->end_edge = n < tail->n_steps ? GRAPH_NONE : tail->end_edge;
	s->score = tail->score;
	return 0;
}

/* Returns true if no other process has handed over the work of the step: the path ends at the step, goes on
 * to the start of the process, or stays in it. Sets *ret_since_ns to the arrival of the edge that the path
 * takes. */
static bool has_own_work(const struct crashes *cs, const struct slice *s, size_t step, uint64_t *ret_since_ns)
{
	const struct slice_step *next = &s->steps[step + 1];
	const struct graph_task *from, *to = &cs->g->tasks[cs->c->segments[s->steps[step].segment].task];

	*ret_since_ns = 0;
	if (step + 1 == s->n_steps)
		return s->end == SLICE_END_ROOT;
	*ret_since_ns = edge_arrived_ns(cs->c, &cs->c->edges[next->edge]);
	from = &cs->g->tasks[cs->c->segments[next->segment].task];
	return is_start(&cs->c->edges[next->edge]) || from->tgid == to->tgid;
}

static bool is_accepted(const struct graph *g, uint64_t sock)
{
	return graph_is_accepted(g, sock);
}

/* Returns true if the trace does not show which end of the connection was accepted. */
static bool may_be_accepted(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = window_object(g->w, sock);
	uint64_t peer = graph_peer_object(g, sock);

	return o && (o->family == AF_INET || o->family == AF_INET6) && !graph_is_accepted(g, sock) &&
	       !(peer && graph_is_accepted(g, peer));
}

/* Returns the edge of the last message that the task of the step got over a connection that fits, after the
 * edge that the path takes, and before the act of the step; GRAPH_NONE: none. The sender may be a task that
 * the task has started or woken before: a slice takes such messages for answers, and leaves them out. But if
 * they came over a connection that was accepted, they are requests. */
static uint32_t later_message(const struct crashes *cs, const struct slice *s, size_t step,
			      bool (*fits)(const struct graph *g, uint64_t sock))
{
	const struct segment *x = &cs->c->segments[s->steps[step].segment];
	uint64_t since_ns;

	if (!has_own_work(cs, s, step, &since_ns))
		return GRAPH_NONE;
	for (uint32_t i = x->n_in; i-- > 0 && scan_step(cs->g);) {
		const struct edge *e = &cs->c->edges[x->in + i];
		uint64_t object = edge_object(cs->c, e);

		if (edge_arrived_ns(cs->c, e) < since_ns)
			break;
		if (e->kind == EDGE_MESSAGE && e->strength == EDGE_STRONG && e->from != GRAPH_NONE &&
		    edge_arrived_ns(cs->c, e) <= s->steps[step].at_ns && object && fits(cs->g, object))
			return x->in + i;
	}
	return GRAPH_NONE;
}

/* Returns the edge of the request to which the step should lead, or GRAPH_NONE. */
static uint32_t request_at(const struct crashes *cs, const struct slice *s, size_t step)
{
	uint32_t other = later_message(cs, s, step, is_accepted), edge = GRAPH_NONE;

	for (size_t i = 0; i < s->n_choices && edge == GRAPH_NONE; i++)
		if (s->choices[i].step == step)
			edge = request_option(cs, s, &s->choices[i]);
	if (edge == GRAPH_NONE || other == GRAPH_NONE)
		return edge == GRAPH_NONE ? other : edge;
	return edge_arrived_ns(cs->c, &cs->c->edges[edge]) < edge_arrived_ns(cs->c, &cs->c->edges[other])
		       ? other
		       : edge;
}

/*
 * A slice prefers the start of a process to a request that the process received later, as long as
 * the process has not been idle in between. But a crash is mostly about the request. So if a step of
 * the slice could have led to a request, replaces the later steps of the slice by the steps that
 * lead back from this request.
 */
static int prefer_requests(const struct crashes *cs, struct slice *s, unsigned depth)
{
	const struct slice_options o = { .direction = SLICE_BACKWARD, .max_steps = CRASH_STEPS_MAX };

	for (size_t i = 0; i < s->n_steps && depth < CRASH_STEPS_MAX; i++) {
		uint32_t edge = request_at(cs, s, i), from;
		struct slice *tail = NULL;
		int r;

		if (edge == GRAPH_NONE)
			continue;
		from = cs->c->edges[edge].from;
		r = slice_walk(cs->c, cs->c->segments[from].task, edge_left_ns(cs->c, &cs->c->edges[edge]),
			       &o, &tail);
		if (r == -EINVAL)
			continue;
		if (!r)
			r = prefer_requests(cs, tail, depth + 1);
		if (!r && tail->steps[0].segment == from)
			r = splice(s, (uint32_t)i, tail, edge);
		slice_free(tail);
		return r;
	}
	return 0;
}

static void cut_after(struct slice *s, size_t last)
{
	if (last + 1 >= s->n_steps)
		return;
	s->n_steps = last + 1;
	s->end = SLICE_END_STOPPED;
	s->end_edge = GRAPH_NONE;
	s->score = s->steps[last].score;
}

/*
 * A path starts at the crash, and each further step is earlier in time. The last steps may only tell why a
 * shell or a service started the first process that took part in the work. Cuts off these steps, but keeps
 * the task that started the process.
 * - Once the path has come to a request, it ends at the next start of a process.
 * - As long as it has not come to a request, it ends at a start only if no further step hands over work
 *   (is_handed_over()). Such work may be the reason for the start.
 */
static void cut_path(const struct crashes *cs, struct slice *s)
{
	bool started = false, asked = false;
	size_t keep = 0;

	for (size_t i = 1; i < s->n_steps; i++) {
		const struct edge *e = &cs->c->edges[s->steps[i].edge];

		if (is_start(e) && asked) {
			cut_after(s, i);
			return;
		}
		if (is_start(e) || e->kind == EDGE_EXEC) {
			started = true;
		} else if (!started || (is_handed_over(e) && e->strength != EDGE_WEAK)) {
			keep = i;
			asked |= is_request(e);
		}
	}
	if (!started)
		return;
	for (keep++; keep < s->n_steps && cs->c->edges[s->steps[keep].edge].kind == EDGE_EXEC; keep++)
		;
	cut_after(s, keep < s->n_steps && is_start(&cs->c->edges[s->steps[keep].edge]) ? keep : keep - 1);
}

static int add_path(struct crashes *cs, struct crash *c)
{
	const struct slice_options o = { .direction = SLICE_BACKWARD, .max_steps = CRASH_STEPS_MAX };
	int r;

	if (!crash_has_path(c->how) || !c->task_known)
		return 0;
	r = slice_walk(cs->c, c->task, walk_from(cs->g, c), &o, &c->path);
	if (r)
		return r == -EINVAL ? 0 : r;
	r = prefer_requests(cs, c->path, 0);
	if (!r)
		cut_path(cs, c->path);
	return r;
}

static int explain(struct crashes *cs)
{
	bool has_paths = cs->count[CRASH_SIGNAL] || cs->count[CRASH_EXCEPTION] || cs->count[CRASH_THREAD];
	int r = has_paths ? causal_build(cs->g, NULL, &cs->c) : 0;

	for (size_t i = 0; i < cs->n && !r; i++) {
		struct crash *c = &cs->v[i];

		r = add_path(cs, c);
		if (!r)
			c->text = crash_sentence(cs, c);
		if (!r && !c->text)
			r = -ENOMEM;
	}
	return r;
}

int crashes_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct crashes **ret)
{
	struct crashes *cs = calloc(1, sizeof(*cs));
	struct search s = { .cs = cs, .from_ns = from_ns, .to_ns = to_ns };
	int r;

	if (!cs)
		return -ENOMEM;
	cs->g = g;
	r = search_events(&s);
	map_done(&s.fatal);
	map_done(&s.raised);
	map_done(&s.threads);
	map_done(&s.ended);
	VEC_SORT(&s.found, by_time);
	cs->v = s.found.v;
	cs->n = s.found.n;
	if (!r)
		r = explain(cs);
	if (r)
		crashes_free(cs);
	else
		*ret = cs;
	return r;
}

static void crash_done(struct crash *c)
{
	slice_free(c->path);
	free(c->text);
}

void crashes_keep(struct crashes *cs, const bool *tasks)
{
	size_t n = 0;

	memset(cs->count, 0, sizeof(cs->count));
	for (size_t i = 0; i < cs->n; i++) {
		if (!tasks[cs->v[i].task]) {
			crash_done(&cs->v[i]);
			continue;
		}
		cs->count[cs->v[i].how]++;
		cs->v[n++] = cs->v[i];
	}
	cs->n = n;
}

void crashes_free(struct crashes *cs)
{
	if (!cs)
		return;
	for (size_t i = 0; i < cs->n; i++)
		crash_done(&cs->v[i]);
	free(cs->v);
	causal_free(cs->c);
	free(cs);
}

/* Returns true if messages or wakes may be missing in [from_ns, to_ns]. */
static bool is_lossy(const struct graph *g, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *gaps = graph_refs(&g->gaps, 0, &n);

	if (graph_lacks_within(g, from_ns, to_ns) & (CT_LACK_MESSAGES | CT_LACK_SWITCHES | CT_LACK_PAUSES))
		return true;
	/* the time of the record is the end of the gap; word 0 of the record is the begin */
	for (size_t i = 0; i < n; i++)
		if (g->w->events[gaps[i].event].r.ts >= from_ns &&
		    window_words(g->w, &g->w->events[gaps[i].event])[0] <= to_ns)
			return true;
	return false;
}

bool crash_path_certain(const struct crashes *cs, const struct crash *c)
{
	const struct slice *s = c->path;

	if (!s || s->end == SLICE_END_LIMIT || s->end == SLICE_END_REFUSED ||
	    (s->n_steps == 1 && s->end != SLICE_END_OUTSIDE))
		return false;
	for (size_t i = 0; i < s->n_steps; i++)
		if (s->steps[i].edge != GRAPH_NONE && cs->c->edges[s->steps[i].edge].strength != EDGE_STRONG)
			return false;
	for (size_t i = 0; i < s->n_steps; i++)
		if (later_message(cs, s, i, may_be_accepted) != GRAPH_NONE)
			return false;
	return !is_lossy(cs->g, s->steps[s->n_steps - 1].at_ns, c->at_ns);
}

const char *crash_frame(const struct crashes *cs, const struct crash *c)
{
	const struct window_stack *s = c->stack ? window_stack(cs->g->w, c->stack) : NULL;

	for (uint16_t i = 0; s && i < s->n_frames; i++)
		if (!frame_is_kernel(s->frames[i]) && !frame_is_libc(s->frames[i]) &&
		    !frame_is_rest(s->frames[i]))
			return s->frames[i];
	return s && s->n_frames ? s->frames[0] : NULL;
}
