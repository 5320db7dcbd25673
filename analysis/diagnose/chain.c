// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/chain.h"

#include <stdio.h>
#include <string.h>

#include "analysis/diagnose/branch.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"
#include "trace/words/words.h"

static void link_who(const struct graph *g, struct link *k, uint32_t task, uint64_t at)
{
	k->task = task;
	k->tid = g->tasks[task].tid;
	k->pid = g->tasks[task].tgid;
	snprintf(k->comm, sizeof(k->comm), "%s", graph_comm(g, task, at));
}

/* Returns how long before the window l the first wait of the group began. 0: not, or shortly before.
 */
static uint64_t begun_before(const struct graph *g, uint32_t task, const struct breakdown *l,
			     const struct group *gr)
{
	uint32_t i = graph_interval_at(g, task, gr->from_ns);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	uint64_t ns =
		s && s->state == INTERVAL_BLOCKED && gr->from_ns == l->from_ns && s->from_ns < gr->from_ns
			? gr->from_ns - s->from_ns
			: 0;

	return ns > gr->total_ns / BEFORE_SHARE ? ns : 0;
}

static void link_wait(const struct graph *g, struct link *k, const struct group *gr)
{
	char buf[DESCRIBE_MAX];
	const struct interval *s = gr->interval == GRAPH_NONE ? NULL : &g->intervals[gr->interval];

	k->wait = s ? s->wait : 0;
	k->obj = gr->blame.obj;
	k->kind = gr->blame.kind == RESOURCE_NONE ? RESOURCE_UNKNOWN : gr->blame.kind;
	k->state = !s                        ? LINK_UNBORN
		   : k->wait == CT_W_STOPPED ? LINK_STOPPED
		   : k->wait == CT_W_SLEEP   ? LINK_SLEEPING
					     : LINK_WAITING;
	k->edge = gr->blame.edge;
	k->strength = gr->blame.strength;
	k->waits = gr->waits;
	k->timeouts = gr->timeouts;
	k->sure_waits = gr->sure;
	k->longest_ns = gr->longest_ns;
	k->server = graph_is_accepted(g, k->obj);
	k->killed = gr->blame.killed;
	k->owed = gr->blame.owed;
	k->room = s && k->edge == EDGE_OWNER && owner_polls_for_room(g, s, k->obj);
	k->unfinished = !gr->blame.ended && !gr->blame.timed_out;
	describe_object(g->w, k->obj, buf, sizeof(buf));
	k->resource = strdup(buf);
	k->stack = breakdown_wait_stack(g, k->task, gr->from_ns, gr->to_ns, s);
}

static int link_push(const struct graph *g, struct chain *c, uint32_t task, const struct breakdown *l,
		     const struct group *gr)
{
	struct link k = { .from_ns = gr->from_ns,
			  .to_ns = gr->to_ns,
			  .total_ns = gr->total_ns,
			  .running_ns = l->running_ns,
			  .runnable_ns = l->runnable_ns };

	if ((gr->type == GROUP_CPU || gr->type == GROUP_FOLDED) &&
	    breakdown_run_stack(g, task, gr->from_ns, gr->to_ns, &k.stack))
		return -ENOMEM;
	link_who(g, &k, task, l->from_ns + (l->to_ns - l->from_ns) / 2);
	if (gr->type == GROUP_TASK || gr->type == GROUP_LEAF) {
		link_wait(g, &k, gr);
		k.before_ns = begun_before(g, task, l, gr);
		k.other_ns = l->total_ns - l->running_ns - l->runnable_ns - gr->total_ns;
	} else if (gr->type == GROUP_FOLDED) {
		k.kind = RESOURCE_CPU;
		k.state = LINK_FOLDED;
		k.running_ns = l->folded_ran_ns;
		k.runnable_ns = l->folded_queued_ns;
		k.switches = l->switches;
		k.resource = strdup("");
	} else {
		k.kind = gr->type == GROUP_CPU ? RESOURCE_CPU : RESOURCE_UNKNOWN;
		k.state = gr->type == GROUP_UNKNOWN
				  ? (g->tasks[task].exit_ns <= gr->from_ns ? LINK_EXITED : LINK_UNKNOWN)
			  : l->running_ns >= l->runnable_ns ? LINK_RUNNING
							    : LINK_RUNNABLE;
		k.resource = strdup("");
	}
	if (!k.resource || VEC_PUSH(&c->links, k)) {
		free(k.resource);
		return -ENOMEM;
	}
	return 0;
}

