// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/against_find.h"
#include "analysis/compare/missing_wake_find.h"
#include "lib/cleanup.h"

static uint32_t link_interval(const struct graph *g, const struct link *k)
{
	const struct graph_task *t = &g->tasks[k->task];
	uint32_t i = graph_interval_at(g, k->task, k->from_ns), best = GRAPH_NONE;
	uint64_t best_ns = 0;

	for (; i != GRAPH_NONE && i < t->first_interval + t->n_intervals; i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t from = MAX(s->from_ns, k->from_ns), to = MIN(s->to_ns, k->to_ns);

		if (from >= k->to_ns)
			break;
		if (s->state == INTERVAL_BLOCKED && s->wait == k->wait && to > from && to - from > best_ns) {
			best = i;
			best_ns = to - from;
		}
	}
	return best;
}

static bool is_open(const struct findings *f, size_t i)
{
	const struct link *k = &f->chain.links.v[i];

	switch (k->wait) {
	case CT_W_FUTEX:
	case CT_W_READ:
	case CT_W_POLL:
	case CT_W_EPOLL:
	case CT_W_SIGNAL:
		break;
	default:
		return false;
	}
	if (i + 1 == f->chain.links.n)
		return f->chain.end == END_LEAF && !f->chain.leaf.ended && f->chain.leaf.task == GRAPH_NONE;
	return k->edge == EDGE_OWNER && k->strength == EDGE_WEAK;
}

/* Returns true if the named task certainly does not idle: in earlier waits, a timer of its own woke
 * it regularly, and now it is stuck or has ended. */
static bool beyond_doubt(const struct graph *g, const struct missing_wake *m)
{
	uint32_t pid = g->tasks[g->intervals[m->wait].task].tgid;
	const struct interval *s = m->instead == GRAPH_NONE ? NULL : &g->intervals[m->instead];

	for (uint32_t i = 0; i < m->n_steps; i++)
		if (g->tasks[m->steps[i].task].tgid != pid)
			return false;
	if (!m->regular || !m->own_accord || m->late || !missing_wake_is_sure(m))
		return false;
	return m->how == MISSING_ENDED ||
	       (m->how == MISSING_ELSEWHERE &&
		((s->wait == CT_W_FUTEX && graph_futex_owner(g, s)) || s->wait == CT_W_FLOCK ||
		 s->wait == CT_W_WRITE || s->wait == CT_W_STOPPED));
}

static bool says_more(const struct findings *f, size_t i, bool normal)
{
	const struct chain *c = &f->chain;
	const struct missing_wake *m = f->missing;

	if (c->asked || m->late || CT_OBJ_KIND(c->links.v[i].obj) == CT_OBJ_SOCK)
		return false;
	if (normal && !beyond_doubt(f->g, m))
		return false;
	/* the chain names this task already, but not that it has ended */
	if (i + 2 == c->links.n && c->end == END_UNKNOWN && m->how == MISSING_ENDED && m->n_steps == 1 &&
	    c->links.v[i + 1].task == m->steps[0].task)
		return true;
	if (i + 1 < c->links.n && c->links.v[i + 1].task == m->steps[0].task)
		return false;
	return !chain_has_task(c, i + 1, missing_wake_named(m)->task);
}

static void end_here(struct chain *c)
{
	c->end = END_UNKNOWN;
	c->leaf = (struct blame){
		.task = GRAPH_NONE, .event = GRAPH_NONE, .kind = RESOURCE_UNKNOWN, .time = TIME_UNKNOWN
	};
}

static int push_ended(const struct graph *g, const struct missing_wake *m, struct chain *tail)
{
	const struct graph_task *t = &g->tasks[missing_wake_named(m)->task];
	struct link k = { .task = missing_wake_named(m)->task,
			  .pid = t->tgid,
			  .tid = t->tid,
			  .state = LINK_EXITED,
			  .kind = RESOURCE_UNKNOWN,
			  .from_ns = t->exit_ns,
			  .to_ns = MAX(m->wait_to_ns, t->exit_ns) };

	snprintf(k.comm, sizeof(k.comm), "%s", graph_comm(g, k.task, t->exit_ns - 1));
	k.resource = strdup("");
	if (!k.resource || VEC_PUSH(&tail->links, k)) {
		free(k.resource);
		return -ENOMEM;
	}
	end_here(tail);
	return 0;
}

static int move_links(struct chain *to, struct chain *from, bool all, enum edge_strength strength)
{
	for (size_t i = 0; i < (all ? from->links.n : 1); i++) {
		if (VEC_PUSH(&to->links, from->links.v[i]))
			return -ENOMEM;
		from->links.v[i].resource = NULL;
	}
	if (!all) {
		to->links.v[to->links.n - 1].edge = EDGE_OWNER;
		to->links.v[to->links.n - 1].strength = strength;
		return 0;
	}
	chain_take_end(to, from);
	return 0;
}

