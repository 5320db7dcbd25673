// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/idle.h"

#include "analysis/thresholds.h"
#include "graph/wake/blame.h"
#include "lib/bisect.h"
#include "lib/checked.h"
#include "lib/cleanup.h"

bool idle_wait(const struct interval *s)
{
	return s->state == INTERVAL_BLOCKED &&
	       (ct_wait_is_poll(s->wait) || s->wait == CT_W_ACCEPT || s->wait == CT_W_URING);
}

/* Returns how long the connection of `child` was used for other requests in [from, to). Sets *ret
 * to the last of these requests. Returns 0 if `child` did not wait for the end of these requests.
 * This is so in these cases:
 * - Several requests may use the connection at the same time.
 * - One of these requests has the same parent as `child`.
 * - One of these requests has no answer, or ended after `to`. */
static uint64_t used_ns(const struct parts *p, uint32_t child, uint64_t from, uint64_t to, uint32_t *ret)
{
	const struct request *v = p->r->v;
	uint64_t ns = 0;
	uint32_t at = p->before[child];

	*ret = at;
	for (unsigned i = 0; at != GRAPH_NONE && i < CONNECTION_LOOKS; i++, at = p->before[at]) {
		uint64_t begun = request_from_ns(p->g, &v[at]), ended;

		if (v[at].answered == GRAPH_NONE || v[at].shared || v[at].stream || v[child].shared ||
		    v[at].parent == v[child].parent)
			return 0;
		ended = request_to_ns(p->g, &v[at]);
		if (ended > to)
			return 0;
		ns += checked_sub(ended, MAX(begun, from));
		if (begun <= from)
			break;
	}
	return ns;
}

/* Returns the last idle wait of the task that ends in (from_ns, ts_ns], or GRAPH_NONE. */
static uint32_t last_idle(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t ts_ns)
{
	uint32_t first = g->tasks[task].first_interval, i = ts_ns ? graph_interval_at(g, task, ts_ns - 1) : 0;

	if (!ts_ns || i == GRAPH_NONE)
		return GRAPH_NONE;
	for (;; i--) {
		if (g->intervals[i].to_ns <= from_ns)
			return GRAPH_NONE;
		if (idle_wait(&g->intervals[i]) && g->intervals[i].to_ns <= ts_ns)
			return i;
		if (i == first)
			return GRAPH_NONE;
	}
}

static uint32_t actor(const struct parts *p, uint32_t request, uint32_t child)
{
	return child == GRAPH_NONE ? p->r->v[request].answerer : p->r->v[child].client;
}

struct idle_reason idle_reason(const struct parts *p, uint32_t request, uint32_t child, uint64_t from_ns,
			       uint64_t to_ns)
{
	struct idle_reason ret = { .behind = GRAPH_NONE, .kind = PART_WORK };
	uint32_t other = GRAPH_NONE, task = actor(p, request, child), i;
	uint64_t used = child == GRAPH_NONE ? 0 : used_ns(p, child, from_ns, to_ns, &other);
	struct blame b;

	if (used && (to_ns - from_ns - MIN(used, to_ns - from_ns)) * CONNECTION_FREE <= to_ns - from_ns) {
		ret.kind = PART_CONNECTION;
		ret.behind = other;
		ret.until_ns = request_to_ns(p->g, &p->r->v[other]);
		return ret;
	}
	i = task == GRAPH_NONE ? GRAPH_NONE : last_idle(p->g, task, from_ns, to_ns);
	if (i == GRAPH_NONE)
		return ret;
	blame_wait(p->g, i, to_ns, &b);
	if (b.timed_out) {
		ret.kind = PART_TIMER;
		ret.until_ns = p->g->intervals[i].to_ns;
	}
	return ret;
}

static bool is_of_client(const struct parts *p, uint64_t sock)
{
	const struct request *v = p->r->v;
	size_t i = BISECT(k, 0, p->r->n, v[p->by_sock[k]].sock >= sock);

	return i < p->r->n && v[p->by_sock[i]].sock == sock && v[p->by_sock[i]].got != GRAPH_NONE;
}

bool idle_for_client(const struct parts *p, uint32_t request, uint32_t interval)
{
	const struct graph *g = p->g;
	const struct request *q = &p->r->v[request];
	struct blame b;

	if (!idle_wait(&g->intervals[interval]))
		return false;
	blame_wait(g, interval, g->intervals[interval].to_ns, &b);
	if (b.task == GRAPH_NONE || b.obj == q->sock)
		return false;
	return is_of_client(p, b.obj) ||
	       (q->client != GRAPH_NONE && g->tasks[b.task].tgid == g->tasks[q->client].tgid);
}
