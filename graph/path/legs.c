// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/path/legs.h"

#include <errno.h>

#include "graph/timeline/scan.h"
#include "graph/wake/owner.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"

static const struct ct_rec *rec(const struct graph *g, uint32_t event)
{
	return &g->w->events[event].r;
}

/* A round of a thread: the time between two waits for work (ends_round()). */
struct round {
	uint32_t tid;
	uint32_t received[ROUND_RECEIVES]; /* events: the first receive on each socket */
	bool acted[ROUND_RECEIVES];
	size_t n;          /* may be larger than ROUND_RECEIVES */
	bool guessed;      /* the order in which the thread acted is not certain */
	uint32_t now;      /* the receive on which the thread acted last */
	uint64_t sent_on;  /* socket of the last send; 0: none since the last receive */
	uint32_t sent_for; /* the receive that is the reason of the last send */
};

/* A runtime with many coroutines on a few threads (Go, tokio) waits for work on a futex without a
 * known owner. */
static bool ends_round(const struct graph *g, const struct interval *s)
{
	return s->state == INTERVAL_BLOCKED &&
	       (ct_wait_is_poll(s->wait) ||
		(s->wait == CT_W_FUTEX && s->to_ns - s->from_ns > HANDED_PAUSE_NS &&
		 !graph_futex_owner(g, s)));
}

static uint64_t round_from(const struct graph *g, uint32_t thread, uint64_t ts_ns)
{
	const struct graph_task *t = &g->tasks[thread];
	uint32_t i = graph_interval_at(g, thread, ts_ns);

	if (i == GRAPH_NONE && t->n_intervals)
		i = t->first_interval + t->n_intervals - 1;
	for (size_t looks = 0; i != GRAPH_NONE && looks < ROUND_LOOKS && scan_step(g); looks++, i--) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_FOLDED)
			break;
		if (ends_round(g, s) && s->to_ns <= ts_ns)
			return s->to_ns;
		if (i == t->first_interval)
			return s->from_ns;
	}
	return UINT64_MAX;
}

static uint32_t first_event(const struct graph *g, uint64_t ts_ns)
{
	return (uint32_t)BISECT(i, 0, g->w->n_events, g->w->events[i].r.ts >= ts_ns);
}

/* Returns the receive that is the reason for a send on `sock`, or GRAPH_NONE. Takes the first of:
 * - a receive on `sock` itself, which is surely the reason
 * - the first receive on which the loop has not acted yet, because loops act in the order of their
 *   receives. If the send is an answer to a client, skips the requests of other clients.
 * - the receive on which the loop acted last
 * - if there is none: the first request of another client, which the loop may pass on
 * *sure is false if a send of this round may have another reason. */
static uint32_t reason(const struct graph *g, struct round *t, uint64_t sock, bool *sure)
{
	bool answers = graph_is_accepted(g, sock);
	size_t first = t->n, n = 0;

	for (size_t i = 0; i < t->n; i++) {
		uint64_t from = rec(g, t->received[i])->obj;

		if (from == sock) {
			t->acted[i] = true;
			t->now = t->received[i];
			*sure = true;
			return t->now;
		}
		if (t->acted[i] || (answers && graph_is_accepted(g, from)))
			continue;
		if (!n++)
			first = i;
	}
	t->guessed |= n > 1;
	*sure = !t->guessed;
	if (n) {
		t->acted[first] = true;
		t->now = t->received[first];
	}
	if (answers && t->now == GRAPH_NONE && t->n) {
		*sure = t->n == 1;
		return t->received[0];
	}
	return t->now;
}

static uint32_t task_of(const struct graph *g, uint32_t event)
{
	return graph_task_at(g, rec(g, event)->tid, rec(g, event)->ts);
}

static bool is_by(const struct graph *g, uint32_t event, uint32_t tgid)
{
	uint32_t task = task_of(g, event);

	return task != GRAPH_NONE && g->tasks[task].tgid == tgid;
}

