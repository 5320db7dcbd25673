// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/chain.h"

#include <stdio.h>
#include <string.h>

#include "analysis/words.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "trace/describe.h"

enum group_type { GROUP_CPU, GROUP_TASK, GROUP_LEAF, GROUP_UNKNOWN };

struct group {
	enum group_type type;
	uint32_t task;    /* GROUP_TASK: that of the longest frame */
	uint64_t key;     /* GROUP_TASK: see frame_key() */
	const char *kind; /* GROUP_LEAF */
	uint64_t obj;
	uint64_t total_ns, from_ns, to_ns, longest_ns;
	uint32_t waits;
	uint32_t stretch;   /* the longest wait */
	uint32_t last_seg;  /* to count waits once */
	uint32_t frame;     /* GROUP_TASK: the longest frame */
	struct blame blame; /* of the longest */
	bool cycle;
};
typedef VEC(struct group) groups;

struct level {
	groups v;
	uint64_t running_ns, runnable_ns;
	uint64_t from_ns, to_ns, total_ns;
	struct map by_key; /* key of a GROUP_TASK -> its index */
};

/* A task; but children of one name that come one after the other are one thing to wait for. */
static uint64_t frame_key(const struct graph *g, const struct path_frame *f)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	if (f->blame.edge != EDGE_EXIT)
		return f->task;
	for (const char *s = graph_comm(g, f->task, f->to_ns); *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3ULL;
	return h | 1ULL << 63;
}

static struct group *group_of(struct level *l, enum group_type type, uint64_t key, const char *kind,
			      uint64_t obj)
{
	uint64_t at;

	if (type == GROUP_TASK && map_get(&l->by_key, key, &at))
		return &l->v.v[at];
	if (type != GROUP_TASK)
		for (size_t i = 0; i < l->v.n; i++)
			if (l->v.v[i].type == type && l->v.v[i].obj == obj &&
			    (!kind || !strcmp(l->v.v[i].kind, kind)))
				return &l->v.v[i];
	if (VEC_PUSH(&l->v, (struct group){ .type = type,
					    .key = key,
					    .kind = kind,
					    .obj = obj,
					    .from_ns = UINT64_MAX,
					    .stretch = GRAPH_NONE,
					    .last_seg = GRAPH_NONE }))
		return NULL;
	if (type == GROUP_TASK && map_set(&l->by_key, key, l->v.n - 1))
		return NULL;
	return &l->v.v[l->v.n - 1];
}

static void group_add(struct group *gr, uint64_t from, uint64_t to, uint32_t stretch, const struct blame *b,
		      uint32_t frame)
{
	gr->total_ns += to - from;
	gr->from_ns = MIN(gr->from_ns, from);
	gr->to_ns = MAX(gr->to_ns, to);
	if (stretch != GRAPH_NONE && stretch != gr->last_seg) {
		gr->waits++;
		gr->last_seg = stretch;
	}
	if (to - from > gr->longest_ns) {
		gr->longest_ns = to - from;
		gr->stretch = stretch;
		gr->frame = frame;
		if (b)
			gr->blame = *b;
	}
}

static int level_piece(struct level *l, const struct path *p, const struct path_piece *x)
{
	const struct blame *b = x->blame == GRAPH_NONE ? NULL : &p->leaf_blames[x->blame];
	struct group *gr;

	l->total_ns += x->to_ns - x->from_ns;
	l->from_ns = MIN(l->from_ns, x->from_ns);
	l->to_ns = MAX(l->to_ns, x->to_ns);
	if (x->time == TIME_RUNNING)
		l->running_ns += x->to_ns - x->from_ns;
	if (x->time == TIME_RUNNABLE)
		l->runnable_ns += x->to_ns - x->from_ns;
	if (x->time == TIME_RUNNING || x->time == TIME_RUNNABLE)
		gr = group_of(l, GROUP_CPU, GRAPH_NONE, NULL, 0);
	else if (!b)
		gr = group_of(l, GROUP_UNKNOWN, GRAPH_NONE, NULL, 0);
	else if (x->cycle)
		gr = group_of(l, GROUP_LEAF, b->task, "cycle", b->obj);
	else
		gr = group_of(l, GROUP_LEAF, GRAPH_NONE, b->kind, !strcmp(b->kind, "timer") ? 0 : b->obj);
	if (!gr)
		return -ENOMEM;
	gr->cycle |= x->cycle;
	group_add(gr, x->from_ns, x->to_ns, b ? x->stretch : GRAPH_NONE, b, GRAPH_NONE);
	return 0;
}

static int level_fill(const struct graph *g, struct level *l, const struct path *p, const bool *in)
{
	l->from_ns = UINT64_MAX;
	for (size_t i = 0; i < p->n_pieces; i++)
		if (in[p->pieces[i].frame] && level_piece(l, p, &p->pieces[i]))
			return -ENOMEM;
	for (uint32_t i = 1; i < p->n_frames; i++) {
		const struct path_frame *f = &p->frames[i];
		struct group *gr;

		if (!in[f->parent])
			continue;
		gr = group_of(l, GROUP_TASK, frame_key(g, f), NULL, 0);
		if (!gr)
			return -ENOMEM;
		if (f->to_ns - f->from_ns > gr->longest_ns)
			gr->task = f->task;
		group_add(gr, f->from_ns, f->to_ns, f->stretch, &f->blame, i);
		l->total_ns += f->to_ns - f->from_ns;
		l->from_ns = MIN(l->from_ns, f->from_ns);
		l->to_ns = MAX(l->to_ns, f->to_ns);
	}
	return 0;
}