static int push_step(const struct findings *f, uint32_t at, enum edge_strength strength, struct chain *tail)
{
	const struct missing_wake *m = f->missing;
	const struct missing_wake_step *step = &m->steps[at];
	struct diagnose_options options = { .rules = f->chain.options.rules };
	bool last = at + 1 == m->n_steps;
	struct chain sub = { 0 };
	struct path *p = NULL;
	int r;

	if (last && m->how == MISSING_ENDED)
		return push_ended(f->g, m, tail);
	r = path_walk(f->g, step->task, step->from_ns, step->to_ns, &p);
	if (!r)
		r = chain_build(f->g, p, &options, &sub);
	if (!r && last && m->how == MISSING_SILENT && sub.links.n > 1) {
		/* the first task of `sub` still does its usual things: no other task holds it up */
		while (sub.links.n > 1)
			free(sub.links.v[--sub.links.n].resource);
		sub.links.v[0].edge = 0;
		end_here(&sub);
	}
	if (!r)
		r = sub.links.n ? move_links(tail, &sub, last, strength) : -EINVAL;
	chain_done(&sub);
	path_free(p);
	return r;
}

static int graft(struct findings *f, size_t i, enum edge_strength strength, struct chain *tail)
{
	struct chain *c = &f->chain;

	if (VEC_RESERVE(&c->links, i + 1 + tail->links.n))
		return -ENOMEM;
	while (c->links.n > i + 1)
		free(c->links.v[--c->links.n].resource);
	memcpy(&c->links.v[c->links.n], tail->links.v, tail->links.n * sizeof(*tail->links.v));
	c->links.n += tail->links.n;
	tail->links.n = 0;
	c->links.v[i].edge = EDGE_OWNER;
	c->links.v[i].strength = strength;
	chain_take_end(c, tail);
	f->by_comparison = true;
	f->pool = 0;
	f->spins = f->starved = f->circular = f->on_disk = false;
	f->cpu = (struct contention){ .task = GRAPH_NONE };
	return root_cause_find(f);
}

static int go_on(struct findings *f, size_t i)
{
	enum edge_strength strength = missing_wake_is_sure(f->missing) ? EDGE_BOOSTED : EDGE_WEAK;
	struct chain tail = { 0 };
	int r = 0;

	for (uint32_t at = 0; at < f->missing->n_steps && !r; at++)
		r = push_step(f, at, strength, &tail);
	for (size_t k = 0; k < tail.links.n && !r; k++)
		for (size_t j = 0; j <= i && !r; j++)
			if (f->chain.links.v[j].task == tail.links.v[k].task)
				r = -ELOOP;
	if (!r && i + 1 + tail.links.n <= DIAGNOSE_MAX_CHAIN)
		r = graft(f, i, strength, &tail);
	chain_done(&tail);
	return r == -ENOMEM ? r : 0;
}

static uint32_t examined(const struct findings *f, size_t i)
{
	const struct link *k = &f->chain.links.v[i];
	uint32_t interval = link_interval(f->g, k);

	/* in a coarse stretch, most wake-ups have no record */
	if (interval != GRAPH_NONE &&
	    graph_lacks_within(f->g, f->g->intervals[interval].from_ns, k->to_ns) & CT_LACK_SWITCHES)
		return GRAPH_NONE;
	return interval;
}

int comparison_against(struct findings *f)
{
	const struct chain *c = &f->chain;
	int r;

	if (f->circular || root_cause_starved(f) || f->missing)
		return 0;
	for (size_t i = 0; i < c->links.n; i++) {
		uint32_t interval = is_open(f, i) ? examined(f, i) : GRAPH_NONE;

		if (interval == GRAPH_NONE)
			continue;
		r = against_find(f->g, interval, c->links.v[i].to_ns, f->against, &f->missing);
		if (r)
			return r;
		if (f->against->result == AGAINST_NO_TASK || f->against->result == AGAINST_NO_WAIT)
			continue;
		if (!f->missing)
			return 0;
		if (says_more(f, i, false))
			return go_on(f, i);
		return 0;
	}
	return 0;
}

int comparison_apply(struct findings *f, bool normal)
{
	const struct chain *c = &f->chain;
	uint32_t interval;
	int r = 0;

	if (f->circular || root_cause_starved(f))
		return 0;
	for (size_t i = 0; i < c->links.n; i++) {
		bool open = is_open(f, i);

		/* Two sorts of waits are compared:
		 * - an open wait: ctrace does not know which task has to end it, or only guesses this task;
		 * - the victim's own wait, if it has ended: its wake-up may have come late. */
		if (!open && (i || normal || c->links.v[i].unfinished))
			continue;
		interval = examined(f, i);
		if (interval == GRAPH_NONE)
			continue;
		r = missing_wake_find(f->g, interval, c->links.v[i].to_ns, &f->missing);
		if (r)
			return r;
		if (f->missing && missing_wake_is_good(f->missing)) {
			if (open && says_more(f, i, normal))
				return go_on(f, i);
			if (!normal)
				return 0;
		}
		missing_wake_free(TAKE_PTR(f->missing));
	}
	return 0;
}