static uint32_t round_step(const struct graph *g, struct round *t, uint32_t e, bool *sure)
{
	const struct ct_rec *r = rec(g, e);

	if (r->tid != t->tid || (r->kind != CT_SEND && r->kind != CT_RECV))
		return GRAPH_NONE;
	if (r->kind == CT_SEND) {
		/* a further part of a message has the reason of its first part */
		if (r->obj != t->sent_on)
			t->sent_for = reason(g, t, r->obj, sure);
		t->sent_on = r->obj;
		return t->sent_for;
	}
	t->sent_on = 0;
	for (size_t k = 0; k < t->n; k++)
		if (rec(g, t->received[k])->obj == r->obj)
			return GRAPH_NONE;
	if (t->n < ROUND_RECEIVES)
		t->received[t->n] = e;
	t->n++;
	return GRAPH_NONE;
}

static uint32_t round_begin(const struct graph *g, uint32_t event, struct round *t)
{
	uint32_t thread = task_of(g, event), first;
	uint64_t from_ns = thread == GRAPH_NONE ? UINT64_MAX : round_from(g, thread, rec(g, event)->ts);

	*t = (struct round){ .tid = rec(g, event)->tid, .now = GRAPH_NONE, .sent_for = GRAPH_NONE };
	first = from_ns == UINT64_MAX ? GRAPH_NONE : first_event(g, from_ns);
	return first == GRAPH_NONE || first > event || event - first > ROUND_EVENTS ? GRAPH_NONE : first;
}

static uint32_t reason_of(const struct graph *g, uint32_t event, bool *sure)
{
	struct round t;
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = round_begin(g, event, &t); i <= event && t.n <= ROUND_RECEIVES; i++) {
		if (!scan_step(g))
			return GRAPH_NONE;
		found = round_step(g, &t, i, sure);
	}
	return t.n > ROUND_RECEIVES ? GRAPH_NONE : found;
}

/* sock: the loop's socket to a server. other: its socket to a client. got: the record of a receive.
 * Returns true if the loop's last question on `sock` before `got` was for this client. */
static bool had_asked_for(const struct graph *g, uint64_t sock, uint32_t got, uint64_t other)
{
	const struct graph_ref *asked = graph_ref_before(g, &g->sends, sock, rec(g, got)->ts);
	bool sure;
	uint32_t why = asked ? reason_of(g, asked->event, &sure) : GRAPH_NONE;

	return why != GRAPH_NONE && rec(g, why)->obj == other;
}

/* Returns the last message on `sock`, the loop's socket to a client B, before `why` that the loop sent
 * because of a message on `from`, its socket to another client. Returns GRAPH_NONE if there is none. */
static uint32_t passed_on(const struct graph *g, uint64_t from, uint64_t sock, uint32_t why)
{
	size_t n;
	const struct graph_ref *first = graph_refs(&g->sends, sock, &n);
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, sock, rec(g, why)->ts);
	bool sure;

	for (unsigned looks = 0; from != sock && sent && sent >= first && looks < WORKER_LOOKS;
	     looks++, sent--) {
		uint32_t reason =
			sent->event < why && scan_step(g) ? reason_of(g, sent->event, &sure) : GRAPH_NONE;

		if (reason != GRAPH_NONE && rec(g, reason)->obj == from)
			return sent->event;
	}
	return GRAPH_NONE;
}

static bool leg_before(const struct graph *g, uint32_t tgid, uint32_t got, uint32_t why, const struct legs *l,
		       struct leg *ret)
{
	uint64_t sock = rec(g, why)->obj;
	const struct graph_ref *asked = graph_ref_before(g, &g->sends, sock, rec(g, why)->ts);

