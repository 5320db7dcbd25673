// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/diagnose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnose/comparison.h"
#include "analysis/diagnose/normal.h"
#include "analysis/diagnose/prompted.h"
#include "analysis/diagnose/root_cause.h"
#include "analysis/contention/flag.h"
#include "analysis/contention/pool.h"
#include "analysis/diagnose/sentence.h"
#include "analysis/thresholds.h"
#include "ctrace/fields.h"
#include "graph/wake/nat.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/frame.h"

static void diagnose_time(const struct graph *g, const struct path *p, struct diagnosis *d)
{
	uint64_t parts[TIME_KINDS];

	for (size_t i = 0; i < p->n_pieces; i++) {
		if (p->pieces[i].frame != 0)
			continue;
		path_parts(g, &p->pieces[i], parts);
		for (int k = 0; k < TIME_KINDS; k++)
			d->time_ns[k] += parts[k];
	}
	for (size_t i = 1; i < p->n_frames; i++)
		if (p->frames[i].parent == 0)
			d->time_ns[p->frames[i].blame.time] += p->frames[i].to_ns - p->frames[i].from_ns;
}

/* Returns true if ctraced left out the object of the wait of the last link, to keep its budget. */
static bool is_left_out(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];

	switch (last->wait) {
	case CT_W_FUTEX:
	case CT_W_POLL:
	case CT_W_EPOLL:
	case CT_W_READ:
	case CT_W_WRITE:
		return f->chain.end == END_LEAF && !last->obj &&
		       graph_lacks_at(f->g, last->from_ns) & CT_LACK_WAIT_OBJECTS;
	default:
		return false;
	}
}

static bool is_lock_of_unknown(const struct findings *f)
{
	return f->chain.end == END_LEAF && !f->chain.leaf.ended &&
	       (f->chain.leaf.kind == RESOURCE_FILE_LOCK || f->chain.leaf.kind == RESOURCE_LOCK);
}

/* Returns true if the last task of the chain owns a lock for which the task before it waits, or waits for a
 * lock itself. If the owner of a lock waits for other tasks, the last task owns no lock, and the cause is
 * what the last task does. */
static bool ends_at_lock(const struct findings *f)
{
	const struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n;

	return is_lock_of_unknown(f) || chain_waits_for_lock(v, n, n - 1) ||
	       (n > 1 && chain_waits_for_lock(v, n, n - 2));
}

/* Returns true if the last task is owed an answer from another host, or if something that it sent did not
 * arrive. Then not the task but the network or the other host holds up the chain, also if the task owns a
 * lock meanwhile. */
static bool ends_at_network(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];
	const struct blame *leaf = &f->chain.leaf;

	return f->chain.end == END_LEAF && leaf->time == TIME_NETWORK &&
	       (leaf->undelivered || (last->owed && !last->server));
}

/* Returns true if a comparison with another trace shows that the wait is not normal. */
static bool is_odd(const struct findings *f)
{
	const struct against *a = f->against;

	return a && ((a->result == AGAINST_NAMED && f->by_comparison) ||
		     (a->result == AGAINST_GONE && a->own_accord));
}

static bool is_doubted(const struct findings *f)
{
	return is_odd(f) ||
	       (f->against && (f->against->result == AGAINST_GONE || f->against->result == AGAINST_SEVERAL));
}

/* Returns true if the last task sleeps, but not again and again: then it may poll for something. Also returns
 * true if each of its waits reached its time limit, one of them took most of the time that the task before it
 * waited, and it then ended the wait of that task. */
static bool sleeps_at_the_end(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1], *before = last - 1;

	if (f->chain.links.n == 1)
		return true;
	if (last->wait == CT_W_SLEEP)
		return !root_cause_polls(last);
	if (last->unfinished && !last->obj)
		return true; /* the task does not wait for data: owner_of_poll() */
	return last->timeouts == last->waits && before->strength == EDGE_STRONG && !before->unfinished &&
	       !before->killed && last->longest_ns > before->total_ns / 2;
}