static const struct group *level_best(const struct level *l, const struct group **ret_second)
{
	const struct group *best = NULL, *second = NULL;

	for (size_t i = 0; i < l->v.n; i++) {
		const struct group *x = &l->v.v[i];
		/* before a task was born or after it went there is nothing to explain */
		bool poor = x->type == GROUP_UNKNOWN && x->total_ns < l->total_ns / 5 * 4;

		if (poor)
			continue;
		if (!best || x->total_ns > best->total_ns) {
			second = best;
			best = x;
		} else if (!second || x->total_ns > second->total_ns) {
			second = x;
		}
	}
	if (!best && l->v.n)
		best = &l->v.v[0];
	*ret_second = second;
	return best;
}

/* The stack of the task in [from, to): of its longest visited wait, else of its commonest sample; 0 none. */
static uint64_t chain_stack(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			    bool running)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t best = 0, best_ns = 0;
	uint32_t best_n = 0;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->samples, t->tid, &n);

	if (running) {
		/* the commonest of (at most 256) samples */
		for (size_t i = 0; i < n && i < 256; i++) {
			const struct window_event *e = &g->w->events[r[i].event];
			uint32_t same = 0;

			if (e->r.ts < from_ns || e->r.ts >= to_ns || !e->x[0])
				continue;
			for (size_t j = 0; j < n && j < 256; j++)
				same += g->w->events[r[j].event].x[0] == e->x[0];
			if (same > best_n) {
				best_n = same;
				best = e->x[0];
			}
		}
		return best;
	}
	for (uint32_t i = t->first_stretch; i < t->first_stretch + t->n_stretches; i++) {
		const struct stretch *s = &g->stretches[i];

		if (s->from_ns >= to_ns)
			break;
		if (s->to_ns > from_ns && s->visit != GRAPH_NONE && s->to_ns - s->from_ns > best_ns) {
			best_ns = s->to_ns - s->from_ns;
			best = g->w->events[s->visit].x[0];
		}
	}
	return best;
}

static void link_who(const struct graph *g, struct link *k, uint32_t task, uint64_t at)
{
	k->task = task;
	k->tid = g->tasks[task].tid;
	k->pid = g->tasks[task].tgid;
	snprintf(k->comm, sizeof(k->comm), "%s", graph_comm(g, task, at));
}

static void link_wait(const struct graph *g, struct link *k, const struct group *gr)
{
	char buf[DESCRIBE_MAX];
	const struct stretch *s = gr->stretch == GRAPH_NONE ? NULL : &g->stretches[gr->stretch];

	k->wait = s ? s->wait : 0;
	k->obj = gr->blame.obj;
	k->kind = gr->blame.kind ? gr->blame.kind : "unknown";
	k->state = !s                        ? "unborn"
		   : k->wait == CT_W_STOPPED ? "stopped"
		   : k->wait == CT_W_SLEEP   ? "sleeping"
					     : "waiting";
	k->edge = gr->blame.edge;
	k->strength = gr->blame.strength;
	k->waits = gr->waits;
	k->server = graph_is_accepted(g, k->obj);
	k->killed = gr->blame.killed;
	k->owed = gr->blame.owed;
	k->unfinished = !gr->blame.ended && !gr->blame.timed_out;
	describe_object(g->w, k->obj, buf, sizeof(buf));
	k->resource = strdup(buf);
	k->stack = chain_stack(g, k->task, gr->from_ns, gr->to_ns, false);
}

static int link_push(const struct graph *g, struct chain *c, uint32_t task, const struct level *l,
		     const struct group *gr)
{
	struct link k = { .from_ns = gr->from_ns,
			  .to_ns = gr->to_ns,
			  .total_ns = gr->total_ns,
			  .running_ns = l->running_ns,
			  .runnable_ns = l->runnable_ns };

	link_who(g, &k, task, l->from_ns + (l->to_ns - l->from_ns) / 2);
	if (gr->type == GROUP_TASK || gr->type == GROUP_LEAF) {
		link_wait(g, &k, gr);
	} else {
		k.kind = gr->type == GROUP_CPU ? "cpu" : "unknown";
		k.state = gr->type == GROUP_UNKNOWN         ? "unknown"
			  : l->running_ns >= l->runnable_ns ? "running"
							    : "runnable";
		k.resource = strdup("");
		k.stack = gr->type == GROUP_CPU ? chain_stack(g, task, gr->from_ns, gr->to_ns, true) : 0;
	}
	if (!k.resource || VEC_PUSH(&c->links, k)) {
		free(k.resource);
		return -ENOMEM;
	}
	return 0;
}