	*ret = (struct leg){ .to_ns = rec(g, why)->ts,
			     .sock = sock,
			     .asked = asked ? asked->event : GRAPH_NONE,
			     .answered = why,
			     .sure = true };
	if (ret->to_ns <= rec(g, got)->ts)
		return false;
	if (!graph_is_accepted(g, sock)) {
		ret->from_ns = asked ? MAX(rec(g, asked->event)->ts, rec(g, got)->ts) : 0;
		return asked && is_by(g, asked->event, tgid);
	}
	/* `why` is a message of another client B, and `sock` is the loop's socket to B. Perhaps the loop
	 * passed a request of the client on to B, and this is the answer of B. */
	ret->asked = passed_on(g, rec(g, got)->obj, sock, why);
	if (ret->asked != GRAPH_NONE) {
		ret->sure = false;
		ret->from_ns = MAX(rec(g, ret->asked)->ts, rec(g, got)->ts);
		return true;
	}
	ret->asked = asked ? asked->event : GRAPH_NONE;
	/* Or B used the loop's connection to the server until this message (a shared connection: legs.h). */
	ret->from_ns = rec(g, got)->ts;
	return sock != rec(g, got)->obj && l->v.n && had_asked_for(g, l->v.v[l->v.n - 1].sock, got, sock);
}

/* Goes back from `last`, the send of the last part of the answer to the client. The reason for a send is
 * a receive. If this is the receive of an answer from a server, goes on to the send of the question to
 * this server, to the reason for that send, and so on. Returns 0 or -ENOMEM. */
static int legs_back(const struct graph *g, uint32_t tgid, uint32_t got, uint32_t last, struct legs *l)
{
	uint64_t end_ns = UINT64_MAX;
	bool sure = true;

	for (uint32_t sent = last; l->v.n < LEGS_MAX;) {
		bool now_sure = true;
		uint32_t why = reason_of(g, sent, &now_sure);
		struct leg leg;

		if (why == GRAPH_NONE || rec(g, why)->ts >= end_ns || !leg_before(g, tgid, got, why, l, &leg))
			return 0;
		sure &= now_sure && leg.sure;
		leg.sure = sure;
		if (VEC_PUSH(&l->v, leg))
			return -ENOMEM;
		if (leg.from_ns <= rec(g, got)->ts)
			return 0;
		end_ns = leg.to_ns;
		sent = leg.asked;
	}
	return 0;
}

static uint32_t answer_to(const struct graph *g, uint32_t asked)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->recvs, rec(g, asked)->obj, rec(g, asked)->ts, &n);

	return n ? r->event : GRAPH_NONE;
}

/* Sets *ret_to_ns to the end of the round of `why`. Returns the event at which a search for messages of this
 * round ends. */
static uint32_t round_end(const struct graph *g, uint32_t why, uint64_t *ret_to_ns)
{
	uint32_t thread = task_of(g, why), i;
	const struct graph_task *t;

	*ret_to_ns = UINT64_MAX;
	if (thread == GRAPH_NONE)
		return 0;
	t = &g->tasks[thread];
	for (i = graph_interval_at(g, thread, rec(g, why)->ts);
	     i < t->first_interval + t->n_intervals && *ret_to_ns == UINT64_MAX && scan_step(g); i++)
		if (ends_round(g, &g->intervals[i]))
			*ret_to_ns = g->intervals[i].from_ns;
	return (uint32_t)MIN(g->w->n_events, why + 1ULL + ROUND_EVENTS);
}

/* Returns the first message that the loop sent on `sock` because of `why`, or GRAPH_NONE. */
static uint32_t sent_because(const struct graph *g, uint32_t why, uint64_t sock, bool *sure)
{
	struct round round;
	uint64_t to_ns;
	uint32_t end = round_end(g, why, &to_ns);

	for (uint32_t e = round_begin(g, why, &round);
	     e < end && rec(g, e)->ts <= to_ns && round.n <= ROUND_RECEIVES && scan_step(g); e++)
		if (round_step(g, &round, e, sure) == why && rec(g, e)->obj == sock)
			return e;
	return GRAPH_NONE;
}

