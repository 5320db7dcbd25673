// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/normal.h"

#include <sys/socket.h>

#include "analysis/diagnose/idle_client.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/call.h"

static bool slept(const struct graph *g, const struct graph_task *t)
{
	uint64_t ns = 0;

	for (uint32_t i = t->first_interval; i < t->first_interval + t->n_intervals; i++)
		if (g->intervals[i].state == INTERVAL_BLOCKED && g->intervals[i].wait == CT_W_SLEEP)
			ns += g->intervals[i].to_ns - g->intervals[i].from_ns;
	return ns > (t->exit_ns - t->born_ns) / 2;
}

/* Returns true if most waits are for children that succeed. Children of a polling script sleep or fail. */
static bool children_succeed(const struct graph *g, const struct link *k)
{
	size_t n, good = 0;
	const struct graph_ref *r = graph_refs(&g->children, k->pid, &n);

	for (size_t i = 0; i < n; i++) {
		const struct graph_task *t = &g->tasks[r[i].event];

		if (t->tid == t->tgid && t->exit_ns >= k->from_ns && t->exit_ns <= k->to_ns &&
		    !t->exit_code && !slept(g, t))
			good++;
	}
	return good > k->waits / 2;
}

static bool got_bytes(const struct graph *g, const struct interval *s)
{
	uint8_t kind, strength;

	if (s->state != INTERVAL_BLOCKED || s->wake == GRAPH_NONE)
		return false;
	edge_classify(g, s, &g->w->events[s->wake], &kind, &strength);
	return kind == EDGE_MESSAGE || kind == EDGE_PIPE;
}

/* The waker is the task that ended the wait s. Looks at the last wait of the waker before the end
 * of s. Returns true if bytes ended this wait of the waker after since_ns. Then the waker probably
 * passed the bytes on to the task of s. */
static bool is_passed_on(const struct graph *g, const struct interval *s, uint64_t since_ns)
{
	const struct ct_rec *r = &g->w->events[s->wake].r;
	uint32_t waker = ct_wake_by_task(r) ? graph_task_at(g, ct_wake_waker(r), r->ts) : GRAPH_NONE;
	uint32_t i = waker == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, waker, r->ts);

	if (i == GRAPH_NONE)
		return false;
	while (i-- > g->tasks[waker].first_interval && g->intervals[i].to_ns > since_ns && scan_step(g))
		if (g->intervals[i].state == INTERVAL_BLOCKED)
			return got_bytes(g, &g->intervals[i]);
	return false;
}

/* Returns true if another task has asked for a lock of the file, as far as records show. */
static bool others_lock(const struct graph *g, uint64_t file, uint32_t tid)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->flocks, file, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (g->w->events[r[i].event].r.tid != tid)
			return true;
	return false;
}

/* Returns true if the task got file locks between the two times, and no try failed. If it got only one lock,
 * this one is exclusive, and other tasks use it too, returns false: the task may only look whether its turn
 * has come, and nobody else may look meanwhile. */
static bool got_locks(const struct graph *g, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->locktries, tid, from_ns, &n);
	unsigned shared = 0, exclusive = 0;
	uint64_t file = 0;

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < to_ns && scan_step(g); i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;

		if (ct_lock_result(e))
			return false;
		shared += ct_lock_op(e) == CT_LOCK_READ;
		exclusive += ct_lock_op(e) == CT_LOCK_WRITE;
		file = e->obj;
	}
	return shared || exclusive > 1 || (exclusive && !others_lock(g, file, tid));
}

/* Returns true if a message was sent on the socket between from_ns and to_ns. */
static bool asks_on(const struct graph *g, uint64_t sock, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->sends, sock, from_ns, &n);

	return n && g->w->events[r->event].r.ts < to_ns;
}

/* The task sleeps up to from_ns, and again from to_ns on. Returns true if it got much from one stream in
 * between, and nothing was sent on this stream since its first sleep (first_ns) and until end_ns. Then the
 * task does not ask for what it gets: it only reads slowly. A failed try of a lock, and a message that the
 * task sends in between, show a task that polls. */
