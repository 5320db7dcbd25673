// SPDX-License-Identifier: GPL-2.0-or-later
#include "graph/causal/pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

uint32_t pass_task(struct pass *p, uint32_t tid, uint64_t ts_ns)
{
	const struct graph *g = p->g;
	uint32_t task;

	if (!tid)
		return GRAPH_NONE;
	if (tid >= p->n_tids)
		return tid < TIDS_MAX ? GRAPH_NONE : graph_task_at(g, tid, ts_ns);
	task = p->by_tid[tid];
	while (task != GRAPH_NONE && p->work[task].next_ns <= ts_ns && p->work[task].next_ns != UINT64_MAX)
		p->by_tid[tid] = ++task;
	return task;
}

bool pass_same_process(const struct pass *p, uint32_t a, uint32_t b)
{
	return p->g->tasks[a].tgid == p->g->tasks[b].tgid;
}

static int pass_number_segment(struct pass *p, uint32_t task, const struct open_segment *s)
{
	struct work *w = &p->work[task];

	if (w->next_segment % SEGMENT_BLOCK == 0) {
		if (VEC_PUSH(&p->segment_tasks, task))
			return -ENOMEM;
		w->next_segment = (uint32_t)(p->segment_tasks.n - 1) * SEGMENT_BLOCK;
	}
	w->was = w->now;
	w->now = *s;
	w->before = w->segment;
	w->segment = w->next_segment++;
	return 0;
}

int pass_add_segment(struct pass *p, uint32_t task, const struct open_segment *s)
{
	struct work *w = &p->work[task];

	if (p->links)
		return pass_number_segment(p, task, s);
	if (VEC_PUSH(&p->segments, *s))
		return -ENOMEM;
	w->before = w->segment;
	w->segment = (uint32_t)p->segments.n - 1;
	return 0;
}

uint32_t pass_first_segment(struct pass *p, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &p->g->tasks[task];
	struct work *w = &p->work[task];

	if (t->n_intervals)
		ts_ns = MIN(ts_ns, p->g->intervals[t->first_interval].from_ns);
	if (pass_add_segment(p, task,
			     &(struct open_segment){ .from_ns = ts_ns,
						     .task = task,
						     .event = GRAPH_NONE,
						     .behalf = GRAPH_NONE,
						     .cut = CUT_FIRST })) {
		p->err = -ENOMEM;
		return GRAPH_NONE;
	}
	w->interval = t->first_interval;
	return w->segment;
}

static bool policy_edge(const struct pass *p, const struct edge *e)
{
	switch (p->policy) {
	case POLICY_PANAPPTICON:
		return p->e[e->event].r.kind == CT_WAKE || e->kind == EDGE_JOB || e->kind == EDGE_FORK;
	case POLICY_APPINSIGHT:
		if (e->kind != EDGE_POST && e->kind != EDGE_JOB && e->kind != EDGE_FORK &&
		    e->kind != EDGE_EVENTFD && e->kind != EDGE_PIPE)
			return false;
		return e->from != GRAPH_NONE &&
		       pass_same_process(p, pass_task_of(p, e->from), pass_task_of(p, e->to));
	case POLICY_CTRACE:
		break;
	}
	return true;
}

/* Returns true if an edge of this kind proves that its cause happened before its effect. Example: no
 * message is received before it is sent. */
static bool states_order(uint8_t kind)
{
	switch ((enum edge_kind)kind) {
	case EDGE_WAKE:
	case EDGE_LOCK:
	case EDGE_POST:
	case EDGE_MESSAGE:
	case EDGE_PIPE:
	case EDGE_EVENTFD:
	case EDGE_EXIT:
	case EDGE_SIGNAL:
	case EDGE_FORK:
	case EDGE_FILELOCK:
	case EDGE_FUSE:
	case EDGE_KERNEL_LOCK:
	case EDGE_VFORK:
	case EDGE_FLAG:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_LOCK_ORDER:
		return true;
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
		break;
	}
	return false;
}

void pass_link(struct pass *p, uint32_t to, const struct causal_link *link)
{
	int r = link->from == to ? 0 : causal_link_add(&p->links->to[to], link);

	if (r)
		p->err = r;
}

static void pass_link_edge(struct pass *p, const struct edge *e)
{
	struct causal_link link = { .from = e->from == GRAPH_NONE ? GRAPH_NONE : pass_task_of(p, e->from),
				    .event = e->event,
				    .cause = e->cause };

	if (link.from != GRAPH_NONE && states_order(e->kind))
		pass_link(p, pass_task_of(p, e->to), &link);
}

uint32_t pass_edge(struct pass *p, const struct edge *e)
{
	struct edge copy;

	if (e->to == GRAPH_NONE || !policy_edge(p, e))
		return GRAPH_NONE;
	if (!p->wants_edges) {
		if (p->links && p->e[e->event].r.kind != CT_WAKE)
			pass_link_edge(p, e);
		return GRAPH_NONE;
	}
	if (p->edges.n >= GRAPH_NONE - 1) {
		p->err = -E2BIG;
		return GRAPH_NONE;
	}
	copy = *e;
	if (p->policy == POLICY_PANAPPTICON)
		copy.strength = EDGE_STRONG;
	if (VEC_PUSH(&p->edges, copy)) {
		p->err = -ENOMEM;
		return GRAPH_NONE;
	}
	return (uint32_t)p->edges.n - 1;
}

