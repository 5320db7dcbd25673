// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/contention/pool.h"

#include <string.h>
#include <sys/socket.h>

#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/nat.h"
#include "graph/wake/owner.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

/* A futex with an owner is a lock, so a wait for it is no wait for work. */
static bool is_idle(const struct graph *g, const struct interval *s)
{
	return s->state == INTERVAL_BLOCKED && ((s->wait == CT_W_FUTEX && !graph_futex_owner(g, s)) ||
						ct_wait_is_poll(s->wait) || s->wait == CT_W_ACCEPT);
}

static bool busy_throughout(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t busy = 0;

	for (uint32_t i = graph_interval_at(g, task, from_ns);
	     i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &g->intervals[i];

		if (s->from_ns >= to_ns)
			break;
		if (s->state != INTERVAL_UNKNOWN && s->state != INTERVAL_FOLDED && !is_idle(g, s))
			busy += MIN(s->to_ns, to_ns) - MAX(s->from_ns, from_ns);
	}
	return busy >= (to_ns - from_ns) / 10 * POOL_BUSY_TENTHS;
}

static uint64_t idle_futex(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t best = 0, best_ns = 0;

	for (uint32_t i = t->first_interval; i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &g->intervals[i];

		if (is_idle(g, s) && s->wait == CT_W_FUTEX && s->to_ns - s->from_ns > best_ns) {
			best_ns = s->to_ns - s->from_ns;
			best = s->obj;
		}
	}
	return best;
}

static bool accepts_on(const struct graph *g, uint32_t task, uint64_t obj)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->fds, obj, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (g->w->events[r[i].event].r.tid == g->tasks[task].tgid)
			return true;
	/* a worker inherits listening sockets from its parent */
	for (size_t i = 0; i < n && scan_step(g); i++)
		if (g->w->events[r[i].event].r.tid == g->tasks[task].ptgid)
			return true;
	return false;
}

/* Returns the socket that says where the connection of `sock` leads, or NULL. `sock` is the socket of the
 * client. Before a unix connection is accepted, only its other end has the name of the listening socket. */
static const struct window_object *asks_for(const struct graph *g, uint64_t sock)
{
	const struct window_object *o = graph_object(g, sock);
	uint64_t peer = o ? graph_peer_object(g, sock) : 0;

	if (!o || CT_OBJ_KIND(sock) != CT_OBJ_SOCK || o->type != SOCK_STREAM)
		return NULL;
	return o->family == AF_UNIX && peer ? graph_object(g, peer) : o;
}

static enum listens best_match(const struct graph *g, const struct window_object *o)
{
	enum listens best = LISTENS_NOT;
	size_t n;
	const struct graph_ref *r = graph_listening(g, o->family, o->type, o->rport, o->name, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		best = MAX(best, graph_listens_for(g, &g->w->objects[r[i].event], o));
	return best;
}

/* Returns true if the process of `task` has a socket that may get the connection for which o asks: one of
 * those that match best. Each worker may have such a socket of its own (SO_REUSEPORT). */
static bool may_accept(const struct graph *g, uint32_t task, const struct window_object *o, enum listens best)
{
	size_t n;
	const struct graph_ref *r = graph_listening(g, o->family, o->type, o->rport, o->name, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct window_object *l = &g->w->objects[r[i].event];

		if (graph_listens_for(g, l, o) == best && accepts_on(g, task, l->id))
			return true;
	}
	return false;
}

bool pool_may_accept(const struct graph *g, uint32_t task, uint64_t sock)
{
	const struct window_object *o = asks_for(g, sock);
	enum listens best = o ? best_match(g, o) : LISTENS_NOT;

	return best != LISTENS_NOT && may_accept(g, task, o, best);
}

bool pool_same_server(const struct graph *g, uint64_t a, uint64_t b)
{
	const struct window_object *x = asks_for(g, a), *y = asks_for(g, b);

	if (!x || !y || x->family != y->family || graph_peer_object(g, b) & CT_OBJ_NOT_ACCEPTED)
		return false;
	return x->family == AF_UNIX
		       ? *x->name && window_object_same_name(x, y)
		       : x->rport && x->rport == y->rport && !memcmp(x->raddr, y->raddr, sizeof(x->raddr));
}

bool pool_serves(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns)
{
	const struct window_object *o = asks_for(g, sock);

	return o && owner_serves(g, task, o, graph_peer_object(g, sock), ts_ns);
}

/* Returns the first record of the last request that was sent on sock up to ts_ns, or NULL: the first send
 * after the last answer. If the record of this send is missing, returns the last send of all. */
static const struct graph_ref *last_request(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	const struct graph_ref *answer = graph_ref_before(g, &g->recvs, sock, ts_ns), *r;
	size_t n;

	r = graph_refs_from(g, &g->sends, sock, answer ? g->w->events[answer->event].r.ts : 0, &n);
	while (n && answer && r->event < answer->event && scan_step(g)) {
		r++;
		n--;
	}
	return n && g->w->events[r->event].r.ts <= ts_ns ? r : graph_ref_before(g, &g->sends, sock, ts_ns);
}

/* Returns the last record up to ts_ns which shows that the other end has received a part of the last request
 * on sock, or NULL. */
static const struct window_event *receipt(const struct graph *g, uint64_t sock, uint64_t ts_ns)
{
	uint64_t peer = graph_peer_object(g, sock);
	const struct graph_ref *sent = last_request(g, sock, ts_ns);
	const struct graph_ref *got = peer ? graph_ref_before(g, &g->recvs, peer, ts_ns) : NULL;

	return sent && got && got->event > sent->event ? &g->w->events[got->event] : NULL;
}

static uint32_t pool_of_processes(const struct graph *g, uint32_t task, uint64_t sock, uint64_t from_ns,
				  uint64_t to_ns)
{
	const struct window_object *o = asks_for(g, sock);
	enum listens best = o ? best_match(g, o) : LISTENS_NOT;
	uint32_t parent = g->tasks[task].ptgid, workers = 0;
	const char *comm = graph_comm(g, task, to_ns);
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, parent, &n);