static bool reads_slowly(const struct graph *g, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
			 uint64_t first_ns, uint64_t end_ns)
{
	const struct window_event *e = &g->w->events[window_lower_bound(g->w, from_ns)];
	const struct window_event *end = g->w->events + g->w->n_events;
	const struct window_object *o;
	uint64_t sock = 0, bytes = 0;

	for (; e < end && e->r.ts < to_ns; e++) {
		if (!scan_step(g))
			return false;
		if (e->r.tid != tid)
			continue;
		if (e->r.kind == CT_SEND || (e->r.kind == CT_FLOCK && ct_lock_result(&e->r)))
			return false;
		if (e->r.kind != CT_RECV)
			continue;
		if (sock && e->r.obj != sock)
			return false;
		sock = e->r.obj;
		bytes += ct_message_bytes(&e->r);
	}
	o = graph_object(g, sock);
	return bytes >= PACED_BYTES && o && o->type == SOCK_STREAM && !asks_on(g, sock, first_ns, end_ns);
}

/* A task that sleeps again and again may poll for something that does not come. Or it may work, with
 * pauses. Returns true if it works: between most of its sleeps, it receives bytes, or takes file locks
 * without a failed try. */
static bool is_paced(const struct graph *g, const struct link *k)
{
	uint32_t i = graph_interval_at(g, k->task, k->from_ns), rounds = 0;
	uint32_t end = g->tasks[k->task].first_interval + g->tasks[k->task].n_intervals;
	uint32_t tid = g->tasks[k->task].tid;
	uint64_t since_ns = k->from_ns, first_ns = 0;
	bool got = false;

	for (; i < end && g->intervals[i].from_ns < k->to_ns && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];

		if (s->state == INTERVAL_BLOCKED && s->wait == CT_W_SLEEP) {
			rounds += !got && (got_locks(g, tid, since_ns, s->from_ns) ||
					   (first_ns &&
					    reads_slowly(g, tid, since_ns, s->from_ns, first_ns, k->to_ns)));
			since_ns = s->to_ns;
			first_ns = first_ns ? first_ns : s->from_ns;
			got = false;
		} else if (!got &&
			   (got_bytes(g, s) || (s->state == INTERVAL_BLOCKED && s->wait == CT_W_FUTEX &&
						s->wake != GRAPH_NONE && is_passed_on(g, s, since_ns)))) {
			got = true;
			rounds++;
		}
	}
	return rounds > k->waits / 2;
}

/* Returns true if one sleep of the last task, and one wait of the victim, took more than half of the time
 * that the victim waited. */
static bool ends_in_one_sleep(const struct findings *f)
{
	const struct link *first = &f->chain.links.v[0], *last = &f->chain.links.v[f->chain.links.n - 1];

	return last->wait == CT_W_SLEEP && last->longest_ns > first->total_ns / 2 &&
	       first->longest_ns > first->total_ns / 2;
}

static bool idles(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];
	bool unsure;

	if (!chain_only_children(&f->chain) || f->chain.end != END_LEAF || chain_waits_for_files(&f->chain) ||
	    f->circular || last->kind == RESOURCE_DATABASE_LOCK || chain_awaits_helper(last) ||
	    f->told_to_end != GRAPH_NONE)
		return false;
	/* a person who asks about the parent wants to know that its child waits for input, or sleeps */
	if (f->chain.options.window_given && f->chain.links.n > 1 &&
	    (last->kind == RESOURCE_INPUT || ends_in_one_sleep(f)))
		return false;
	if (root_cause_polls(last))
		return children_succeed(f->g, last) || is_paced(f->g, last);
	/* without records of messages, it is not known whether an answer is owed */
	unsure = graph_lacks_within(f->g, last->from_ns, last->to_ns) & CT_LACK_MESSAGES;
	switch (last->wait) {
	case CT_W_SLEEP:
		return !chain_retries_fork(f->g, last);
	case CT_W_SIGNAL:
	case CT_W_ACCEPT:
		return true;
	case CT_W_READ:
	case CT_W_POLL:
	case CT_W_EPOLL:
		switch ((unsigned)CT_OBJ_KIND(last->obj)) {
		case CT_OBJ_SOCK:
			return last->server ||
			       (!unsure && !last->owed && f->chain.leaf.time != TIME_NETWORK &&
				!graph_is_local(f->g, last->obj)) ||
			       (!unsure && last->wait != CT_W_READ && !last->owed);
		case CT_OBJ_PIPE:
		case CT_OBJ_FIFO:
			return false;
		case CT_OBJ_EVENTFD:
			return !unsure;
		case CT_OBJ_NONE:
			return !unsure || f->chain.leaf.kind == RESOURCE_TIMER;
		default:
			return true;
		}
	case CT_W_KTHREAD:
		return true;
	default:
		return false;
	}
}

