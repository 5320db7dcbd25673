// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/chain.h"
#include "analysis/rival.h"
#include "analysis/sentence.h"
#include "analysis/words.h"
#include "lib/cleanup.h"
#include "trace/describe.h"

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = { [VERDICT_NORMAL] = "normal",
					     [VERDICT_LONG_WAIT] = "long-wait",
					     [VERDICT_LONG_RUNNING] = "long-running",
					     [VERDICT_STARVED] = "starved",
					     [VERDICT_REPEATED_YIELD] = "repeated-yield" };

	return names[v];
}

/* The victim's own time: what it did, and what its waits were for. */
static void diagnose_time(const struct path *p, struct diagnosis *d)
{
	for (size_t i = 0; i < p->n_pieces; i++)
		if (p->pieces[i].frame == 0)
			d->time_ns[p->pieces[i].time] += p->pieces[i].to_ns - p->pieces[i].from_ns;
	for (size_t i = 1; i < p->n_frames; i++)
		if (p->frames[i].parent == 0)
			d->time_ns[p->frames[i].blame.time] += p->frames[i].to_ns - p->frames[i].from_ns;
}

struct findings {
	const struct graph *g;
	struct chain chain;
	struct rival cpu;  /* END_RUNNABLE */
	struct rival disk; /* END_LEAF on a disk */
	uint32_t pool;     /* workers of a busy pool, 0: none */
	bool spins;        /* the last task spins on something */
	bool starved;
	bool circular;
	bool on_disk;
};

static struct link *last_link(struct findings *f)
{
	return &f->chain.links.v[f->chain.links.n - 1];
}

/* It runs: does it compute, or turn in circles waiting for a flag? */
static int find_spin(struct findings *f)
{
	struct link *k = last_link(f);
	uint32_t sampled, samples, flag;
	uint32_t yields = rival_yields(f->g, k->task, k->from_ns, k->to_ns, &sampled, &samples);
	uint64_t ms = (k->to_ns - k->from_ns) / 1000000;

	f->spins = yields > ms / 10 + 20 || (samples >= 4 && sampled * 3 > samples);
	if (!f->spins)
		return 0;
	k->kind = "data-flag";
	flag = rival_flag(f->g, k->task, k->from_ns, k->to_ns);
	if (flag == GRAPH_NONE)
		return 0;
	return chain_append(f->g, &f->chain, flag, EDGE_FLAG, EDGE_WEAK);
}

static int find_cpu(struct findings *f)
{
	struct link *k = last_link(f);
	int r = rival_cpu(f->g, k->task, k->from_ns, k->to_ns, &f->cpu);

	if (r)
		return r;
	/* its own threads had the CPU: the process computes */
	if (f->cpu.own_ns > f->cpu.ns && f->cpu.own_ns > f->cpu.idle_ns) {
		f->chain.end = END_RUNNING;
		return 0;
	}
	/* with its fair share beside one or two others it is slow, but it works */
	if (k->runnable_ns <= k->running_ns * 3) {
		f->chain.end = END_RUNNING;
		return 0;
	}
	/* a moment here and there is not what holds up those who wait for it */
	if (f->chain.links.n > 1 && k->runnable_ns < DIAGNOSE_STALL_NS) {
		f->chain.end = END_RUNNING;
		return 0;
	}
	f->starved = true;
	if (f->cpu.task == GRAPH_NONE || f->cpu.idle_ns > f->cpu.total_ns / 2)
		return 0;
	/* where many share a CPU, none of them is the one */
	return chain_append(f->g, &f->chain, f->cpu.task, EDGE_CPU,
			    f->cpu.ns < f->cpu.total_ns / 5 ? EDGE_WEAK : EDGE_STRONG);
}