static enum cause_kind find_cause(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];
	size_t n = f->chain.links.n;

	if (f->circular)
		return CAUSE_CIRCULAR_WAIT;
	if (f->left_out)
		return n > 1 ? CAUSE_SLOW_PEER : CAUSE_NONE;
	if (root_cause_starved(f))
		return CAUSE_STARVED;
	if (f->by_comparison && (f->missing->how == MISSING_ENDED || f->missing->how == MISSING_SILENT))
		return CAUSE_MISSING_WAKEUP;
	if (f->parent_threads || (f->against && f->against->result == AGAINST_GONE && is_odd(f)))
		return CAUSE_MISSING_WAKEUP;
	if (f->spins)
		return CAUSE_POLLING;
	if (f->on_disk)
		return CAUSE_DISK;
	if (last->wait == CT_W_STOPPED)
		return CAUSE_STOPPED;
	if (last->kind == RESOURCE_MEMORY)
		return CAUSE_MEMORY;
	if (ends_at_lock(f))
		return ends_at_network(f) ? CAUSE_NETWORK : CAUSE_LOCK_HOLDER;
	if (f->pool)
		return CAUSE_QUEUEING;
	if (f->chatty)
		return CAUSE_CHATTY;
	if (f->starved)
		return CAUSE_STARVED;
	if (f->chain.end == END_RUNNING)
		return CAUSE_BUSY;
	if (f->chain.end == END_FOLDED && root_cause_ran(last))
		return CAUSE_BUSY;
	/* the thread that was to signal the waiter has ended */
	if (n > 1 && last->state == LINK_EXITED && last[-1].wait == CT_W_FUTEX && last[-1].edge == EDGE_OWNER)
		return CAUSE_MISSING_WAKEUP;
	if (f->chain.end == END_UNKNOWN || f->chain.end == END_FOLDED)
		return n > 1 ? CAUSE_SLOW_PEER : CAUSE_NONE;
	if ((root_cause_polls(last) && chain_only_children(&f->chain)) || root_cause_only_polls(f->g, last) ||
	    chain_retries_fork(f->g, last))
		return CAUSE_POLLING;
	if (chain_sleeps_in_java(f->g, last))
		return CAUSE_TIMER;
	if (f->chain.links.v[0].wait == CT_W_FUTEX && f->chain.links.v[0].edge == EDGE_OWNER &&
	    (last->pid == f->chain.links.v[0].pid || f->by_comparison))
		return CAUSE_MISSING_WAKEUP;
	if (f->chain.leaf.time == TIME_NETWORK || f->chain.leaf.kind == RESOURCE_NETWORK_FS)
		return CAUSE_NETWORK;
	if (last->kind == RESOURCE_INPUT)
		return CAUSE_EXTERNAL;
	if (last->kind == RESOURCE_TIMER)
		return sleeps_at_the_end(f) ? CAUSE_TIMER : CAUSE_SLOW_PEER;
	if (last->unfinished && last->wait == CT_W_FUTEX)
		return CAUSE_MISSING_WAKEUP;
	return n > 1 ? CAUSE_SLOW_PEER : f->chain.refused ? CAUSE_MISSING_WAKEUP : CAUSE_EXTERNAL;
}

static enum verdict find_verdict(const struct findings *f)
{
	const struct link *k = &f->chain.links.v[0];

	if (f->chain.links.n == 1 || k->edge == EDGE_CPU || k->edge == EDGE_FLAG) {
		if (f->spins || k->edge == EDGE_FLAG)
			return VERDICT_REPEATED_YIELD;
		if (f->starved)
			return VERDICT_STARVED;
		if (k->state == LINK_RUNNING || k->state == LINK_RUNNABLE)
			return VERDICT_LONG_RUNNING;
	}
	if (root_cause_polls(k) || k->edge == EDGE_POLLED)
		return VERDICT_REPEATED_YIELD;
	return VERDICT_LONG_WAIT;
}

/* Returns true if ctraced reported a hang of the task. Then the task did not idle, even if its wait
 * looks idle. */
static bool was_noticed(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs_from(g, &g->hangs, g->tasks[task].tid, from_ns, &n);

	for (size_t i = 0; i < n && g->w->events[r[i].event].r.ts < to_ns; i++)
		if (!ct_hang_is_crash(ct_hang_rule(&g->w->events[r[i].event].r)) &&
		    graph_task_at(g, g->tasks[task].tid, g->w->events[r[i].event].r.ts) == task)
			return true;
	return false;
}

/* Most servers and clients have many short waits, even if nothing is wrong. Short waits are the cause
 * only if the user asked about this window. */