static bool carries_data(const struct link *k)
{
	if (k->wait == CT_W_FUTEX)
		return k->edge == EDGE_POST || k->edge == EDGE_OWNER;
	if (k->wait == CT_W_WRITE || k->wait == CT_W_SLEEP)
		return false;
	switch ((unsigned)k->edge) {
	case EDGE_PIPE:
	case EDGE_MESSAGE:
	case EDGE_EVENTFD:
	case EDGE_WAKE: /* for example, an inotify reports a change of a file */
	case EDGE_FORK: /* the producer starts a process that sends */
	case EDGE_VFORK:
	case EDGE_EXIT:
		return true;
	case EDGE_SIGNAL: /* an event loop reads signals like bytes: one task notifies another one */
		return k->kind == RESOURCE_SIGNAL && k->obj;
	default:
		return false;
	}
}

/* Returns true if the task waits for a message of a queue, and an inspection shows which process sends it. */
static bool awaits_message(const struct graph *g, const struct link *k)
{
	uint32_t i = graph_interval_at(g, k->task, k->from_ns);

	return k->edge == EDGE_OWNER && k->wait == CT_W_SYSVIPC && i != GRAPH_NONE &&
	       call_of(g->w->machine, g->intervals[i].nr) == CALL_MSGRCV;
}

static bool got_something(const struct graph *g, const struct interval *s)
{
	return s->state == INTERVAL_BLOCKED && s->wake != GRAPH_NONE &&
	       !edge_by_timer(g, s, &g->w->events[s->wake]);
}

/* Returns the task's longest wait in the time of link k, or GRAPH_NONE. */
static uint32_t longest_wait(const struct graph *g, const struct link *k)
{
	uint32_t end = g->tasks[k->task].first_interval + g->tasks[k->task].n_intervals, best = GRAPH_NONE;
	uint64_t best_ns = 0;

	for (uint32_t i = graph_interval_at(g, k->task, k->from_ns);
	     i < end && g->intervals[i].from_ns < k->to_ns && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t ns = MIN(s->to_ns, k->to_ns) - MAX(s->from_ns, k->from_ns);

		if (s->state != INTERVAL_BLOCKED || ns <= best_ns)
			continue;
		best = i;
		best_ns = ns;
	}
	return best;
}

/* Waits of a consumer for the same thing, in the time of a link or outside of it. */
struct feed {
	uint32_t fed; /* how many of the waits got something */
	/* The longest time, in waits one after the other, until one of them got something. Inside of the
	 * link, the waits at its end count too, although they may have got nothing. */
	uint64_t dry_ns;
};

/* Looks at the waits that are like the longest one of link k. */
static bool is_fed_often(const struct graph *g, const struct link *k)
{
	const struct graph_task *t = &g->tasks[k->task];
	uint32_t wait = longest_wait(g, k), from, to;
	struct feed feeds[2] = { 0 }, *inside = &feeds[1], *outside = &feeds[0], *last = NULL;
	uint64_t dry_ns = 0;

	if (wait == GRAPH_NONE)
		return false;
	from = wait - MIN(wait - t->first_interval, FED_LOOKS);
	to = MIN(wait + FED_LOOKS, t->first_interval + t->n_intervals);
	for (uint32_t i = from; i < to; i++) {
		const struct interval *s = &g->intervals[i];
		struct feed *at = s->from_ns < k->to_ns && s->to_ns > k->from_ns ? inside : outside;

		if (s->state != INTERVAL_BLOCKED || !blame_same_place(&g->intervals[wait], s))
			continue;
		if (at != last)
			dry_ns = 0;
		last = at;
		dry_ns += at == inside ? MIN(s->to_ns, k->to_ns) - MAX(s->from_ns, k->from_ns)
				       : s->to_ns - s->from_ns;
		if (at == inside || got_something(g, s))
			at->dry_ns = MAX(at->dry_ns, dry_ns);
		if (!got_something(g, s))
			continue;
		at->fed++;
		dry_ns = 0;
	}
	if (inside->fed >= FED_WAITS && inside->dry_ns <= k->total_ns / 2)
		return true;
	return outside->fed >= FED_WAITS && inside->dry_ns <= outside->dry_ns * 2;
}