static int find_disk(struct findings *f)
{
	char buf[DESCRIBE_MAX];
	struct link *k = last_link(f);
	int r = rival_disk(f->g, k->task, k->obj, k->from_ns, k->to_ns, &f->disk);

	f->on_disk = true;
	if (r || f->disk.task == GRAPH_NONE || f->disk.ns < (k->to_ns - k->from_ns) / 5)
		return r;
	for (size_t i = 0; i < f->chain.links.n; i++)
		if (f->chain.links.v[i].task == f->disk.task)
			return 0;
	r = chain_append(f->g, &f->chain, f->disk.task, EDGE_DISK, EDGE_WEAK);
	if (r)
		return r;
	k = last_link(f);
	k->state = "waiting";
	k->kind = "disk";
	k->obj = f->disk.obj;
	k->total_ns = f->disk.ns;
	free(k->resource);
	describe_object(f->g->w, k->obj, buf, sizeof(buf));
	k->resource = strdup(buf);
	return k->resource ? 0 : -ENOMEM;
}

/* It does nothing but sleep for short whiles. */
static bool is_polling(const struct link *k)
{
	return k->wait == CT_W_SLEEP && k->waits >= 3 && k->total_ns / k->waits < 2000000000ULL;
}

/* Socket b is the other end of a, or the unconnected socket that a sends to. */
static bool is_other_end(const struct graph *g, uint64_t a, uint64_t b)
{
	const struct window_object *x = window_object(g->w, a), *y = window_object(g->w, b);

	if (!x || !y || x->family == 1 || CT_OBJ_KIND(b) != CT_OBJ_SOCK)
		return false;
	return graph_peer_object(g, a) == b || (!y->rport && y->lport == x->rport && y->type == x->type);
}

/* The socket at the other end of before's connection that the event loop of k waits on, among others: 0 none.
 */
static uint64_t loop_socket(const struct graph *g, const struct link *before, const struct link *k)
{
	size_t n;
	const struct graph_ref *r;

	if (k->wait ==
	    CT_W_EPOLL) /* what is in an epoll set is not always known, but a server's own connections are */
		return graph_peer_object(g, before->obj) ? graph_peer_object(g, before->obj) : before->obj;
	r = graph_refs(&g->waitfds, k->wait == CT_W_POLL ? k->tid : 0, &n);
	for (size_t i = 0; i < n; i++)
		if (is_other_end(g, before->obj, g->w->events[r[i].event].r.obj))
			return g->w->events[r[i].event].r.obj;
	return 0;
}

/*
 * The last task but one asked on a connection to another host or network, and the last one waits for
 * something to come in there (or in its event loop, for whatever comes in): what was sent has not arrived,
 * and neither is to blame.
 */
static void find_lost_message(struct findings *f)
{
	struct link *k = last_link(f), *before = k - 1;
	const struct window_object *o;
	const struct graph_ref *sent, *got;
	uint64_t at;

	if (f->chain.links.n < 2 || f->chain.end != END_LEAF || !before->owed ||
	    (f->chain.leaf.ended && f->chain.leaf.time != TIME_NETWORK))
		return;
	o = window_object(f->g->w, before->obj);
	if (!o || o->family == 1)
		return;
	at = is_other_end(f->g, before->obj, k->obj) ? k->obj : loop_socket(f->g, before, k);
	if (!at)
		return;
	sent = graph_ref_before(f->g, &f->g->sends, before->obj, before->from_ns);
	got = graph_ref_before(f->g, &f->g->recvs, at, before->from_ns + before->total_ns / 2);
	if (at != before->obj && sent && got && got->event > sent->event)
		return;
	free(k->resource);
	f->chain.links.n--;
	f->chain.leaf.time = TIME_NETWORK;
	before->edge = 0;
}

/* A script that sleeps again and again, by means of a child: it is the script that polls. */
static void find_sleeping_children(struct findings *f)
{
	struct link *k = last_link(f), *before = k - 1;

	if (f->chain.links.n < 2 || f->chain.end != END_LEAF || !is_polling(k) || before->edge != EDGE_EXIT ||
	    before->waits < 3)
		return;
	free(k->resource);
	f->chain.links.n--;
	before->edge = 0;
	before->wait = CT_W_SLEEP;
	before->state = "sleeping";
	before->kind = "timer";
}

