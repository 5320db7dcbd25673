// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/wake/repeats.h"

#include <stdlib.h>

#include "graph/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/cause.h"
#include "graph/wake/owner.h"
#include "graph/wake/owner_private.h"
#include "lib/bisect.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "lib/map.h"
#include "lib/vec.h"

#define RAN_EACH 16

struct repeats {
	uint32_t first;
	uint32_t n;
	uint64_t *ran;   /* [k]: running time in the first k * RAN_EACH intervals */
	uint32_t *at;    /* [interval - first]: if the interval is BLOCKED, its index in `waits` */
	uint32_t *waits; /* BLOCKED intervals; the repeats of a wait directly follow it, in order of time */
	uint32_t *ended; /* [index in waits]: the answer of repeats_ended() */
};

struct same {
	uint32_t interval;
	uint32_t n; /* number of waits; in sort_waits(): index of the next wait */
};
typedef VEC(struct same) sames;

/* Two different waits may have the same hash, by chance or by malice. Then the later wait has no
 * repeats. *ret: index in v of the group of the wait i. */
static int count_wait(const struct graph *g, uint32_t i, struct map *by_hash, sames *v, uint32_t *ret)
{
	const struct interval *s = &g->intervals[i];
	uint64_t hash = hash_add(hash_add(HASH_START, s->obj), (uint64_t)s->nr << 8 | s->wait), at;
	bool known = map_get(by_hash, hash, &at);

	if (known && blame_same_wait(&g->intervals[v->v[at].interval], s)) {
		v->v[at].n++;
		*ret = (uint32_t)at;
		return 0;
	}
	*ret = (uint32_t)v->n;
	return VEC_PUSH(v, (struct same){ .interval = i, .n = 1 }) ? -ENOMEM
	       : known                                             ? 0
								   : map_set(by_hash, hash, v->n - 1);
}

/* Sets r->at of each wait to the index of its group in v. sort_waits() replaces these indices. */
static int count_waits(const struct graph *g, const struct graph_task *t, struct repeats *r, sames *v)
{
	struct map by_hash = { 0 };
	uint64_t ran = 0;
	int err = 0;

	for (uint32_t i = 0; i < t->n_intervals && !err; i++) {
		const struct interval *s = &g->intervals[t->first_interval + i];

		if (i % RAN_EACH == 0)
			r->ran[i / RAN_EACH] = ran;
		ran += interval_ran_ns(s);
		if (s->state == INTERVAL_BLOCKED)
			err = count_wait(g, t->first_interval + i, &by_hash, v, &r->at[i]);
	}
	map_done(&by_hash);
	return err;
}

static void sort_waits(const struct graph *g, const struct graph_task *t, struct repeats *r, sames *v)
{
	uint32_t at = 0;

	for (size_t i = 0; i < v->n; i++) {
		uint32_t n = v->v[i].n;

		v->v[i].n = at;
		at += n;
	}
	for (uint32_t i = 0; i < t->n_intervals; i++)
		if (g->intervals[r->first + i].state == INTERVAL_BLOCKED) {
			r->at[i] = v->v[r->at[i]].n++;
			r->waits[r->at[i]] = r->first + i;
		}
}

static bool is_repeat(const struct graph *g, const struct repeats *r, uint32_t interval, uint32_t at)
{
	return at < r->n && blame_same_wait(&g->intervals[interval], &g->intervals[r->waits[at]]);
}

static void find_ended(const struct graph *g, struct repeats *r)
{
	for (uint32_t at = r->n; at-- > 0;) {
		uint32_t next = is_repeat(g, r, r->waits[at], at + 1) ? r->waits[at + 1] : GRAPH_NONE;
		uint32_t wake = next == GRAPH_NONE ? GRAPH_NONE : g->intervals[next].wake;

		if (next != GRAPH_NONE &&
		    (wake == GRAPH_NONE || edge_by_timer(g, &g->intervals[next], &g->w->events[wake])))
			next = r->ended[at + 1];
		r->ended[at] = next;
	}
}