static bool is_chatty(const struct findings *f, uint64_t window_ns)
{
	const struct link *k = &f->chain.links.v[0];

	if (!f->chain.options.window_given || k->unfinished || root_cause_starved(f) ||
	    k->total_ns < window_ns / 2 || k->waits < CHATTY_WAITS ||
	    k->total_ns > k->waits * DIAGNOSE_QUICK_NS || k->longest_ns > k->total_ns / 2)
		return false;
	return k->edge == EDGE_MESSAGE || k->edge == EDGE_PIPE || k->edge == EDGE_EVENTFD ||
	       k->edge == EDGE_EXIT;
}

static bool is_fine(const struct findings *f, uint32_t task, const struct diagnosis *d)
{
	return normal_victim(f, d->stall_ns, d->to_ns - d->from_ns) &&
	       (d->stall_ns < f->stall_least_ns || !was_noticed(f->g, task, d->from_ns, d->to_ns));
}

static bool is_unknown(const struct interval *s)
{
	return s->state == INTERVAL_UNKNOWN || (s->state == INTERVAL_FOLDED && !(s->flags & INTERVAL_SUMS));
}

static bool is_mostly_unknown(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t ns = 0;

	for (uint32_t i = graph_interval_at(g, task, from_ns);
	     i != GRAPH_NONE && i < t->first_interval + t->n_intervals && g->intervals[i].from_ns < to_ns;
	     i++)
		if (is_unknown(&g->intervals[i]) && g->intervals[i].to_ns > from_ns)
			ns += MIN(g->intervals[i].to_ns, to_ns) - MAX(g->intervals[i].from_ns, from_ns);
	return ns > (to_ns - from_ns) / 2;
}

static bool is_guessed(const struct findings *f, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	if (is_mostly_unknown(f->g, task, from_ns, to_ns))
		return true;
	for (size_t i = 0; i < f->chain.links.n; i++)
		if (is_mostly_unknown(f->g, f->chain.links.v[i].task, from_ns, to_ns))
			return true;
	return false;
}

/* Returns true if the cause, or the verdict "normal", rests on the absence of records that may be
 * lost. */
static bool is_by_absence(const struct findings *f, const struct diagnosis *d, uint64_t from_ns,
			  uint64_t to_ns)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];
	const struct graph *g = f->g;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->gaps, 0, &n);

	/* an event loop that seems to idle may be owed an answer */
	if (d->cause == CAUSE_NONE && d->verdict == VERDICT_NORMAL &&
	    (ct_wait_is_poll(last->wait) || last->wait == CT_W_READ))
		return graph_lacks_within(g, from_ns, to_ns) & CT_LACK_MESSAGES;
	if (d->cause != CAUSE_EXTERNAL && d->cause != CAUSE_NETWORK && d->cause != CAUSE_MISSING_WAKEUP)
		return false;
	if (graph_lacks_within(g, from_ns, to_ns) & CT_LACK_MESSAGES)
		return true;
	for (size_t i = 0; i < n; i++) {
		const struct window_event *e = &g->w->events[r[i].event];

		if (e->r.tid == CT_GAP_ALL_CPUS && window_words(g->w, e)[0] < to_ns)
			return true;
	}
	return false;
}

static bool is_unknown_leaf(const struct findings *f)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];
	const struct blame *leaf = &f->chain.leaf;

	if (f->chain.end == END_LEAF && leaf->strength != EDGE_STRONG &&
	    (leaf->edge == EDGE_DISK || leaf->kind == RESOURCE_NETWORK_FS))
		return true;
	if (f->chain.end != END_LEAF || f->on_disk || f->circular || last->wait == CT_W_STOPPED)
		return false;
	/* If a time limit ended the wait, the awaited event is not known. Exceptions: a sleep, and
	 * a wait for a timerfd. They await no event but the time. */
	if (leaf->kind == RESOURCE_TIMER && last->wait != CT_W_SLEEP &&
	    CT_OBJ_KIND(last->obj) != CT_OBJ_TIMERFD)
		return !chain_sleeps_in_java(f->g, last);
	/* The same holds for a wait for input of a terminal. */
	if (leaf->kind == RESOURCE_INPUT && leaf->timed_out)
		return true;
	/* A kernel thread ended the wait. It is not known for which task the kernel thread
	 * worked. */
	if (leaf->ended && leaf->edge == EDGE_WAKE && leaf->kind == RESOURCE_UNKNOWN)
		return true;
	/* It is not known which task held the lock. */
	if (leaf->edge == EDGE_KERNEL_LOCK)
		return true;
	if (leaf->undelivered || (leaf->time == TIME_NETWORK && nat_may_be_local(f->g, last->obj)))
		return true;
	/* An event that ended the wait shows the cause. Exceptions: an interrupt or a message, if
	 * the wait was not for the network, and no rule or person has refused a cause. */
	if (leaf->ended && (f->chain.refused || leaf->time == TIME_NETWORK ||
			    (leaf->edge != EDGE_IRQ && leaf->edge != EDGE_MESSAGE)))
		return false;
	if (leaf->kind == RESOURCE_TIMER || leaf->kind == RESOURCE_DISK || leaf->kind == RESOURCE_MEMORY ||
	    leaf->kind == RESOURCE_NETWORK_FS || (leaf->kind == RESOURCE_INPUT && last->wait != CT_W_WRITE))
		return false;
	/* a poll may wait for something else, unless an answer on this connection is owed */
	return leaf->time != TIME_NETWORK || (ct_wait_is_poll(last->wait) && !last->owed);
}