static bool is_ancestor(const struct graph *g, uint32_t who, uint32_t of)
{
	uint32_t pid = g->tasks[who].tgid;

	for (unsigned depth = 0; depth < 64; depth++) {
		uint32_t up = g->tasks[of].ptgid;

		if (!up || up == 1)
			return false;
		if (up == pid)
			return true;
		of = graph_task_at(g, up, g->tasks[of].born_ns);
		if (of == GRAPH_NONE)
			return false;
	}
	return false;
}

/* A program in the middle of the chain that reads from who started it, while that idles: what drives it (a
 * terminal, a script) has not told it to go on.  It is its input, and not a part of the work. */
static int find_driver(struct findings *f)
{
	struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n, at;
	struct choice c;
	struct words t = { 0 };

	if (f->chain.end != END_LEAF || f->on_disk)
		return 0;
	for (at = 1; at + 1 < n; at++)
		if ((v[at].wait == CT_W_READ || v[at].wait == CT_W_POLL || v[at].wait == CT_W_EPOLL) &&
		    (!strcmp(v[at].kind, "pipe") || !strcmp(v[at].kind, "input")) &&
		    is_ancestor(f->g, v[at + 1].task, v[at].task))
			break;
	if (at + 1 >= n)
		return 0;
	for (size_t i = at + 1; i + 1 < n; i++)
		if (v[i].edge != EDGE_EXIT)
			return 0;
	words_add(&t, "%s[%u] reads what %s[%u], which started it, writes: taken for its input", v[at].comm,
		  v[at].tid, v[at + 1].comm, v[at + 1].tid);
	c.text = words_take(&t);
	if (!c.text || VEC_PUSH(&f->chain.choices, c)) {
		free(c.text);
		return -ENOMEM;
	}
	while (f->chain.links.n > at + 1)
		free(f->chain.links.v[--f->chain.links.n].resource);
	v[at].edge = 0;
	v[at].kind = "input";
	return 0;
}

/* The stack of a wait that another process ends shows that it is for a lock of the program's own making. */
static bool stack_says_lock(const struct graph *g, const struct link *k)
{
	const struct window_stack *s = k->stack ? window_stack(g->w, k->stack) : NULL;

	for (int i = 0; s && i < s->n_frames; i++)
		if (strncmp(s->frames[i], "k:", 2) != 0 && strcasestr(s->frames[i], "lock") &&
		    (strcasestr(s->frames[i], "acquire") || strcasestr(s->frames[i], "wait")))
			return true;
	return false;
}

static bool has_own_lock(const struct findings *f)
{
	for (size_t i = 0; i + 1 < f->chain.links.n; i++) {
		const struct link *k = &f->chain.links.v[i];

		if ((k->edge == EDGE_SIGNAL || k->edge == EDGE_POST) && k->pid != k[1].pid &&
		    stack_says_lock(f->g, k))
			return true;
	}
	return false;
}

/* What the last task of the chain was up to. */
static int find_end(struct findings *f)
{
	struct link *k = last_link(f);
	int r = 0;

	if (f->chain.end == END_RUNNABLE ||
	    (f->chain.end == END_RUNNING && k->runnable_ns > k->running_ns / 2))
		r = find_cpu(f);
	if (!r && f->chain.end == END_RUNNING && !f->starved)
		r = find_spin(f);
	if (!r && !f->spins && f->chain.links.n > 1 &&
	    (f->chain.end == END_RUNNING || (f->chain.end == END_LEAF && k->tid == k->pid)))
		f->pool = rival_pool(f->g, k->task, k->from_ns, k->to_ns);
	if (f->chain.end == END_CYCLE)
		f->circular = true;
	find_lost_message(f);
	find_sleeping_children(f);
	if (!r)
		r = find_driver(f);
	if (!r && f->chain.end == END_LEAF && !strcmp(f->chain.leaf.kind, "disk"))
		r = find_disk(f);
	return r;
}