static void group_words(const struct graph *g, const struct group *gr, struct words *t)
{
	char buf[DESCRIBE_MAX];

	switch (gr->type) {
	case GROUP_CPU:
		words_add(t, "its own time on or for the CPU");
		break;
	case GROUP_TASK:
		words_add(t, "%s[%u]", graph_comm(g, gr->task, gr->to_ns), g->tasks[gr->task].tid);
		break;
	case GROUP_LEAF:
		describe_object(g->w, gr->obj, buf, sizeof(buf));
		words_add(t, "%s%s%s", gr->kind, buf[0] ? " " : "", buf);
		break;
	case GROUP_UNKNOWN:
		words_add(t, "time nothing is known of");
		break;
	}
}

static int choice_push(const struct graph *g, struct chain *c, uint32_t task, const struct group *a,
		       const struct group *b)
{
	struct words t = { 0 };
	struct choice ch;

	if (c->choices.n >= DIAGNOSE_MAX_CHOICES)
		return 0;
	words_add(&t, "%s[%u]: followed ", graph_comm(g, task, a->to_ns), g->tasks[task].tid);
	group_words(g, a, &t);
	words_add(&t, " (");
	words_duration(&t, a->total_ns);
	words_add(&t, "), not ");
	group_words(g, b, &t);
	words_add(&t, " (");
	words_duration(&t, b->total_ns);
	words_add(&t, ")");
	ch.text = words_take(&t);
	if (!ch.text || VEC_PUSH(&c->choices, ch)) {
		free(ch.text);
		return -ENOMEM;
	}
	return 0;
}

static void chain_finish(struct chain *c, const struct level *l, const struct group *gr)
{
	c->leaf = gr->blame;
	switch (gr->type) {
	case GROUP_CPU:
		c->end = l->running_ns >= l->runnable_ns ? END_RUNNING : END_RUNNABLE;
		break;
	case GROUP_LEAF:
		c->end = gr->cycle ? END_CYCLE : END_LEAF;
		break;
	case GROUP_TASK:
	case GROUP_UNKNOWN:
		c->end = END_UNKNOWN;
		break;
	}
}

/* One task of the chain.  1: go on with the frames now marked in c->in_last, 0: the end, or -ENOMEM. */
static int chain_step(const struct graph *g, const struct path *p, struct chain *c, bool *next)
{
	struct level l = { 0 };
	const struct group *best, *second = NULL;
	uint32_t task = p->frames[c->last_frame].task;
	int r = level_fill(g, &l, p, c->in_last);

	best = r ? NULL : level_best(&l, &second);
	if (!r && !best) {
		c->end = END_UNKNOWN;
	} else if (!r) {
		r = link_push(g, c, task, &l, best);
		if (!r && second && second->type != GROUP_UNKNOWN && second->total_ns > l.total_ns / 5)
			r = choice_push(g, c, task, best, second);
		if (!r && best->type == GROUP_TASK && c->links.n < DIAGNOSE_MAX_CHAIN) {
			memset(next, 0, p->n_frames);
			for (uint32_t i = 1; i < p->n_frames; i++)
				next[i] = c->in_last[p->frames[i].parent] &&
					  frame_key(g, &p->frames[i]) == best->key;
			memcpy(c->in_last, next, p->n_frames);
			c->last_frame = best->frame;
			r = 1;
		} else if (!r) {
			chain_finish(c, &l, best);
		}
	}
	VEC_FREE(&l.v);
	map_done(&l.by_key);
	return r;
}

int chain_build(const struct graph *g, const struct path *p, const struct diagnose_options *options,
		struct chain *c)
{
	_cleanup_free_ bool *next = calloc(p->n_frames, 1);
	int r = 1;

	*c = (struct chain){ .end = END_UNKNOWN };
	if (options)
		c->options = *options;
	c->in_last = calloc(p->n_frames, 1);
	if (!next || !c->in_last)
		return -ENOMEM;
	c->in_last[0] = true;
	while (r == 1)
		r = chain_step(g, p, c, next);
	return r;
}

int chain_append(const struct graph *g, struct chain *c, uint32_t task, enum edge_kind edge,
		 enum edge_strength strength)
{
	struct link *last = &c->links.v[c->links.n - 1];
	struct link k = { .from_ns = last->from_ns, .to_ns = last->to_ns, .state = "running", .kind = "cpu" };

	last->edge = (uint8_t)edge;
	last->strength = (uint8_t)strength;
	link_who(g, &k, task, last->from_ns + (last->to_ns - last->from_ns) / 2);
	k.resource = strdup("");
	if (!k.resource || VEC_PUSH(&c->links, k)) {
		free(k.resource);
		return -ENOMEM;
	}
	return 0;
}

void chain_done(struct chain *c)
{
	for (size_t i = 0; i < c->links.n; i++)
		free(c->links.v[i].resource);
	for (size_t i = 0; i < c->choices.n; i++)
		free(c->choices.v[i].text);
	VEC_FREE(&c->links);
	VEC_FREE(&c->choices);
	free(c->in_last);
	c->in_last = NULL;
}