/*
 * Scores make has_made_progress() a comparison of two numbers. For a wait a and a later interval i, let
 * `ran` be the running time of the task from a to the end of i, and `since` the time from the begin of
 * a to the begin of i. Then has_made_progress(ran, since) is the same as:
 *   score(i) - score(a) > PROGRESS_SHARE * PROGRESS_NS
 */
struct score {
	/* PROGRESS_SHARE * (running time up to the interval's end) - (begin of the interval) */
	__int128 score;
	uint32_t interval;
};
typedef VEC(struct score) scores;

/* Returns the earliest interval of v at whose end the task has made progress since a wait, or GRAPH_NONE.
 * score: the score of the wait. v: intervals in which the task runs, all after the wait, the latest one
 * first. Scores fall from one item of v to the next. */
static uint32_t first_progress(const scores *v, __int128 score)
{
	size_t n = BISECT(i, 0, v->n, v->v[i].score <= score + (__int128)PROGRESS_NS * PROGRESS_SHARE);

	return n ? v->v[n - 1].interval : GRAPH_NONE;
}

/* `next`: the next wait longer than OTHER_WAIT_NS. `other`: the next wait longer than OTHER_WAIT_NS
 * that is no repeat of `next`. */
struct longs {
	uint32_t next, other;
};

static void add_long(const struct graph *g, struct longs *l, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval];

	if (s->to_ns - s->from_ns <= OTHER_WAIT_NS)
		return;
	if (l->next != GRAPH_NONE && !blame_same_wait(s, &g->intervals[l->next]))
		l->other = l->next;
	l->next = interval;
}

static uint32_t first_long(const struct graph *g, const struct longs *l, uint32_t interval)
{
	if (l->next == GRAPH_NONE || !blame_same_wait(&g->intervals[interval], &g->intervals[l->next]))
		return l->next;
	return l->other;
}

/* For each wait, r->ended has a repeat of the wait, or GRAPH_NONE. Removes the repeat if, between
 * the wait and the repeat, the task makes progress, or waits for something else for longer than
 * OTHER_WAIT_NS. */
static int drop_others(const struct graph *g, const struct graph_task *t, struct repeats *r)
{
	struct longs l = { GRAPH_NONE, GRAPH_NONE };
	scores v = { 0 };
	__int128 left = 0;
	int err = 0;

	for (uint32_t i = r->first + t->n_intervals; i-- > r->first && !err;) {
		const struct interval *s = &g->intervals[i];
		struct score x = { left * PROGRESS_SHARE - s->from_ns, i };

		if (s->state == INTERVAL_RUNNING || s->state == INTERVAL_FOLDED) {
			while (v.n && v.v[v.n - 1].score <= x.score)
				v.n--;
			err = VEC_PUSH(&v, x);
			left -= interval_ran_ns(s);
		} else if (s->state == INTERVAL_BLOCKED) {
			uint32_t *ended = &r->ended[r->at[i - r->first]];

			if (*ended != GRAPH_NONE &&
			    *ended > MIN(first_progress(&v, x.score), first_long(g, &l, i)))
				*ended = GRAPH_NONE;
			add_long(g, &l, i);
		}
	}
	VEC_FREE(&v);
	return err;
}

static struct repeats *repeats_new(const struct graph *g, const struct graph_task *t)
{
	uint32_t n = 0;
	_cleanup_free_ struct repeats *r = NULL;
	sames v = { 0 };
	int err;