static bool is_blind_polling(const struct findings *f, enum cause_kind cause)
{
	const struct link *last = &f->chain.links.v[f->chain.links.n - 1];

	return cause == CAUSE_POLLING && last->wait == CT_W_SLEEP &&
	       (last->kind == RESOURCE_TIMER || last->kind == RESOURCE_DATA_FLAG);
}

static bool has_inferred_link(const struct findings *f)
{
	for (size_t i = 0; i + 1 < f->chain.links.n; i++) {
		const struct link *k = &f->chain.links.v[i];

		/* The lock certainly took the time of the wait, although its edge is weak. But the task that
		 * released it may have owned it only at last, if no record shows its owner (RESOURCE_LOCK).
		 * And if no task released it, the edge is weak because the owner is not certain. */
		if (k->strength != EDGE_STRONG && k->edge != EDGE_KERNEL_LOCK &&
		    (k->edge != EDGE_LOCK || k->kind == RESOURCE_LOCK || k->unfinished || k->timeouts))
			return true;
		/* The waker released the lock, but another task owned it for most of the wait. */
		if (k->edge == EDGE_KERNEL_LOCK && chain_holds_no_kernel_lock(f->g, k + 1))
			return true;
	}
	return false;
}

static bool is_unknown_cpu(const struct findings *f)
{
	const struct link *v = f->chain.links.v;

	for (size_t i = 0; i + 1 < f->chain.links.n; i++)
		if (v[i].edge == EDGE_CPU)
			return v[i].strength == EDGE_WEAK;
	return f->starved && f->cpu.idle_ns <= f->cpu.total_ns / 2 && !contention_is_throttled(&f->cpu);
}

/* Other causes than these hold even if the work of the last task is short. For example, it is certain that
 * the owner of a lock held up the waiter. */
static bool is_work_or_cpu(const struct findings *f, enum cause_kind cause)
{
	return f->work_or_cpu && (cause == CAUSE_BUSY || cause == CAUSE_STARVED || cause == CAUSE_QUEUEING);
}

static bool is_polled_cycle(const struct findings *f)
{
	return f->chain.end == END_CYCLE && f->chain.leaf.edge == EDGE_OWNER &&
	       CT_OBJ_KIND(f->chain.leaf.obj) == CT_OBJ_SOCK;
}

static uint32_t find_doubts(const struct findings *f, uint32_t task, const struct diagnosis *d)
{
	const bool doubts[DOUBTS] = {
		[DOUBT_LINK] = has_inferred_link(f),
		[DOUBT_OBJECT] = f->left_out,
		[DOUBT_IDLE] = f->guessed_idle || (d->verdict == VERDICT_NORMAL && normal_is_guess(f)),
		[DOUBT_LEAF] = d->verdict != VERDICT_NORMAL && is_unknown_leaf(f),
		[DOUBT_CPU] = d->verdict != VERDICT_NORMAL && is_unknown_cpu(f),
		[DOUBT_CYCLE] = is_polled_cycle(f),
		[DOUBT_CHOICE] = chain_has_open_choice(&f->chain),
		[DOUBT_END] = f->chain.end == END_UNKNOWN || f->chain.end == END_FOLDED,
		[DOUBT_COMPARISON] = is_doubted(f),
		[DOUBT_POLLING] = is_blind_polling(f, d->cause),
		[DOUBT_UNKNOWN] = is_guessed(f, task, d->from_ns, d->to_ns),
		[DOUBT_ABSENCE] = is_by_absence(f, d, d->from_ns, d->to_ns),
		[DOUBT_WORK] = d->verdict != VERDICT_NORMAL && is_work_or_cpu(f, d->cause),
	};
	uint32_t set = 0;

	for (unsigned i = 0; i < DOUBTS; i++)
		set |= (uint32_t)doubts[i] << i;
	return set;
}