	if (best == LISTENS_NOT || !parent || !may_accept(g, task, o, best) ||
	    receipt(g, sock, from_ns + (to_ns - from_ns) / 2))
		return 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t c = r[i].event;

		if (g->tasks[c].exit_ns < to_ns || g->tasks[c].born_ns > from_ns ||
		    !may_accept(g, c, o, best) || !graph_is_called(g, c, to_ns, comm))
			continue;
		if (!busy_throughout(g, c, from_ns, to_ns))
			return 0;
		workers++;
	}
	return workers > 1 ? workers : 0;
}

uint32_t pool_workers(const struct graph *g, uint32_t task, uint64_t sock, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t workers = 0;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, g->tasks[task].tgid, &n);
	const char *comm = graph_comm(g, task, to_ns);
	const struct window_event *got;
	uint64_t idle;

	if (g->tasks[task].tid == g->tasks[task].tgid)
		return pool_of_processes(g, task, sock, from_ns, to_ns);
	got = receipt(g, sock, from_ns + (to_ns - from_ns) / 2);
	if (got && got->r.tid == g->tasks[task].tid)
		return 0;
	idle = idle_futex(g, task);
	for (size_t i = 0; i < n; i++) {
		uint32_t x = r[i].event;
		uint64_t other;

		if (g->tasks[x].exit_ns < from_ns || g->tasks[x].born_ns > to_ns ||
		    g->tasks[x].tid == g->tasks[x].tgid)
			continue;
		other = x == task ? idle : idle_futex(g, x);
		if (idle && other ? GRAPH_FUTEX_KEY(idle) != GRAPH_FUTEX_KEY(other)
				  : !graph_is_called(g, x, to_ns, comm))
			continue;
		if (!busy_throughout(g, x, from_ns, to_ns)) {
			if (idle && other)
				return 0;
			continue;
		}
		workers++;
	}
	return workers > 1 ? workers : 0;
}

uint32_t pool_process(const struct graph *g, uint32_t task)
{
	const struct graph_task *t = &g->tasks[task];

	return t->tid == t->tgid ? t->ptgid : t->tgid;
}

/* A connection, and the part of the wait for it that counts. best: what listening sockets must return for it
 * (graph_listens_for()) */
struct queued {
	const struct window_object *o;
	enum listens best;
	uint64_t from_ns, to_ns;
};

/* The descriptor table of a process has all its sockets. Returns true if the table of the process was
 * recorded in the second half of the wait, together with a socket that listens for the connection, and no
 * records are missing up to that time. */