/* sock: the loop's socket to a client B. Returns true if the loop passed an earlier request of another client
 * on to B, received a message of B then, and because of it sent an answer to that client. So B is a worker
 * that has connected to the loop, not only a receiver of news. */
static bool works_for_others(const struct graph *g, uint64_t sock, uint32_t before)
{
	const struct graph_ref *got = graph_ref_before(g, &g->recvs, sock, rec(g, before)->ts);
	size_t n = 0;
	const struct graph_ref *first = graph_refs(&g->recvs, sock, &n);

	for (unsigned looks = 0; n && got && got >= first && looks < WORKER_LOOKS && scan_step(g);
	     looks++, got--) {
		const struct graph_ref *asked = graph_ref_before(g, &g->sends, sock, rec(g, got->event)->ts);
		bool sure;
		uint32_t why = asked && got->event < before ? reason_of(g, asked->event, &sure) : GRAPH_NONE;

		if (why != GRAPH_NONE && rec(g, why)->obj != sock && graph_is_accepted(g, rec(g, why)->obj) &&
		    sent_because(g, got->event, rec(g, why)->obj, &sure) != GRAPH_NONE)
			return true;
	}
	return false;
}

/* The loop sent the message e because of `why`. Returns true if e is a question: to a server, or to a worker
 * that has connected to the loop. */
static bool is_question(const struct graph *g, uint32_t why, uint32_t e)
{
	uint64_t sock = rec(g, e)->obj;

	return !graph_is_accepted(g, sock) ||
	       (sock != rec(g, why)->obj && graph_is_accepted(g, rec(g, why)->obj) &&
		works_for_others(g, sock, why));
}

/* Of the questions that the loop sent because of `why`, returns the first one without an answer, or
 * else the one that was answered last. Returns GRAPH_NONE if there is no question, or if questions
 * on several sockets have no answer. */
static uint32_t question_after(const struct graph *g, uint32_t why, bool *sure)
{
	uint32_t found = GRAPH_NONE, answer = 0, end;
	uint64_t to_ns;
	struct round round;

	end = round_end(g, why, &to_ns);
	for (uint32_t e = round_begin(g, why, &round);
	     e < end && rec(g, e)->ts <= to_ns && round.n <= ROUND_RECEIVES && scan_step(g); e++) {
		uint32_t answered;

		if (round_step(g, &round, e, sure) != why || !is_question(g, why, e))
			continue;
		answered = answer_to(g, e);
		if (found != GRAPH_NONE && rec(g, e)->obj != rec(g, found)->obj && answered == GRAPH_NONE &&
		    answer == GRAPH_NONE)
			return GRAPH_NONE;
		if (found == GRAPH_NONE || answered > answer) {
			found = e;
			answer = answered;
		}
	}
	return found;
}

/* For a request that the loop has not answered: goes forward from its receive to the question that
 * the loop sent to a server, to the receive of the server's answer, to the next question, and so
 * on. Returns 0 or -ENOMEM. */
static int legs_forward(const struct graph *g, uint32_t tgid, uint32_t got, uint64_t end_ns, struct legs *l)
{
	bool sure = true;

	for (uint32_t why = got; l->v.n < LEGS_MAX;) {
		bool now_sure = true;
		uint32_t asked = question_after(g, why, &now_sure);
		uint32_t answered = asked == GRAPH_NONE ? GRAPH_NONE : answer_to(g, asked);
		struct leg leg;

		if (asked == GRAPH_NONE || rec(g, asked)->ts > end_ns)
			return 0;
		sure &= now_sure && !graph_is_accepted(g, rec(g, asked)->obj);
		leg = (struct leg){ .from_ns = rec(g, asked)->ts,
				    .to_ns = answered == GRAPH_NONE ? UINT64_MAX : rec(g, answered)->ts,
				    .sock = rec(g, asked)->obj,
				    .asked = asked,
				    .answered = answered,
				    .sure = sure };
		if (VEC_PUSH(&l->v, leg))
			return -ENOMEM;
		if (answered == GRAPH_NONE || !is_by(g, answered, tgid))
			return 0;
		why = answered;
	}
	return 0;
}