static bool has_edge(const struct findings *f, enum edge_kind kind)
{
	for (size_t i = 0; i + 1 < f->chain.links.n; i++)
		if (f->chain.links.v[i].edge == kind)
			return true;
	return false;
}

/* Only waits for children and for its own doing. */
static bool only_children(const struct findings *f)
{
	for (size_t i = 0; i + 1 < f->chain.links.n; i++)
		if (f->chain.links.v[i].edge != EDGE_EXIT && f->chain.links.v[i].edge != EDGE_VFORK)
			return false;
	return true;
}

static const char *find_cause(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];
	size_t n = f->chain.links.n;

	if (f->circular)
		return "circular-wait";
	if (f->starved)
		return "starved";
	if (f->spins)
		return "polling";
	if (f->on_disk)
		return "disk";
	if (last->wait == CT_W_STOPPED)
		return "stopped";
	if (has_edge(f, EDGE_LOCK) || has_edge(f, EDGE_FILELOCK) || has_edge(f, EDGE_POLLED) ||
	    has_edge(f, EDGE_KERNEL_LOCK))
		return "lock-holder";
	if (f->pool)
		return "queueing";
	if (f->chain.end == END_LEAF && has_own_lock(f))
		return "lock-holder";
	if (f->chain.end == END_RUNNING)
		return "busy";
	if (f->chain.end == END_UNKNOWN)
		return n > 1 ? "slow-peer" : "none";
	if (is_polling(last) && only_children(f))
		return "polling";
	if (f->chain.links.v[0].wait == CT_W_FUTEX && f->chain.links.v[0].edge == EDGE_OWNER)
		return "missing-wakeup";
	if (f->chain.leaf.time == TIME_NETWORK)
		return "network";
	if (!strcmp(last->kind, "input"))
		return "external";
	if (!strcmp(last->kind, "timer"))
		return n > 1 ? "slow-peer" : "timer";
	if (last->unfinished && last->wait == CT_W_FUTEX)
		return "missing-wakeup";
	return n > 1 ? "slow-peer" : "external";
}

static enum verdict find_verdict(const struct findings *f)
{
	const struct link *k = &f->chain.links.v[0];

	if (f->chain.links.n == 1 || k->edge == EDGE_CPU || k->edge == EDGE_FLAG) {
		if (f->spins)
			return VERDICT_REPEATED_YIELD;
		if (f->starved)
			return VERDICT_STARVED;
		if (!strcmp(k->state, "running") || !strcmp(k->state, "runnable"))
			return VERDICT_LONG_RUNNING;
	}
	if (is_polling(k) || k->edge == EDGE_POLLED)
		return VERDICT_REPEATED_YIELD;
	return VERDICT_LONG_WAIT;
}

/* It idles: it waits for what nobody owes it. */
static bool idles(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];

	if (!only_children(f) || f->chain.end != END_LEAF || f->on_disk || f->circular || is_polling(last))
		return false;
	switch (last->wait) {
	case CT_W_SLEEP:
	case CT_W_SIGNAL:
	case CT_W_ACCEPT:
		return true;
	case CT_W_READ:
	case CT_W_POLL:
	case CT_W_EPOLL:
		switch ((unsigned)CT_OBJ_KIND(last->obj)) {
		case CT_OBJ_SOCK:
			return last->server || f->chain.leaf.time != TIME_NETWORK ||
			       (last->wait != CT_W_READ && !last->owed);
		case CT_OBJ_PIPE:
		case CT_OBJ_FIFO:
			return false;
		default:
			return true;
		}
	case CT_W_KTHREAD:
		return true;
	default:
		return false;
	}
}