static bool has_table(const struct graph *g, uint32_t process, const struct queued *q)
{
	uint64_t half_ns = q->from_ns + (q->to_ns - q->from_ns) / 2;
	size_t n, n_fds;
	const struct graph_ref *r,
		*l = graph_listening(g, q->o->family, q->o->type, q->o->rport, q->o->name, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		if (graph_listens_for(g, &g->w->objects[l[i].event], q->o) != q->best)
			continue;
		r = graph_refs_from(g, &g->fds, g->w->objects[l[i].event].id, half_ns, &n_fds);
		for (size_t k = 0; k < n_fds && scan_step(g); k++) {
			const struct window_event *e = &g->w->events[r[k].event];

			if (e->r.ts >= q->to_ns)
				break;
			if (e->r.tid == process)
				return !graph_may_lack(g, CT_LACK_MESSAGES, q->from_ns, e->r.ts);
		}
	}
	return false;
}

/* All messages of the process in the wait are recorded. graph_may_lack() has to be asked too. */
static bool was_not_capped(const struct graph *g, uint32_t process, const struct queued *q)
{
	return !graph_process_was_capped(g, process, q->from_ns, q->to_ns);
}

static bool has_ended(const struct graph *g, uint32_t process, uint64_t ts_ns)
{
	uint32_t task = graph_task_at(g, process, ts_ns);

	return task == GRAPH_NONE || g->tasks[task].exit_ns < ts_ns;
}

/* Returns true if `holds` is true for each process that has a socket that listens for the connection, and for
 * each child of `parent` that may have inherited one. */
static bool holds_for_all(const struct graph *g, uint32_t parent, const struct queued *q,
			  bool (*holds)(const struct graph *g, uint32_t process, const struct queued *q))
{
	size_t n, n_fds, n_children;
	const struct graph_ref *l = graph_listening(g, q->o->family, q->o->type, q->o->rport, q->o->name, &n);
	const struct graph_ref *fds, *c = graph_refs(&g->children, parent, &n_children);

	for (size_t i = 0; i < n; i++) {
		if (graph_listens_for(g, &g->w->objects[l[i].event], q->o) != q->best)
			continue;
		fds = graph_refs(&g->fds, g->w->objects[l[i].event].id, &n_fds);
		for (size_t k = 0; k < n_fds; k++) {
			uint32_t process = g->w->events[fds[k].event].r.tid;

			if (!scan_step(g) || (!has_ended(g, process, q->to_ns) && !holds(g, process, q)))
				return false;
		}
	}
	for (size_t i = 0; parent && i < n_children; i++) {
		const struct graph_task *t = &g->tasks[c[i].event];

		if (!scan_step(g) || (t->exit_ns >= q->to_ns && may_accept(g, c[i].event, q->o, q->best) &&
				      !holds(g, t->tgid, q)))
			return false;
	}
	return true;
}

bool pool_is_unaccepted(const struct graph *g, uint64_t sock, uint32_t server, uint64_t from_ns,
			uint64_t to_ns)
{
	struct queued q = { .o = asks_for(g, sock), .from_ns = from_ns, .to_ns = to_ns };
	uint64_t peer = graph_peer_object(g, sock);
	uint32_t parent = g->tasks[server].ptgid;

	q.best = q.o ? best_match(g, q.o) : LISTENS_NOT;
	if (q.best == LISTENS_NOT || !may_accept(g, server, q.o, q.best))
		return false;
	if (peer)
		return peer & CT_OBJ_NOT_ACCEPTED && ((!graph_may_lack(g, CT_LACK_MESSAGES, from_ns, to_ns) &&
						       holds_for_all(g, parent, &q, was_not_capped)) ||
						      holds_for_all(g, parent, &q, has_table));
	return has_table(g, g->tasks[server].tgid, &q) && holds_for_all(g, parent, &q, has_table) &&
	       !nat_is_accepted(g, sock);
}

void pool_words(const struct graph *g, uint32_t workers, uint32_t process, uint64_t at_ns, struct words *t)
{
	uint32_t task = graph_task_at(g, process, at_ns);
	char comm[64];

	describe_clean(task == GRAPH_NONE ? "?" : graph_comm(g, task, at_ns), comm, sizeof(comm));
	words_add(t, "all %u workers of %s[%u] were busy", workers, comm, process);
}