/* Returns true if the receive `got` may only confirm that the client lives: just before, the loop sent
 * something to the client for which no message was the reason. */
static bool only_confirms(const struct graph *g, const struct graph_ref *got)
{
	const struct graph_ref *sent =
		graph_ref_before(g, &g->sends, rec(g, got->event)->obj, rec(g, got->event)->ts);
	bool sure;

	return sent && sent->event > got[-1].event && reason_of(g, sent->event, &sure) == GRAPH_NONE;
}

/* Looks for a request that the loop has passed on to a worker (works_for_others()), and that the worker had
 * not answered by end_ns. Goes back from the receive `got` on the loop's socket to a client, over messages
 * that only confirm that the client lives. Returns 0 or -ENOMEM. */
static int leg_of_worker(const struct graph *g, uint32_t tgid, const struct graph_ref *got, uint64_t end_ns,
			 struct legs *l)
{
	size_t n;
	const struct graph_ref *first = graph_refs(&g->recvs, rec(g, got->event)->obj, &n);

	for (unsigned looks = 0; looks < WORKER_LOOKS && scan_step(g); looks++, got--) {
		bool sure = true;
		uint32_t asked =
			is_by(g, got->event, tgid) ? question_after(g, got->event, &sure) : GRAPH_NONE;
		uint32_t answered = asked == GRAPH_NONE ? GRAPH_NONE : answer_to(g, asked);

		if (asked != GRAPH_NONE && graph_is_accepted(g, rec(g, asked)->obj) &&
		    (answered == GRAPH_NONE || rec(g, answered)->ts > end_ns))
			return VEC_PUSH(&l->v, ((struct leg){ .from_ns = rec(g, asked)->ts,
							      .to_ns = UINT64_MAX,
							      .sock = rec(g, asked)->obj,
							      .asked = asked,
							      .answered = GRAPH_NONE }))
				       ? -ENOMEM
				       : 0;
		if (asked != GRAPH_NONE || got == first || !only_confirms(g, got))
			break;
	}
	return 0;
}

/* got: the receive of the request */
static int legs_of_request(const struct graph *g, uint32_t tgid, uint32_t got, uint64_t end_ns,
			   struct legs *ret)
{
	uint64_t sock = rec(g, got)->obj;
	const struct graph_ref *last, *next;
	size_t n_next;

	/* The last part of the answer is the last send before the next request. */
	last = graph_refs_from(g, &g->sends, sock, rec(g, got)->ts, &n_next);
	if (!n_next || rec(g, last->event)->ts > end_ns + MESSAGE_LATE_NS)
		return legs_forward(g, tgid, got, end_ns, ret);
	next = graph_refs_from(g, &g->recvs, sock, rec(g, last->event)->ts, &n_next);
	if (n_next)
		end_ns = MIN(end_ns, rec(g, next->event)->ts);
	last = graph_ref_before(g, &g->sends, sock, end_ns + MESSAGE_LATE_NS);
	if (!last || !is_by(g, last->event, tgid))
		return 0;
	return legs_back(g, tgid, got, last->event, ret);
}

int legs_find(const struct graph *g, uint32_t tgid, uint64_t sock, uint64_t sent_ns, uint64_t end_ns,
	      struct legs *ret)
{
	const struct graph_ref *got, *next;
	size_t n, n_next;
	int r;