/* Java sleeps in a wait on a futex with a time limit. A thread may wait in this way for the time of its next
 * work, and for a wake-up. */
static bool is_pause(const struct link *k)
{
	return k->wait == CT_W_SLEEP ||
	       (k->wait == CT_W_FUTEX && (k->kind == RESOURCE_TIMER || k->timeouts > k->waits / 2));
}

/* The event loop k feeds the link before it at the times of its own timer. Returns true if it sends only
 * short messages, such as events. Larger ones may be the parts of an answer that is late. An eventfd carries
 * no message. */
static bool is_ticker(const struct graph *g, const struct link *k)
{
	const struct link *fed = k - 1;
	uint64_t bytes;
	size_t n;

	if (!ct_wait_is_poll(k->wait) || k->kind != RESOURCE_TIMER)
		return false;
	if (fed->edge == EDGE_EVENTFD)
		return true;
	if (CT_OBJ_KIND(fed->obj) != CT_OBJ_SOCK)
		return false;
	bytes = chain_received(g, fed, &n);
	return bytes && bytes < MAX(fed->waits, 1ULL) * PACED_BYTES;
}

static bool is_idle_loop(const struct link *k)
{
	return ct_wait_is_poll(k->wait) && k->server && !k->owed;
}

/* Messages that the threads of a process received. */
struct news {
	size_t got;
	uint64_t last_ns, dry_ns; /* dry_ns: the longest time without a message */
	uint32_t first;           /* the thread that received the first message */
	bool several;             /* several threads received messages */
};

/* Adds the messages that came on the socket between the two times. */
static void add_news(const struct graph *g, uint32_t pid, uint64_t sock, uint64_t from_ns, uint64_t to_ns,
		     struct news *v)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->recvs, sock, from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < to_ns && scan_step(g); i++) {
		const struct ct_rec *e = &g->w->events[r[i].event].r;
		uint32_t task = graph_task_at(g, e->tid, e->ts);

		if (task == GRAPH_NONE || g->tasks[task].tgid != pid)
			continue;
		v->first = v->first ? v->first : e->tid;
		v->several |= e->tid != v->first;
		v->dry_ns = v->last_ns ? MAX(v->dry_ns, e->ts - v->last_ns) : 0;
		v->last_ns = e->ts;
		v->got++;
	}
}

/* Returns true if the process of link k receives messages on the socket often, and several of its threads do
 * so: in the time of the link, or before, and then hardly less often in the time of the link. See
 * is_fed_often() for a single thread. */
static bool threads_get_often(const struct graph *g, const struct link *k, uint64_t sock)
{
	struct news before = { 0 }, now = { .last_ns = k->from_ns };
	uint64_t dry_ns;

	/* the message that ended the last wait is received after it */
	add_news(g, k->pid, sock, k->from_ns, k->to_ns + DIAGNOSE_QUICK_NS, &now);
	add_news(g, k->pid, sock, 0, k->from_ns, &before);
	dry_ns = MAX(now.dry_ns, checked_sub(k->to_ns, now.last_ns));
	if (now.several && now.got >= FED_WAITS && dry_ns <= (k->to_ns - k->from_ns) / 2)
		return true;
	return before.several && before.got >= FED_WAITS && dry_ns <= before.dry_ns * 2;
}

static bool gets_messages_often(const struct graph *g, const struct link *k)
{
	const struct window_object *o = g->w->objects;

	for (size_t i = 0; i < g->w->n_objects && scan_step(g); i++)
		if (CT_OBJ_KIND(o[i].id) == CT_OBJ_SOCK && threads_get_often(g, k, o[i].id))
			return true;
	return false;
}

/* v: the links of a chain of two or more. */
static bool are_fed_often(const struct graph *g, const struct link *v)
{
	if (is_fed_often(g, v))
		return true;
	if (v->wait == CT_W_FUTEX && v[1].pid == v->pid)
		return v->kind != RESOURCE_LOCK && gets_messages_often(g, v);
	return CT_OBJ_KIND(v->obj) == CT_OBJ_SOCK && threads_get_often(g, v, v->obj);
}

/* In a runtime such as that of Go, any thread may wait for messages, and the other threads wait for their
 * next work. If the last link is of the victim's process, this process has to receive messages often. */