bool chain_has_task(const struct chain *c, size_t from, uint32_t task)
{
	for (size_t i = from; i < c->links.n; i++)
		if (c->links.v[i].task == task)
			return true;
	return false;
}

/* Returns true if the last wait is for the end of any child, and a child outside the chain could end it. */
static bool is_open(const struct chain *c, const struct group *gr)
{
	for (size_t i = 0; gr->blame.edge == EDGE_EXIT && i < c->rivals.n; i++)
		if (!chain_has_task(c, 0, c->rivals.v[i]))
			return true;
	return false;
}

static void chain_finish(struct chain *c, const struct breakdown *l, const struct group *gr)
{
	c->leaf = gr->blame;
	switch (gr->type) {
	case GROUP_CPU:
		c->end = l->running_ns >= l->runnable_ns ? END_RUNNING : END_RUNNABLE;
		break;
	case GROUP_LEAF:
		c->end = gr->cycle && !is_open(c, gr) ? END_CYCLE : END_LEAF;
		break;
	case GROUP_FOLDED:
		c->end = END_FOLDED;
		break;
	case GROUP_TASK:
	case GROUP_UNKNOWN:
		c->end = END_UNKNOWN;
		break;
	}
}

static int note_cpu_waits(const struct path *p, struct chain *c)
{
	for (size_t i = 0; i < p->n_pieces; i++) {
		const struct path_piece *x = &p->pieces[i];

		if (c->in_last[x->frame] && x->time == TIME_RUNNABLE && x->interval != GRAPH_NONE &&
		    VEC_PUSH(&c->cpu_waits, *x))
			return -ENOMEM;
	}
	return 0;
}

void chain_take_end(struct chain *to, struct chain *from)
{
	to->end = from->end;
	to->leaf = from->leaf;
	to->rivals = from->rivals;
	VEC_FREE(&to->cpu_waits);
	to->cpu_waits.v = from->cpu_waits.v;
	to->cpu_waits.n = from->cpu_waits.n;
	to->cpu_waits.cap = from->cpu_waits.cap;
	from->cpu_waits.v = NULL;
	from->cpu_waits.n = from->cpu_waits.cap = 0;
}

static int chain_note(struct chain *c, uint32_t task, struct branch *w)
{
	struct choice ch = { .text = w->choice, .task = task, .settled = !w->ranked };

	c->asked += w->asked;
	c->refused = w->refused;
	if (!w->choice || c->choices.n >= DIAGNOSE_MAX_CHOICES) {
		free(TAKE_PTR(w->choice));
		return 0;
	}
	if (VEC_PUSH(&c->choices, ch))
		return -ENOMEM;
	w->choice = NULL;
	return 0;
}

/* *all has the children of which any one could end a wait. Drops the children of earlier links: they wait for
 * this task. Keeps all if no other child is left, or if there may be more children than *all has. */
static void drop_earlier(const struct chain *c, struct enders *all)
{
	struct enders left = { 0 };

	for (size_t i = 0; i < all->n; i++)
		if (!chain_has_task(c, 0, all->v[i]))
			left.v[left.n++] = all->v[i];
	if (left.n && all->n < ENDERS_MAX)
		*all = left;
}