static bool is_normal(const struct findings *f, uint64_t stall_ns, uint64_t window_ns)
{
	const struct link *first = &f->chain.links.v[0];

	if (stall_ns < DIAGNOSE_STALL_NS || (f->chain.end == END_UNKNOWN && f->chain.links.n == 1))
		return !f->circular;
	if (idles(f))
		return true;
	if (first->waits > 100 && first->total_ns / first->waits < DIAGNOSE_QUICK_NS && !first->unfinished &&
	    (first->edge == EDGE_MESSAGE || first->edge == EDGE_PIPE || first->edge == EDGE_EVENTFD))
		return true;
	/* beside others on a busy machine, but not for most of the time */
	if (f->starved && !strcmp(f->chain.links.v[0].state, "runnable") && stall_ns < window_ns / 2)
		return true;
	return f->chain.links.n > 1 && only_children(f) && f->chain.end == END_RUNNING && !f->spins &&
	       stall_ns < DIAGNOSE_CHILD_BUSY_NS;
}

static bool is_strong(const struct findings *f)
{
	for (size_t i = 0; i + 1 < f->chain.links.n; i++) {
		const struct link *k = &f->chain.links.v[i];

		/* a hand-over is happenstance for cause but real for time */
		if (k->strength == EDGE_WEAK && k->edge != EDGE_LOCK && k->edge != EDGE_KERNEL_LOCK)
			return false;
	}
	/* of a futex without owner nobody knows who should have woken it */
	if (f->chain.end == END_LEAF && !f->chain.leaf.ended && !strcmp(f->chain.leaf.kind, "futex"))
		return false;
	return !f->chain.choices.n && f->chain.end != END_UNKNOWN;
}

static int diagnose_words(const struct findings *f, struct diagnosis *d)
{
	struct sentence_facts facts = { .g = f->g,
					.chain = d->chain,
					.n_chain = d->n_chain,
					.verdict = d->verdict,
					.cause = d->cause,
					.leaf = &f->chain.leaf,
					.leaf_end = f->chain.end == END_LEAF,
					.pool = f->pool,
					.cpu = f->starved ? &f->cpu : NULL,
					.strong = d->strong,
					.stall_ns = d->stall_ns,
					.window_ns = d->to_ns - d->from_ns };

	d->root_text = sentence_root(&facts);
	d->sentence = sentence_whole(&facts);
	return d->root_text && d->sentence ? 0 : -ENOMEM;
}

int diagnose(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct diagnosis **ret)
{
	struct findings f = { .g = g };
	struct path *p = NULL;
	struct diagnosis *d;
	int r = path_walk(g, task, from_ns, to_ns, &p);

	if (r)
		return r;
	d = calloc(1, sizeof(*d));
	if (!d) {
		path_free(p);
		return -ENOMEM;
	}
	d->from_ns = from_ns;
	d->to_ns = to_ns;
	diagnose_time(p, d);
	r = chain_build(g, p, &f.chain);
	if (!r)
		r = f.chain.links.n ? find_end(&f) : -EINVAL;
	if (!r) {
		d->stall_ns = f.chain.links.v[0].total_ns;
		d->verdict = is_normal(&f, d->stall_ns, to_ns - from_ns) ? VERDICT_NORMAL : find_verdict(&f);
		d->cause = find_cause(&f);
		if (d->verdict == VERDICT_NORMAL && strcmp(d->cause, "timer") != 0)
			d->cause = "none";
		d->strong = is_strong(&f);
		d->chain = TAKE_PTR(f.chain.links.v);
		d->n_chain = f.chain.links.n;
		d->choices = TAKE_PTR(f.chain.choices.v);
		d->n_choices = f.chain.choices.n;
		f.chain.links.n = f.chain.choices.n = 0;
		r = diagnose_words(&f, d);
	}
	chain_done(&f.chain);
	path_free(p);
	if (r) {
		diagnosis_free(d);
		return r;
	}
	*ret = d;
	return 0;
}

void diagnosis_free(struct diagnosis *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_chain; i++)
		free(d->chain[i].resource);
	for (size_t i = 0; i < d->n_choices; i++)
		free(d->choices[i].text);
	free(d->chain);
	free(d->choices);
	free(d->root_text);
	free(d->sentence);
	free(d);
}