static void set_pool(const struct graph *g, struct link *k, uint32_t worker, uint32_t workers)
{
	k->pool = workers;
	k->pool_pid = workers ? pool_process(g, worker) : 0;
}

/* Finds the links that wait for a connection to be accepted, or for a pool whose workers are all busy. */
static void find_queues(const struct findings *f)
{
	struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n;

	for (size_t i = 0; i + 1 < n; i++) {
		v[i].unaccepted = pool_is_unaccepted(f->g, v[i].obj, v[i + 1].task,
						     checked_sub(v[i].from_ns, v[i].before_ns), v[i].to_ns);
		/* to find the pool of a thread takes long */
		if (f->pool && v[i + 1].task == f->pool_task)
			set_pool(f->g, &v[i], v[i + 1].task, f->pool);
		else if (v[i + 1].pid == v[i + 1].tid)
			set_pool(f->g, &v[i], v[i + 1].task,
				 pool_workers(f->g, v[i + 1].task, v[i].obj, v[i].from_ns, v[i].to_ns));
	}
}

static size_t find_cycle(const struct findings *f)
{
	size_t n = f->chain.links.n;

	if (f->own_lock)
		return n - 1;
	for (size_t i = 0; f->circular && i < n; i++)
		if (f->chain.links.v[i].task == f->chain.leaf.task)
			return i;
	return n;
}

static struct cpu_use cpu_use(const struct findings *f)
{
	const struct link *k = &f->chain.links.v[f->chain.links.n - 1];

	if (f->chain.links.n < 2 || k[-1].edge != EDGE_CPU)
		return (struct cpu_use){ 0 };
	if (f->cpu.sampled)
		return (struct cpu_use){ .wait_ns = k[-1].runnable_ns,
					 .ns = f->cpu.ns,
					 .lost_ns = k[-1].runnable_ns - MIN(f->cpu.ns, k[-1].runnable_ns),
					 .sampled = true };
	return (struct cpu_use){ .wait_ns = f->cpu.total_ns,
				 .ns = f->cpu.ns,
				 .others_ns = contention_others_ns(&f->cpu),
				 .idle_ns = f->cpu.idle_ns,
				 .lost_ns = f->cpu.lost_ns };
}

/* If a task of the chain polls a variable, sets d->watch. *ret_written: the writer is known.
 * Returns 0 or -ENOMEM. */
static int diagnose_flag(const struct findings *f, struct diagnosis *d, bool *ret_written)
{
	struct words t = { 0 };

	*ret_written = false;
	for (size_t i = 0; i < d->n_chain; i++) {
		const struct link *k = &d->chain[i];

		if (CT_OBJ_KIND(k->obj) != CT_OBJ_DATA || k->kind != RESOURCE_DATA_FLAG)
			continue;
		flag_command(f->g, k->pid, k->obj, &t);
		d->watch = words_take(&t);
		*ret_written = k->edge == EDGE_FLAG && k->strength != EDGE_WEAK;
		return d->watch ? 0 : -ENOMEM;
	}
	return 0;
}

static bool is_silent(const struct missing_wake *m, const struct diagnosis *d)
{
	return m && m->how == MISSING_SILENT && d->n_chain > 1 &&
	       missing_wake_named(m)->task == d->chain[d->n_chain - 1].task;
}