static int chain_note_rivals(const struct graph *g, struct chain *c, uint32_t task, const struct group *gr)
{
	struct words t = { 0 };
	struct choice ch = { .task = task };
	const struct enders *all = &c->rivals;

	c->rivals.n = 0;
	if (!gr->blame.rivals || gr->interval == GRAPH_NONE)
		return 0;
	blame_rivals(g, gr->interval, &gr->blame, &c->rivals);
	if (gr->blame.edge == EDGE_EXIT)
		drop_earlier(c, &c->rivals);
	if (!all->n || c->choices.n >= DIAGNOSE_MAX_CHOICES)
		return 0;
	words_add(&t, "%s[%u]: %s", graph_comm(g, task, gr->to_ns), g->tasks[task].tid,
		  all->n > 1 ? "each of " : "");
	for (size_t i = 0; i < all->n; i++)
		words_add(&t, "%s%s[%u]",
			  !i               ? ""
			  : i + 1 < all->n ? ", "
					   : " and ",
			  graph_comm(g, all->v[i], gr->to_ns), g->tasks[all->v[i]].tid);
	words_add(&t, all->n == ENDERS_MAX ? ", and perhaps of others," : "");
	words_add(&t, !gr->blame.request.since_ns
			      ? all->n > 1 ? " could end this wait; no record tells which one will"
					   : " could end this wait; no record tells whether it will"
		      : all->n > 1 ? " may be what the request waits for; no record tells which one is"
				   : " may be what the request waits for; no record tells whether it is");
	ch.text = words_take(&t);
	if (ch.text && !VEC_PUSH(&c->choices, ch))
		return 0;
	free(ch.text);
	return -ENOMEM;
}

static void chain_follow(const struct graph *g, const struct path *p, struct chain *c, const struct group *gr,
			 bool *next)
{
	memset(next, 0, p->n_frames);
	for (uint32_t i = 1; i < p->n_frames; i++)
		next[i] = c->in_last[p->frames[i].parent] && breakdown_frame_key(g, &p->frames[i]) == gr->key;
	memcpy(c->in_last, next, p->n_frames);
	c->last_frame = gr->frame;
}