	*ret = (struct legs){ 0 };
	/* A send is recorded when its call returns, so the receive may be recorded first. */
	got = graph_refs_from(g, &g->recvs, sock, sent_ns > MESSAGE_LATE_NS ? sent_ns - MESSAGE_LATE_NS : 0,
			      &n);
	for (; n; n--, got++) {
		next = graph_refs_from(g, &g->sends, sock, rec(g, got->event)->ts, &n_next);
		if (rec(g, got->event)->ts >= sent_ns || !n_next || rec(g, next->event)->ts > sent_ns)
			break;
	}
	if (!n || !is_by(g, got->event, tgid) ||
	    graph_lacks_within(g, sent_ns, MIN(end_ns, g->w->to_ns)) & CT_LACK_MESSAGES)
		return 0;
	r = legs_of_request(g, tgid, got->event, end_ns, ret);
	return r || ret->v.n ? r : leg_of_worker(g, tgid, got, end_ns, ret);
}

void legs_done(struct legs *l)
{
	VEC_FREE(&l->v);
}

static uint32_t answerer(const struct graph *g, const struct leg *leg, uint32_t *ret_event)
{
	uint64_t peer = graph_peer_object(g, leg->sock);
	const struct graph_ref *r = peer ? graph_ref_before(g, &g->sends, peer, leg->to_ns) : NULL;
	size_t n;

	if (peer && (!r || r->event < leg->asked)) {
		r = graph_refs_from(g, &g->sends, peer, leg->to_ns, &n);
		if (!n || rec(g, r->event)->ts > leg->to_ns + MESSAGE_LATE_NS)
			r = NULL;
	}
	*ret_event = r ? r->event : GRAPH_NONE;
	return r ? graph_task_at(g, rec(g, r->event)->tid, rec(g, r->event)->ts) : GRAPH_NONE;
}

/* A wait on a futex ended at ts_ns. Returns true if the wait was not for the answer of the leg. Each of these
 * signs is enough:
 * - The answer was received, but was sent long before ts_ns, or its send is not known.
 * - The answer was not received, but the socket of the leg had unread bytes at ts_ns. */
static bool is_over(const struct graph *g, const struct leg *leg, uint32_t sent, uint64_t ts_ns)
{
	if (leg->answered == GRAPH_NONE)
		return owner_unread(g, leg->sock, ts_ns);
	return sent == GRAPH_NONE || rec(g, sent)->ts + MESSAGE_DELAYED_NS < ts_ns;
}

bool legs_blame(const struct graph *g, const struct legs *l, uint32_t interval, struct blame *ret)
{
	const struct interval *s = &g->intervals[interval];
	const struct leg *leg = NULL;
	uint32_t event = GRAPH_NONE, task = GRAPH_NONE;

	for (size_t i = 0; i < l->v.n && !leg; i++)
		if (s->from_ns >= l->v.v[i].from_ns && s->to_ns <= l->v.v[i].to_ns)
			leg = &l->v.v[i];
	if (leg && leg->answered != GRAPH_NONE)
		task = answerer(g, leg, &event);
	if (!leg || (s->wait == CT_W_FUTEX && is_over(g, leg, event, s->to_ns)))
		return false;
	blame_socket(g, interval, leg->sock, ret);
	ret->strength = EDGE_WEAK;
	if (leg->answered == GRAPH_NONE) {
		/* The server waits for more bytes, so it owes no answer: it may be a helper that
		 * was told to start a program. blame_debt() looks for this program. */
		if (ret->task != GRAPH_NONE && owner_waits_for_more(g, leg->sock, ret->task, s))
			blame_debt(g, interval, &(struct blame_request){ leg->from_ns, true }, ret);
		return true;
	}
	if (task != GRAPH_NONE) {
		ret->task = task;
		ret->event = event;
		ret->rivals = 0;
		ret->strength = leg->sure ? EDGE_STRONG : EDGE_WEAK;
	}
	ret->edge = task == GRAPH_NONE ? EDGE_IRQ : EDGE_MESSAGE;
	ret->ended = true;
	ret->until_ns = leg->to_ns;
	return true;
}