static int diagnose_words(const struct findings *f, struct diagnosis *d)
{
	bool written;
	int r = diagnose_flag(f, d, &written);
	struct sentence_facts facts = { .g = f->g,
					.chain = d->chain,
					.n_chain = d->n_chain,
					.verdict = d->verdict,
					.cause = d->cause,
					.leaf = &f->chain.leaf,
					.rivals = &f->chain.rivals,
					.writer = &d->writer,
					.pool = f->pool,
					.work_or_cpu = f->work_or_cpu,
					.cpu = f->starved ? &f->cpu : NULL,
					.shared = !f->starved && f->cpu.total_ns ? &f->cpu : NULL,
					.disk = f->on_disk ? &f->disk : NULL,
					.strong = d->strong,
					.own_lock = f->own_lock,
					.parent_threads = f->parent_threads,
					.silent = is_silent(f->missing, d),
					.left_out = f->left_out,
					.told_to_end = f->told_to_end,
					.watch = written ? NULL : d->watch,
					.coarse_ns = d->coarse_ns > (d->to_ns - d->from_ns) / COARSE_SHARE
							     ? d->coarse_ns
							     : 0,
					.stall_ns = d->stall_ns };

	if (r)
		return r;
	d->root_text = sentence_root(&facts);
	facts.against = d->against ? d->against->brief : NULL;
	d->sentence = sentence_whole(&facts);
	return d->root_text && d->sentence ? 0 : -ENOMEM;
}

static int compare_waits(struct findings *f, const struct diagnose_options *o, struct diagnosis *d,
			 bool normal)
{
	int r;

	if (o && o->good) {
		d->against = f->against = calloc(1, sizeof(*f->against));
		if (!f->against)
			return -ENOMEM;
		*f->against = (struct against){ .good = o->good, .name = o->good_name };
	}
	if (f->left_out || f->chain.refused || f->chain.links.v[0].total_ns < f->stall_least_ns)
		return 0;
	r = comparison_apply(f, normal);
	return r || !f->against ? r : comparison_against(f);
}

static uint32_t find_told_to_end(const struct findings *f)
{
	const struct chain *c = &f->chain;

	return c->links.n > 1 && c->end == END_LEAF && chain_only_children(c)
		       ? prompted_end(f->g, c->links.v, c->links.n)
		       : GRAPH_NONE;
}

int diagnose(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
	     const struct diagnose_options *options, struct diagnosis **ret)
{
	bool given = options && options->window_given;
	struct findings f = { .g = g,
			      .told_to_end = GRAPH_NONE,
			      .stall_least_ns = given ? MIN(DIAGNOSE_STALL_NS, (to_ns - from_ns) / 2)
						      : DIAGNOSE_STALL_NS };
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
	diagnose_time(g, p, d);
	d->coarse_ns = graph_lacked_ns(g, CT_LACK_SWITCHES, from_ns, to_ns);
	r = chain_build(g, p, options, &f.chain);
	if (!r)
		r = f.chain.links.n ? root_cause_find(&f) : -EINVAL;
	f.left_out = !r && is_left_out(&f);
	if (!r)
		f.told_to_end = find_told_to_end(&f);
	if (!r && !f.left_out && !f.chain.refused && f.told_to_end == GRAPH_NONE &&
	    !normal_victim(&f, f.chain.links.v[0].total_ns, to_ns - from_ns))
		r = root_cause_onward(&f);
	if (!r)
		r = compare_waits(&f, options, d,
				  normal_victim(&f, f.chain.links.v[0].total_ns, to_ns - from_ns));
	d->comparison = f.missing;
	if (!r) {
		d->stall_ns = f.chain.links.v[0].total_ns;
		f.chatty = is_chatty(&f, to_ns - from_ns);
		d->no_waker = f.parent_threads;
		d->told_to_end = f.told_to_end;
		d->verdict = !d->no_waker && !is_odd(&f) && is_fine(&f, task, d) ? VERDICT_NORMAL
										 : find_verdict(&f);
		d->cause = find_cause(&f);
		if (d->verdict == VERDICT_NORMAL && (d->cause != CAUSE_TIMER || f.chain.links.n > 1))
			d->cause = CAUSE_NONE;
		d->doubts = find_doubts(&f, task, d);
		d->strong = !d->doubts;
		d->cycle = find_cycle(&f);
		find_queues(&f);
		d->cpu = cpu_use(&f);
		if (f.writer.tid && f.chain.links.v[f.chain.links.n - 1].task == f.writer.reader)
			d->writer = f.writer;
		d->chain = TAKE_PTR(f.chain.links.v);
		d->n_chain = f.chain.links.n;
		d->choices = TAKE_PTR(f.chain.choices.v);
		d->n_choices = f.chain.choices.n;
		d->asked = f.chain.asked;
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