bool normal_idle_thread(const struct findings *f)
{
	const struct link *first = &f->chain.links.v[0], *last = &f->chain.links.v[f->chain.links.n - 1];
	bool other = last->kind == RESOURCE_LOCK || last->kind == RESOURCE_TIMER || last->owed;
	uint32_t wait =
		last == first || other || f->chain.end != END_LEAF ? GRAPH_NONE : longest_wait(f->g, last);

	return wait != GRAPH_NONE && blame_idle_process(f->g, wait) &&
	       (last->pid != first->pid || gets_messages_often(f->g, first));
}

bool normal_is_guess(const struct findings *f)
{
	const struct link *k = &f->chain.links.v[0];

	if (normal_idle_thread(f))
		return true;
	if (f->chain.links.n > 1 || f->chain.end != END_LEAF || k->total_ns < f->stall_least_ns)
		return false;
	if (root_cause_polls(k))
		return true;
	switch ((unsigned)CT_OBJ_KIND(k->obj)) {
	case CT_OBJ_NONE:
	case CT_OBJ_EVENTFD:
	case CT_OBJ_SOCK:
		return ct_wait_is_poll(k->wait) && !k->server && k->kind != RESOURCE_TIMER;
	default:
		return false;
	}
}

/* Returns true if the last message on the connection before the middle of link k is a request to the process
 * of k, this process has sent nothing there until the end of k, and the client lives then. sock: the server's
 * end. */
static bool keeps_waiting(const struct graph *g, const struct link *k, uint64_t sock)
{
	const struct graph_ref *got =
		graph_ref_before(g, &g->recvs, sock, k->from_ns + (k->to_ns - k->from_ns) / 2);
	const struct graph_ref *sent = graph_ref_before(g, &g->sends, sock, k->to_ns);
	const struct ct_rec *r = got ? &g->w->events[got->event].r : NULL;
	uint32_t task = r ? graph_task_at(g, r->tid, r->ts) : GRAPH_NONE;

	return task != GRAPH_NONE && g->tasks[task].tgid == k->pid && (!sent || sent->event < got->event) &&
	       !owner_has_left(g, graph_peer_object(g, sock), k->to_ns);
}

/* Returns true if a client waits for the process of link k, as far as records of messages show. */
static bool has_waiting_client(const struct graph *g, const struct link *k)
{
	const struct window_object *o = g->w->objects;

	for (size_t i = 0; i < g->w->n_objects && scan_step(g); i++)
		if (CT_OBJ_KIND(o[i].id) == CT_OBJ_SOCK && graph_is_accepted(g, o[i].id) &&
		    keeps_waiting(g, k, o[i].id))
			return true;
	return false;
}

/* v: the links of a chain of two or more. Returns true if the first one is a client that gets news, and no
 * client waits for its server: the server has news for it only if another client makes them. */
static bool gets_news(const struct graph *g, const struct link *v)
{
	return idle_client_gets_news(g, v) && !has_waiting_client(g, &v[1]);
}

static bool is_fed(const struct findings *f)
{
	const struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n;
	bool news;

	if (n < 2 || f->chain.end != END_LEAF ||
	    (!is_pause(&v[n - 1]) && !is_idle_loop(&v[n - 1]) && !is_ticker(f->g, &v[n - 1]) &&
	     !normal_idle_thread(f)))
		return false;
	news = gets_news(f->g, v);
	if (!news && !are_fed_often(f->g, v))
		return false;
	/* A signal is no data for the consumer itself: in PostgreSQL, a signal ends a wait for a lock. */
	if (v[0].edge == EDGE_SIGNAL)
		return false;
	/* An eventfd does not say for which work it is: a client may wait for the rest of this work. */
	if (v[0].edge == EDGE_EVENTFD && has_waiting_client(f->g, &v[0]))
		return false;
	/* A proxy that passes parts of one answer on, again and again, is owed the rest of it. */
	for (size_t i = 0; i + 1 < n; i++)
		if (!(carries_data(&v[i]) || awaits_message(f->g, &v[i]) ||
		      (news && !i && v[i].edge == EDGE_OWNER)) ||
		    (v[i].owed && !v[i + 1].server && !(i && is_fed_often(f->g, &v[i]))))
			return false;
	return true;
}

/* Returns true if a child ended the wait s, and the process of the waiter started this child after since_ns.
 */