static int chain_step(const struct graph *g, const struct path *p, struct chain *c, bool *next)
{
	struct breakdown l = { 0 };
	struct branch w = { 0 };
	uint32_t task = p->frames[c->last_frame].task;
	int r = breakdown_fill(g, &l, p, c->in_last);

	if (!r)
		r = branch_choose(g, &c->options, task, &l, &w);
	if (!r && !w.taken) {
		c->end = END_UNKNOWN;
	} else if (!r) {
		r = link_push(g, c, task, &l, w.taken);
		if (!r)
			r = chain_note(c, task, &w);
		if (!r)
			r = chain_note_rivals(g, c, task, w.taken);
		if (!r && w.taken->type == GROUP_TASK && c->links.n < DIAGNOSE_MAX_CHAIN) {
			chain_follow(g, p, c, w.taken, next);
			r = 1;
		} else if (!r) {
			chain_finish(c, &l, w.taken);
			r = w.taken->type == GROUP_CPU ? note_cpu_waits(p, c) : 0;
		}
	}
	free(w.choice);
	breakdown_done(&l);
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

void chain_cut(struct chain *c, size_t n)
{
	while (c->links.n > n)
		free(c->links.v[--c->links.n].resource);
	c->links.v[n - 1].edge = 0;
	c->rivals.n = 0;
}

int chain_append(const struct graph *g, struct chain *c, uint32_t task, enum edge_kind edge,
		 enum edge_strength strength)
{
	struct link *last = &c->links.v[c->links.n - 1];
	struct link k = {
		.from_ns = last->from_ns, .to_ns = last->to_ns, .state = LINK_RUNNING, .kind = RESOURCE_CPU
	};

	c->rivals.n = 0;
	last->edge = edge;
	last->strength = strength;
	link_who(g, &k, task, last->from_ns + (last->to_ns - last->from_ns) / 2);
	k.resource = strdup("");
	if (!k.resource || VEC_PUSH(&c->links, k)) {
		free(k.resource);
		return -ENOMEM;
	}
	return 0;
}

bool chain_has_open_choice(const struct chain *c)
{
	for (size_t i = 0; i < c->choices.n; i++)
		if (!c->choices.v[i].settled)
			return true;
	return false;
}

void chain_done(struct chain *c)
{
	for (size_t i = 0; i < c->links.n; i++)
		free(c->links.v[i].resource);
	for (size_t i = 0; i < c->choices.n; i++)
		free(c->choices.v[i].text);
	VEC_FREE(&c->links);
	VEC_FREE(&c->choices);
	VEC_FREE(&c->cpu_waits);
	free(c->in_last);
	c->in_last = NULL;
}

bool chain_has_edge(const struct chain *c, enum edge_kind kind)
{
	for (size_t i = 0; i + 1 < c->links.n; i++)
		if (c->links.v[i].edge == kind)
			return true;
	return false;
}

bool chain_waits_for_files(const struct chain *c)
{
	return c->end == END_LEAF && (c->leaf.kind == RESOURCE_DISK || c->leaf.kind == RESOURCE_NETWORK_FS);
}

bool chain_waits_for_lock(const struct link *links, size_t n, size_t i)
{
	const struct link *k = &links[i];

	if (k->kind == RESOURCE_DATABASE_LOCK || k->kind == RESOURCE_LOCK)
		return true;
	return i + 1 < n && (k->edge == EDGE_LOCK || k->edge == EDGE_FILELOCK || k->edge == EDGE_POLLED ||
			     k->edge == EDGE_KERNEL_LOCK);
}

bool chain_has_lock(const struct link *links, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (chain_waits_for_lock(links, n, i))
			return true;
	return false;
}

bool chain_sleeps_in_java(const struct graph *g, const struct link *k)
{
	uint32_t i = graph_interval_at(g, k->task, k->to_ns - 1);

	return i != GRAPH_NONE && k->waits == 1 && k->wait == CT_W_FUTEX &&
	       owner_sleeps_in_java(g, &g->intervals[i]);
}

/* Returns true if the stack of the link has two frames, one called by the other one, for which `is` holds. */
static bool has_frames(const struct graph *g, const struct link *k,
		       bool (*is)(const char *inner, const char *frame))
{
	const struct window_stack *s = k->stack ? window_stack(g->w, k->stack) : NULL;

	for (int f = 0; s && f + 1 < s->n_frames; f++)
		if (is(s->frames[f], s->frames[f + 1]))
			return true;
	return false;
}

bool chain_awaits_thaw(const struct graph *g, const struct link *k)
{
	return k->state == LINK_WAITING && has_frames(g, k, frame_waits_for_thaw);
}

bool chain_retries_fork(const struct graph *g, const struct link *k)
{
	return k->wait == CT_W_SLEEP && has_frames(g, k, frame_retries_fork);
}

static bool ran_in_user_mode(const struct graph *g, const struct link *k)
{
	size_t n, user = 0, all = 0;
	const struct graph_ref *r = graph_refs_from(g, &g->samples, k->tid, k->from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < k->to_ns; i++, all++)
		user += !(g->w->events[r[i].event].r.flags & CT_PF_KERNEL);
	return user > all / 2;
}

bool chain_holds_no_kernel_lock(const struct graph *g, const struct link *k)
{
	if (k->state == LINK_RUNNING)
		return ran_in_user_mode(g, k);
	return (k->state == LINK_WAITING || k->state == LINK_SLEEPING) &&
	       (k->wait == CT_W_SLEEP || k->wait == CT_W_FUTEX || ct_wait_is_poll(k->wait) ||
		k->wait == CT_W_ACCEPT || k->wait == CT_W_SIGNAL || k->wait == CT_W_CHILD);
}

bool chain_awaits_helper(const struct link *k)
{
	return k->kind == RESOURCE_STANDBY || k->kind == RESOURCE_CHECKPOINT || k->kind == RESOURCE_ARCHIVE;
}

bool chain_only_children(const struct chain *c)
{
	for (size_t i = 0; i + 1 < c->links.n; i++)
		if (c->links.v[i].edge != EDGE_EXIT && c->links.v[i].edge != EDGE_VFORK)
			return false;
	return true;
}

uint64_t chain_received(const struct graph *g, const struct link *k, size_t *ret_messages)
{
	uint64_t bytes = 0;
	size_t n, i = 0;
	const struct graph_ref *r = graph_refs_from(g, &g->recvs, k->obj, k->from_ns, &n);

	for (; i < n && g->w->events[r[i].event].r.ts < k->to_ns && scan_step(g); i++)
		bytes += ct_message_bytes(&g->w->events[r[i].event].r);
	*ret_messages = i;
	return bytes;
}