int pass_init(struct pass *p, const struct graph *g, const struct causal_options *o)
{
	static const uint32_t cuts[] = {
		[POLICY_CTRACE] = CUT_BIT(CUT_FIRST) | CUT_BIT(CUT_IDLE) | CUT_BIT(CUT_JOB) |
				  CUT_BIT(CUT_BATCH) | CUT_BIT(CUT_PEERS) | CUT_BIT(CUT_EXEC),
		[POLICY_PANAPPTICON] = CUT_BIT(CUT_FIRST) | CUT_BIT(CUT_JOB) | CUT_BIT(CUT_WAKE),
		[POLICY_APPINSIGHT] = CUT_BIT(CUT_FIRST) | CUT_BIT(CUT_IDLE) | CUT_BIT(CUT_JOB),
	};
	uint32_t top = 0;

	*p = (struct pass){ .g = g, .e = g->w->events, .policy = o ? o->policy : POLICY_CTRACE };
	p->cuts = cuts[p->policy] & ~(o ? o->cuts_off : 0);
	p->from_ns = o ? o->from_ns : 0;
	p->to_ns = o && o->to_ns ? o->to_ns : UINT64_MAX;
	for (size_t i = 0; i < g->n_tasks; i++)
		if (g->tasks[i].tid < TIDS_MAX)
			top = MAX(top, g->tasks[i].tid);
	p->n_tids = top + 1;
	p->by_tid = malloc(p->n_tids * sizeof(*p->by_tid));
	p->work = malloc((g->n_tasks + 1) * sizeof(*p->work));
	if (!p->by_tid || !p->work)
		return -ENOMEM;
	memset(p->by_tid, 0xff, p->n_tids * sizeof(*p->by_tid));
	for (size_t i = g->n_tasks; i-- > 0;) {
		const struct graph_task *next = i + 1 < g->n_tasks && g->tasks[i + 1].tid == g->tasks[i].tid
							? &g->tasks[i + 1]
							: NULL;

		p->work[i] = (struct work){ .interval = g->tasks[i].first_interval,
					    .next_ns = next ? next->from_ns : UINT64_MAX,
					    .segment = GRAPH_NONE,
					    .before = GRAPH_NONE,
					    .parted = GRAPH_NONE,
					    .flow = GRAPH_NONE,
					    .wake_edge = GRAPH_NONE,
					    .woken = GRAPH_NONE };
		if (g->tasks[i].tid < p->n_tids)
			p->by_tid[g->tasks[i].tid] = (uint32_t)i;
	}
	return flow_init(&p->flows, g);
}

void pass_drop(struct pass *p)
{
	free(p->by_tid);
	free(p->work);
	free(p->plain);
	p->by_tid = NULL;
	p->work = NULL;
	p->plain = NULL;
	flow_done(&p->flows);
	VEC_FREE(&p->origins);
	VEC_FREE(&p->hands);
	map_done(&p->jobs);
	map_done(&p->jobs_begun);
	map_done(&p->jobs_open);
	map_done(&p->jobs_cut);
	map_done(&p->jobs_off);
	map_done(&p->variables);
	map_done(&p->locks);
	map_done(&p->signals);
	map_done(&p->futexes);
	map_done(&p->seen_locks);
}

void pass_done(struct pass *p)
{
	pass_drop(p);
	VEC_FREE(&p->segments);
	VEC_FREE(&p->segment_tasks);
	VEC_FREE(&p->edges);
	VEC_FREE(&p->stacks);
	VEC_FREE(&p->requests);
	VEC_FREE(&p->parts);
	VEC_FREE(&p->turns);
	for (size_t i = 0; i < p->loops.n; i++) {
		VEC_FREE(&p->loops.v[i].fresh.v);
		VEC_FREE(&p->loops.v[i].waiting.v);
		VEC_FREE(&p->loops.v[i].released);
	}
	VEC_FREE(&p->loops);
	map_done(&p->loop_of);
	for (size_t i = 0; i < p->pools.n; i++)
		VEC_FREE(&p->pools.v[i].v);
	VEC_FREE(&p->pools);
	map_done(&p->pool_of);
	VEC_FREE(&p->streams);
	VEC_FREE(&p->receives);
	VEC_FREE(&p->sends);
	map_done(&p->streams_open);
	map_done(&p->streams_sent);
	map_done(&p->stream_processes);
}

uint32_t pass_flow(struct pass *p, uint64_t sock)
{
	uint32_t f = flow_at(&p->flows, p->g, sock);

	if (f == GRAPH_NONE)
		p->err = -ENOMEM;
	return f;
}

uint32_t pass_flow_of(struct pass *p, uint32_t task, uint64_t sock)
{
	const struct work *w = &p->work[task];

	return w->flow != GRAPH_NONE && w->spoke == sock ? w->flow : pass_flow(p, sock);
}

enum flow_role pass_role(struct pass *p, uint64_t sock)
{
	uint32_t f = pass_flow(p, sock);

	return f == GRAPH_NONE ? ROLE_UNKNOWN : (enum flow_role)p->flows.v.v[f].role;
}

uint32_t pass_user(struct pass *p, uint64_t sock)
{
	uint32_t f = sock ? pass_flow(p, sock) : GRAPH_NONE;

	return f == GRAPH_NONE ? GRAPH_NONE : p->flows.v.v[f].user;
}

uint32_t pass_client(const struct pass *p, uint64_t client)
{
	uint64_t f;

	/* A number up to GRAPH_NONE means 1 + a task, because ids of sockets are larger. In a damaged
	 * trace, the id of a socket may be as small. So check that there is such a task. */
	if (client <= GRAPH_NONE)
		return client - 1 < p->g->n_tasks ? (uint32_t)(client - 1) : GRAPH_NONE;
	return map_get(&p->flows.by_sock, client, &f) ? p->flows.v.v[f].client : GRAPH_NONE;
}