static bool ended_by_child(const struct graph *g, const struct interval *s, uint64_t since_ns)
{
	const struct ct_rec *r = &g->w->events[s->wake].r;
	uint32_t waker = ct_wake_by_task(r) ? graph_task_at(g, ct_wake_waker(r), r->ts) : GRAPH_NONE;
	uint32_t child = waker == GRAPH_NONE ? GRAPH_NONE : graph_task_at(g, g->tasks[waker].tgid, r->ts);

	return child != GRAPH_NONE && g->tasks[child].born_ns > since_ns &&
	       g->tasks[child].ptgid == g->tasks[s->task].tgid;
}

/* The task waits for changes of files. Returns true if it works for them: changes ended earlier waits of this
 * kind, and after most of them, the task started a child, waited again, and the child's end or its signal
 * ended this wait. Changes within DIAGNOSE_STALL_NS of the first one count as one: a program may collect
 * them. A task that waits for one file only looks whether a change is of this file. */
static bool works_for_changes(const struct graph *g, uint32_t wait)
{
	const struct interval *s = &g->intervals[wait];
	uint32_t i = wait - MIN(wait - g->tasks[s->task].first_interval, FED_LOOKS);
	size_t changes = 0, works = 0;
	uint64_t change_ns = 0;
	bool works_now = false;
	struct blame b;

	for (; i < wait; i++) {
		const struct interval *x = &g->intervals[i];

		if (!scan_step(g))
			return false;
		if (x->state != INTERVAL_BLOCKED || !blame_same_wait(x, s) || x->wake == GRAPH_NONE)
			continue;
		blame_wait(g, i, x->to_ns, &b);
		if (b.edge == EDGE_WAKE && b.ended) {
			if (changes && x->to_ns - change_ns < DIAGNOSE_STALL_NS)
				continue;
			changes++;
			change_ns = x->to_ns;
			works_now = false;
		} else if (changes && !works_now && ended_by_child(g, x, change_ns)) {
			works_now = true;
			works++;
		}
	}
	return works > changes / 2;
}

/* Returns true if the wake-up only says that a child of vfork() has begun its program, or has ended. */
static bool ends_vfork(const struct graph *g, uint32_t task, const struct ct_rec *wake)
{
	uint32_t i = graph_interval_at(g, task, wake->ts - 1);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED &&
	       g->intervals[i].wait == CT_W_VFORK;
}

/* Returns true if the record may show that the process of `asker` asks that of `other` for something. */
static bool asks(const struct graph *g, const struct ct_rec *r, const struct link *asker,
		 const struct link *other)
{
	bool wake = r->kind == CT_WAKE;
	uint32_t from, to;
	uint64_t peer;

	if (wake ? !ct_wake_by_task(r) : r->kind != CT_SEND && r->kind != CT_SIGNAL)
		return false;
	from = graph_task_at(g, wake ? ct_wake_waker(r) : r->tid, r->ts);
	if (from == GRAPH_NONE || g->tasks[from].tgid != asker->pid)
		return false;
	if (r->kind == CT_SEND) {
		peer = graph_peer_object(g, r->obj);
		return !peer || owner_has_socket(g, other->task, peer, r->ts);
	}
	to = graph_task_at(g, wake ? r->tid : ct_signal_target(r), r->ts);
	return to != GRAPH_NONE && g->tasks[to].tgid == other->pid && !(wake && ends_vfork(g, to, r));
}

static bool has_asked(const struct graph *g, const struct link *asker, const struct link *other)
{
	const struct window_event *e = g->w->events, *end = e + g->w->n_events;

	if (graph_descends_from(g, other->task, asker->pid))
		return true;
	for (; e < end && e->r.ts < asker->to_ns; e++)
		if (!scan_step(g) || asks(g, &e->r, asker, other))
			return true;
	return false;
}

/* Returns true if the task of link k is an event loop that waits for changes of files. It also waits for
 * other things, or works for each change, without asking the process of link `changer` for one. */
static bool watches_files(const struct graph *g, const struct link *k, const struct link *changer)
{
	uint32_t wait = longest_wait(g, k);

	if (wait == GRAPH_NONE || !ct_wait_is_poll(k->wait))
		return false;
	if (blame_polls_several(g, wait))
		return blame_polls_inotify(g, wait);
	if (CT_OBJ_KIND(g->intervals[wait].obj) != CT_OBJ_INOTIFY && !blame_polls_inotify(g, wait))
		return false;
	return works_for_changes(g, wait) && !has_asked(g, k, changer);
}