	for (uint32_t i = 0; i < t->n_intervals; i++)
		n += g->intervals[t->first_interval + i].state == INTERVAL_BLOCKED;
	r = malloc(sizeof(*r) + (t->n_intervals / RAN_EACH + 1) * sizeof(*r->ran) +
		   ((size_t)t->n_intervals + 2 * (size_t)n) * sizeof(*r->at));
	if (!r)
		return NULL;
	r->first = t->first_interval;
	r->n = n;
	r->ran = (uint64_t *)(r + 1);
	r->at = (uint32_t *)(r->ran + t->n_intervals / RAN_EACH + 1);
	r->waits = r->at + t->n_intervals;
	r->ended = r->waits + n;
	err = count_waits(g, t, r, &v);
	if (!err) {
		sort_waits(g, t, r, &v);
		find_ended(g, r);
		err = drop_others(g, t, r);
	}
	VEC_FREE(&v);
	return err ? NULL : TAKE_PTR(r);
}

/* If several threads make the table at once, the first table stays. */
static const struct repeats *repeats_of(const struct graph *g, uint32_t interval)
{
	uint32_t task = g->intervals[interval].task;
	struct repeats *r = __atomic_load_n(&g->repeats[task], __ATOMIC_ACQUIRE), *first = NULL;

	if (r)
		return r;
	r = repeats_new(g, &g->tasks[task]);
	if (!r) {
		__atomic_fetch_add(&g->scans->refused, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (__atomic_compare_exchange_n(&g->repeats[task], &first, r, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return r;
	free(r);
	return first;
}

static uint64_t ran_before(const struct graph *g, const struct repeats *r, uint32_t i)
{
	uint32_t from = i - (i - r->first) % RAN_EACH;
	uint64_t ran = r->ran[(i - r->first) / RAN_EACH];

	for (; from < i; from++)
		ran += interval_ran_ns(&g->intervals[from]);
	return ran;
}

uint32_t repeats_next(const struct graph *g, uint32_t interval)
{
	const struct repeats *r = repeats_of(g, interval);
	uint32_t next = r ? r->at[interval - r->first] + 1 : 0;

	return r && is_repeat(g, r, interval, next) ? r->waits[next] : GRAPH_NONE;
}

/* ran_to_ns: as ran_before(), but for the last interval that counts */
static bool is_beyond(const struct graph *g, const struct repeats *r, uint32_t interval, uint32_t at,
		      uint64_t end_ns, uint64_t ran_to_ns)
{
	const struct interval *x = at < r->n ? &g->intervals[r->waits[at]] : NULL;

	return !x || !is_repeat(g, r, interval, at) || x->from_ns >= end_ns || x->to_ns > end_ns ||
	       ran_before(g, r, r->waits[at]) > ran_to_ns;
}

uint32_t repeats_last(const struct graph *g, uint32_t interval, uint64_t end_ns, uint64_t ran_ns)
{
	const struct repeats *r = repeats_of(g, interval);
	uint32_t lo, hi, at, step = 1;
	uint64_t ran_to_ns;

	if (!r)
		return GRAPH_NONE;
	at = r->at[interval - r->first];
	ran_to_ns = checked_add(ran_before(g, r, interval), ran_ns);
	for (lo = at + 1, hi = lo; !is_beyond(g, r, interval, hi, end_ns, ran_to_ns); step *= 2) {
		lo = hi + 1;
		hi = step < r->n - hi ? hi + step : r->n;
	}
	lo = BISECT(i, lo, hi, is_beyond(g, r, interval, i, end_ns, ran_to_ns));
	while (--lo > at && scan_step(g))
		if (g->intervals[r->waits[lo]].wake != GRAPH_NONE)
			return r->waits[lo];
	return GRAPH_NONE;
}

uint32_t repeats_open(const struct graph *g, uint32_t interval, uint64_t ran_ns)
{
	const struct repeats *r = repeats_of(g, interval);
	const struct graph_task *t = &g->tasks[g->intervals[interval].task];
	uint32_t last = t->first_interval + t->n_intervals - 1;

	if (!r || last <= interval || g->intervals[last].state != INTERVAL_BLOCKED ||
	    g->intervals[last].wake != GRAPH_NONE || t->exit_ns != UINT64_MAX ||
	    !blame_same_wait(&g->intervals[interval], &g->intervals[last]))
		return GRAPH_NONE;
	return ran_before(g, r, last) - ran_before(g, r, interval) > ran_ns ? GRAPH_NONE : last;
}

uint32_t repeats_ended(const struct graph *g, uint32_t interval)
{
	const struct repeats *r = repeats_of(g, interval);

	return r ? r->ended[r->at[interval - r->first]] : GRAPH_NONE;
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
		/* the wake-up by semop() or msgsnd(), or by the exit of a task with SEM_UNDO, has no object
		 */
		return s->wait == CT_W_SYSVIPC && ct_wake_call(&wake->r) != CT_W_SYSVIPC &&
		       !(wake->r.flags & CT_WF_EXITING);
	case CT_OBJ_TASK:
		waker = graph_task_at(g, ct_wake_waker(&wake->r), wake->r.ts);
		return s->wait == CT_W_CHILD && waker != GRAPH_NONE &&
		       g->tasks[waker].tgid != (s->obj & CT_OBJ_MASK);
	default:
		if (s->wait == CT_W_FLOCK)
			return !owner_unlocks(g, s, wake);
		return s->wait == CT_W_READ || s->wait == CT_W_WRITE || s->wait == CT_W_ACCEPT ||
		       s->wait == CT_W_FUTEX;
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

uint32_t repeats_interrupted(const struct graph *g, uint32_t interval)
{
	const struct interval *s = &g->intervals[interval], *x;
	const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];

	if (!wake || wake->r.obj || !ct_wake_by_task(&wake->r) || !may_interrupt(g, s, wake))
		return GRAPH_NONE;
	x = goes_on(g, s);
	return x && wake_signal(g, s, wake, true) ? (uint32_t)(x - g->intervals) : GRAPH_NONE;
}

uint32_t repeats_rest(const struct graph *g, uint32_t interval)
{
	for (unsigned n = 0; n < INTERRUPTS_MAX; n++) {
		uint32_t next = repeats_interrupted(g, interval);

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

bool repeats_debt(const struct graph *g, uint32_t interval, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval], *x;
	const struct window_event *wake = s->wake == GRAPH_NONE ? NULL : &g->w->events[s->wake];
	uint32_t tgid = g->tasks[s->task].tgid, waker;
	struct blame after;

	if (!wake || !ct_wait_is_poll(s->wait) || s->to_ns - s->from_ns <= OTHER_WAIT_NS ||
	    !ct_wake_by_task(&wake->r))
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

/* Returns true if the task wrote to the pipe between the two times, as far as wake-ups show. */
static bool wrote(const struct graph *g, uint32_t task, uint64_t pipe, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->wakes, pipe, from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts <= to_ns && scan_step(g); i++)
		if (ct_wake_waker(&g->w->events[r[i].event].r) == g->tasks[task].tid)
			return true;
	return false;
}

/* Returns the task of another process that ended the poll x with bytes on a pipe, or GRAPH_NONE. */
static uint32_t writer_of(const struct graph *g, const struct interval *x)
{
	const struct ct_rec *wake = x->wake == GRAPH_NONE ? NULL : &g->w->events[x->wake].r;
	uint32_t task;

	if (!wake || x->state != INTERVAL_BLOCKED || !ct_wait_is_poll(x->wait) || !ct_wake_by_task(wake) ||
	    ct_wake_call(wake) != CT_W_WRITE || CT_OBJ_KIND(wake->obj) != CT_OBJ_PIPE)
		return GRAPH_NONE;
	task = graph_task_at(g, ct_wake_waker(wake), wake->ts);
	return task != GRAPH_NONE && g->tasks[task].tgid != g->tasks[x->task].tgid ? task : GRAPH_NONE;
}

/* The process tgid gave the task `helper` its last command before before_ns. Returns true if this was up to
 * ts_ns, and the helper did not write to the pipe from then to until_ns. */
static bool owed_since(const struct graph *g, uint32_t helper, uint32_t tgid, uint64_t pipe, uint64_t ts_ns,
		       uint64_t before_ns, uint64_t until_ns)
{
	uint64_t asked = blame_command_ns(g, helper, before_ns, tgid);

	return asked && asked <= ts_ns && !wrote(g, helper, pipe, asked, until_ns);
}

static void blame_helper(const struct graph *g, uint32_t helper, uint64_t pipe, struct blame *ret)
{
	ret->task = helper;
	ret->event = GRAPH_NONE;
	ret->obj = pipe;
	ret->kind = resource_of_object(g->w, pipe);
	ret->time = TIME_IPC;
	ret->edge = EDGE_OWNER;
	ret->strength = EDGE_WEAK;
	ret->rivals = 0;
	ret->ended = false;
}

/* Returns true if the task waits in a read of a pipe: a helper may wait for its next command there. */
static bool reads_pipe(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	uint32_t i = graph_interval_at(g, task, ts_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];

	return s && s->state == INTERVAL_BLOCKED && s->wait == CT_W_READ &&
	       (CT_OBJ_KIND(s->obj) == CT_OBJ_PIPE || CT_OBJ_KIND(s->obj) == CT_OBJ_FIFO);
}

/* The poll s ended without an answer, and the poll x of the same task has not ended. Finds the only helper
 * that got a command before the end of s and has not answered it. */
static bool find_debtor(const struct graph *g, const struct interval *s, const struct interval *x,
			uint64_t end_ns, struct blame *ret)
{
	uint32_t tgid = g->tasks[s->task].tgid, found = GRAPH_NONE;
	uint64_t pipe = 0, ns = MIN(x->to_ns, end_ns) - 1, since_ns;
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->waitfds, g->tasks[s->task].tid, x->from_ns, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;
		struct enders all = { 0 };
		uint32_t task;

		if (e->ts > x->to_ns)
			break;
		if (CT_OBJ_KIND(e->obj) != CT_OBJ_PIPE)
			continue;
		task = owner_past_waker(g, e->obj, ns, s->task, &all, &since_ns);
		if (task == GRAPH_NONE || g->tasks[task].tgid == tgid || reads_pipe(g, task, ns) ||
		    !owed_since(g, task, tgid, e->obj, s->to_ns, ns, ns))
			continue;
		if (found != GRAPH_NONE && found != task)
			return false;
		found = task;
		pipe = e->obj;
	}
	if (found == GRAPH_NONE)
		return false;
	blame_helper(g, found, pipe, ret);
	return true;
}

bool repeats_answered(const struct graph *g, uint32_t interval, uint64_t end_ns, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval], *x = s + 1;
	const struct graph_task *t = &g->tasks[s->task];
	const struct interval *end = &g->intervals[t->first_interval + t->n_intervals];
	uint32_t tgid = t->tgid;
	struct enders tried = { 0 };
	uint64_t ran_ns = 0;

	if (s->to_ns - s->from_ns <= OTHER_WAIT_NS)
		return false;
	for (unsigned looks = 0; x < end && looks < ANSWER_LOOKS && scan_step(g); x++, looks++) {
		uint32_t task = writer_of(g, x);
		size_t n = tried.n;

		ran_ns += interval_ran_ns(x);
		if (has_made_progress(ran_ns, x->to_ns - s->from_ns))
			return false;
		if (x->to_ns > end_ns || (x + 1 == end && x->wake == GRAPH_NONE))
			return x->state == INTERVAL_BLOCKED && ct_wait_is_poll(x->wait) &&
			       x->from_ns < end_ns && find_debtor(g, s, x, end_ns, ret);
		if (task == GRAPH_NONE || task == ret->task)
			continue;
		owner_add_task(&tried, task);
		if (tried.n == n || !owed_since(g, task, tgid, g->w->events[x->wake].r.obj, s->to_ns,
						g->w->events[x->wake].r.ts, s->to_ns))
			continue;
		blame_helper(g, task, g->w->events[x->wake].r.obj, ret);
		return true;
	}
	return false;
}