/* Returns true if the victim is an event loop that a change of a file woke (with inotify), and the task that
 * made the change idles or sleeps: the victim asked nobody for the change. A task that waits for nothing but
 * one change may need it. */
static bool is_idle_watcher(const struct findings *f)
{
	const struct link *v = f->chain.links.v, *last = &v[f->chain.links.n - 1];

	return f->chain.links.n == 2 && f->chain.end == END_LEAF && v[0].edge == EDGE_WAKE && !v[0].owed &&
	       v[0].pid != last->pid && (is_pause(last) || is_idle_loop(last) || last->wait == CT_W_ACCEPT) &&
	       watches_files(f->g, &v[0], last);
}

static bool waits_for_lock(const struct link *k)
{
	return k->edge == EDGE_FILELOCK || k->edge == EDGE_LOCK || k->wait == CT_W_FLOCK ||
	       k->kind == RESOURCE_LOCK || (k->kind == RESOURCE_SEMAPHORE && k->edge == EDGE_OWNER);
}

static bool is_fellow(const struct findings *f, const struct link *a, const struct link *b)
{
	const struct graph_task *x = &f->g->tasks[a->task], *y = &f->g->tasks[b->task];

	return x->ptgid && x->ptgid == y->ptgid &&
	       graph_is_called(f->g, a->task, a->from_ns, graph_comm(f->g, b->task, b->from_ns));
}

/* Returns true if the victim waits for a lock, and the worker that has the lock waits for the next
 * client. The victim and this worker are processes of the same parent. */
static bool waits_for_its_turn(const struct findings *f)
{
	const struct link *v = f->chain.links.v;
	size_t first = v[0].wait == CT_W_CHILD, i = first;

	while (i + 1 < f->chain.links.n && waits_for_lock(&v[i]) && is_fellow(f, &v[i], &v[i + 1]))
		i++;
	return i > first && (v[i].wait == CT_W_ACCEPT || is_idle_loop(&v[i]));
}

bool normal_victim(const struct findings *f, uint64_t stall_ns, uint64_t window_ns)
{
	const struct link *first = &f->chain.links.v[0];
	bool asked = f->chain.options.window_given && first->total_ns >= window_ns / 2;

	if (stall_ns < f->stall_least_ns ||
	    (f->chain.links.n == 1 && (f->chain.end == END_UNKNOWN || f->left_out)))
		return !f->circular;
	/* a folded victim runs, or its waits are short, so it is not stuck */
	if (f->chain.links.n == 1 && f->chain.end == END_FOLDED && !f->spins &&
	    (!f->starved || first->runnable_ns < window_ns / STARVED_SHARE))
		return true;
	if (f->chain.refused)
		return false;
	if (idles(f) || is_fed(f) || is_idle_watcher(f) || waits_for_its_turn(f) ||
	    idle_client(f->g, &f->chain, 0) || idle_client_awaits_news(f->g, &f->chain, 0))
		return true;
	/* the victim is a server whose clients ask for nothing */
	if (first->server && !first->owed && f->chain.end == END_LEAF && first->wait != CT_W_WRITE &&
	    f->chain.leaf.kind != RESOURCE_NONE && !chain_waits_for_files(&f->chain) &&
	    !chain_has_edge(&f->chain, EDGE_LOCK) && !chain_has_edge(&f->chain, EDGE_FILELOCK) &&
	    !chain_has_edge(&f->chain, EDGE_POLLED))
		return true;
	if (!asked && first->total_ns < first->waits * DIAGNOSE_QUICK_NS &&
	    (first->longest_ns < DIAGNOSE_STALL_NS || first->longest_ns < first->total_ns / 2) &&
	    !first->unfinished && !root_cause_starved(f) &&
	    (first->edge == EDGE_MESSAGE || first->edge == EDGE_PIPE || first->edge == EDGE_EVENTFD))
		return true;
	if (f->starved && (first->state == LINK_RUNNABLE || first->state == LINK_FOLDED) &&
	    first->runnable_ns < window_ns / STARVED_SHARE)
		return true;
	return !f->chatty && f->chain.links.n > 1 && chain_only_children(&f->chain) &&
	       f->chain.end == END_RUNNING && !f->spins && stall_ns < DIAGNOSE_CHILD_BUSY_NS;
}
