// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/root_cause.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "analysis/contention/cpu_samples.h"
#include "analysis/contention/crowd.h"
#include "analysis/contention/flag.h"
#include "analysis/contention/onward.h"
#include "analysis/contention/pool.h"
#include "analysis/diagnose/idle_client.h"
#include "analysis/diagnose/prompted.h"
#include "analysis/thresholds.h"
#include "trace/words/words.h"
#include "graph/timeline/scan.h"
#include "graph/wake/owner.h"
#include "lib/checked.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static struct link *last_link(struct findings *f)
{
	return &f->chain.links.v[f->chain.links.n - 1];
}

static int take_chain(struct findings *f, struct chain *sub)
{
	struct chain *c = &f->chain;

	if (VEC_RESERVE(&c->links, c->links.n + sub->links.n) ||
	    VEC_RESERVE(&c->choices, c->choices.n + sub->choices.n))
		return -ENOMEM;
	memcpy(&c->links.v[c->links.n], sub->links.v, sub->links.n * sizeof(*sub->links.v));
	c->links.n += sub->links.n;
	if (sub->choices.n)
		memcpy(&c->choices.v[c->choices.n], sub->choices.v, sub->choices.n * sizeof(*sub->choices.v));
	c->choices.n += sub->choices.n;
	sub->links.n = sub->choices.n = 0;
	c->asked += sub->asked;
	chain_take_end(c, sub);
	return 0;
}

static int follow(struct findings *f, uint32_t task, uint64_t from_ns, uint64_t to_ns, enum edge_kind edge,
		  enum edge_strength strength)
{
	struct chain sub = { 0 };
	struct path *p = NULL;
	bool circle = false;
	int r;

	r = path_walk(f->g, task, from_ns, to_ns, &p);
	if (!r)
		r = chain_build(f->g, p, &f->chain.options, &sub);
	for (size_t i = 0; !r && i < sub.links.n; i++)
		circle |= chain_has_task(&f->chain, 0, sub.links.v[i].task);
	if (r == -EINVAL ||
	    (!r && (!sub.links.n || circle || f->chain.links.n + sub.links.n > DIAGNOSE_MAX_CHAIN))) {
		/* nothing is known of `task`, or the chain would become circular or too long */
		r = chain_append(f->g, &f->chain, task, edge, strength);
	} else if (!r) {
		last_link(f)->edge = (uint8_t)edge;
		last_link(f)->strength = strength;
		r = take_chain(f, &sub);
		f->spins = false;
		if (!r)
			r = root_cause_find(f);
	}
	chain_done(&sub);
	path_free(p);
	return r;
}

static int name_flag(struct findings *f, const struct flag *flag)
{
	struct link *k = last_link(f);
	char buf[DESCRIBE_MAX];

	k->kind = RESOURCE_DATA_FLAG;
	if (!flag->obj)
		return 0;
	describe_object(f->g->w, flag->obj, buf, sizeof(buf));
	k->obj = flag->obj;
	free(k->resource);
	k->resource = strdup(buf);
	return k->resource ? 0 : -ENOMEM;
}

/* If a record shows which task writes the polled variable, continues the chain with this task, and sets
 * *ret_done to true. Then the caller has nothing left to find. */
static int find_spin(struct findings *f, bool *ret_done)
{
	struct link *k = last_link(f);
	uint32_t sampled, samples, guess;
	uint32_t yields = contention_yields(f->g, k->task, k->from_ns, k->to_ns, &sampled, &samples);
	struct flag flag = flag_find(f->g, k->task, k->from_ns, k->to_ns);
	int r;

	f->spins = yields > (k->to_ns - k->from_ns) / SPIN_YIELD_NS + SPIN_YIELDS ||
		   (samples >= SPIN_SAMPLES && sampled * SPIN_SAMPLE_SHARE > samples) || flag.spin;
	if (!f->spins)
		return 0;
	r = name_flag(f, &flag);
	if (r)
		return r;
	if (flag.writer != GRAPH_NONE && !chain_has_task(&f->chain, 0, flag.writer)) {
		*ret_done = true;
		return follow(f, flag.writer, flag.since_ns, flag.until_ns, EDGE_FLAG, flag.strength);
	}
	guess = flag.watched ? GRAPH_NONE : contention_flag(f->g, k->task, k->from_ns, k->to_ns);
	return guess == GRAPH_NONE ? 0 : chain_append(f->g, &f->chain, guess, EDGE_FLAG, EDGE_WEAK);
}

static int find_sleepy_spin(struct findings *f, bool *ret_done)
{
	struct link *k = last_link(f);
	struct flag flag = flag_find(f->g, k->task, k->from_ns, k->to_ns);
	int r = flag.obj ? name_flag(f, &flag) : 0;

	if (r || flag.writer == GRAPH_NONE || chain_has_task(&f->chain, 0, flag.writer))
		return r;
	*ret_done = true;
	return follow(f, flag.writer, flag.since_ns, flag.until_ns, EDGE_FLAG, flag.strength);
}

static int add_choice(struct findings *f, struct words *t)
{
	struct choice c = { .text = words_take(t), .task = last_link(f)->task };

	if (c.text && !VEC_PUSH(&f->chain.choices, c))
		return 0;
	free(c.text);
	return -ENOMEM;
}

/* Returns true if the task lived for half of the time of link k or more. */
static bool lives_mostly(const struct graph_task *t, const struct link *k)
{
	uint64_t from_ns = MAX(t->born_ns, k->from_ns), to_ns = MIN(t->exit_ns, k->to_ns);

	return to_ns > from_ns && to_ns - from_ns >= (k->to_ns - k->from_ns) / 2;
}

/* The last task of the chain sleeps. Returns the client's end of the connection that this task should accept
 * instead. Returns 0 if there is none. A child that was born later may have got the connection. */
static uint64_t to_accept(const struct findings *f)
{
	const struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n, at = n - 2;
	uint64_t peer;

	if (n < 2 || v[n - 1].tid != v[n - 1].pid || v[n - 1].wait != CT_W_SLEEP)
		return 0;
	if (v[at].state == LINK_UNBORN && at)
		at--;
	peer = graph_peer_object(f->g, v[at].obj);
	if (at == n - 2 && peer && !(peer & CT_OBJ_NOT_ACCEPTED))
		return 0;
	return pool_may_accept(f->g, v[n - 1].task, v[at].obj) ? v[at].obj : 0;
}

/* A main thread that sleeps again and again seems to wait for the end of its child. sock: to_accept(). If it
 * is not 0, only a child that serves another client of the same server counts: a server may have a limit for
 * the number of its children. */
static int find_polled_child(struct findings *f, uint64_t sock, bool *ret_done)
{
	struct link *k = last_link(f);
	const struct graph *g = f->g;
	uint64_t middle_ns = k->from_ns + (k->to_ns - k->from_ns) / 2;
	uint32_t child = GRAPH_NONE;
	const struct graph_task *t;
	struct words w = { 0 };
	size_t n, found = 0;
	const struct graph_ref *r = graph_refs(&g->children, k->pid, &n);

	for (size_t i = 0; k->tid == k->pid && i < n && scan_step(g); i++) {
		t = &g->tasks[r[i].event];
		if (!lives_mostly(t, k) || chain_has_task(&f->chain, 0, r[i].event) ||
		    (sock && !pool_serves(g, r[i].event, sock, middle_ns)))
			continue;
		child = r[i].event;
		words_add(&w, "%s%s[%u]", found++ ? ", " : "",
			  graph_comm(g, child, MAX(t->born_ns, k->from_ns)), t->tid);
	}
	if (found > 1) {
		char *names = words_take(&w);

		words_add(&w, "%s[%u] sleeps%s, and may wait for the end of one of its children: %s", k->comm,
			  k->tid, sock ? ", and accepts no connection" : " again and again", names ?: "");
		free(names);
		return add_choice(f, &w);
	}
	free(words_take(&w));
	if (!found)
		return 0;
	t = &g->tasks[child];
	k->kind = RESOURCE_CHILD;
	*ret_done = true;
	return follow(f, child, MAX(t->born_ns, k->from_ns), MIN(t->exit_ns, k->to_ns), EDGE_EXIT, EDGE_WEAK);
}

/* Returns the task of another process that owes `thread` an answer for most of the time of link k, or
 * GRAPH_NONE. */
static uint32_t owes_answer(const struct graph *g, uint32_t thread, const struct link *k)
{
	uint32_t i = graph_interval_at(g, thread, k->from_ns + (k->to_ns - k->from_ns) / 2);
	const struct interval *s = i == GRAPH_NONE ? NULL : &g->intervals[i];
	struct blame b;

	if (!s || s->state != INTERVAL_BLOCKED ||
	    MIN(s->to_ns, k->to_ns) - MAX(s->from_ns, k->from_ns) < (k->to_ns - k->from_ns) / 2)
		return GRAPH_NONE;
	blame_lasting(g, i, &b);
	if (b.task == GRAPH_NONE || !b.owed || g->tasks[b.task].tgid == k->pid)
		return GRAPH_NONE;
	/* an idle server may have no news for a thread that waits for news */
	return blame_idles(g, b.task, k->from_ns + (k->to_ns - k->from_ns) / 2) ? GRAPH_NONE : b.task;
}

/* Returns the first other thread of the process of link k if all other threads wait for one other process for
 * most of the time of k. Otherwise returns GRAPH_NONE. */
static uint32_t waiting_thread(const struct graph *g, const struct link *k)
{
	uint64_t middle_ns = k->from_ns + (k->to_ns - k->from_ns) / 2;
	uint32_t found = GRAPH_NONE, process = 0;
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, k->pid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++) {
		const struct graph_task *t = &g->tasks[r[i].event];
		uint32_t task;

		if (r[i].event == k->task || t->exit_ns <= middle_ns || t->born_ns > middle_ns)
			continue;
		task = owes_answer(g, r[i].event, k);
		if (task == GRAPH_NONE || (found != GRAPH_NONE && g->tasks[task].tgid != process))
			return GRAPH_NONE;
		found = found == GRAPH_NONE ? r[i].event : found;
		process = g->tasks[task].tgid;
	}
	return scan_left(g) ? found : GRAPH_NONE;
}

/* Returns true if the task before link k waits until the task of k accepts its connection, or has accepted it
 * and starts a thread for it. If no record shows the other end of the connection, it may be in one of the
 * threads. */
static bool should_accept(const struct graph *g, const struct link *k)
{
	const struct link *before = k - 1;
	uint64_t peer = graph_peer_object(g, before->obj);

	return before->state == LINK_UNBORN
		       ? before->pid == k->pid
		       : CT_OBJ_KIND(before->obj) == CT_OBJ_SOCK && (!peer || peer & CT_OBJ_NOT_ACCEPTED);
}

/* Returns true if the task of link k sleeps again and again, does hardly anything in between, and waits for a
 * CPU only briefly after each sleep. On a busy machine, these waits may be longer in sum than the sleeps. */
static bool sleeps_often(const struct graph *g, const struct link *k)
{
	uint32_t end = g->tasks[k->task].first_interval + g->tasks[k->task].n_intervals, sleeps = 0;
	uint64_t slept_ns = 0, queued_ns = 0;

	for (uint32_t i = graph_interval_at(g, k->task, k->from_ns);
	     i < end && g->intervals[i].from_ns < k->to_ns && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];
		uint64_t ns = MIN(s->to_ns, k->to_ns) - MAX(s->from_ns, k->from_ns);

		if (s->state == INTERVAL_RUNNABLE)
			queued_ns += ns;
		if (s->state != INTERVAL_BLOCKED || s->wait != CT_W_SLEEP)
			continue;
		slept_ns += ns;
		sleeps++;
	}
	return sleeps >= POLL_WAITS && slept_ns / sleeps < POLL_WAIT_NS &&
	       queued_ns / sleeps < DIAGNOSE_QUICK_NS &&
	       k->to_ns - k->from_ns - slept_ns - queued_ns < slept_ns / 2;
}

/* Returns true if the process of link k has a child for most of the time. */
static bool has_child(const struct graph *g, const struct link *k)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->children, k->pid, &n);

	for (size_t i = 0; i < n && scan_step(g); i++)
		if (lives_mostly(&g->tasks[r[i].event], k))
			return true;
	return false;
}

/* A main thread that should accept a connection sleeps again and again instead: it seems to wait until one of
 * its threads has ended. If all of its threads wait for one other process, goes on with one of them. Any
 * other main thread may wait for the only thread that still works (onward_writer()). */
static int find_polled_thread(struct findings *f, bool *ret_done)
{
	struct link *k = last_link(f);
	struct words w = { 0 };
	bool accept;
	uint32_t thread;
	int r;

	if (f->chain.links.n < 2 || k->tid != k->pid || !sleeps_often(f->g, k))
		return 0;
	accept = should_accept(f->g, k);
	thread = accept ? waiting_thread(f->g, k) : onward_writer(f->g, k->task, k->from_ns, k->to_ns);
	if (thread == GRAPH_NONE || chain_has_task(&f->chain, 0, thread))
		return 0;
	words_add(&w, "%s[%u] sleeps again and again%s: taken for a wait for its threads", k->comm, k->tid,
		  accept ? ", and accepts no connection" : "");
	r = add_choice(f, &w);
	if (r)
		return r;
	k->kind = RESOURCE_TIMER;
	*ret_done = true;
	return follow(f, thread, k->from_ns, k->to_ns, EDGE_EXIT, EDGE_WEAK);
}

/* If the last task of the chain gave an order to a process (`task`) and then polls, the last task
 * seems to wait for this process. The process may have passed the order on to another process
 * (`next`). */
static int find_prompted(struct findings *f, bool *ret_done)
{
	struct link *k = last_link(f);
	uint64_t since_ns = prompted_since(f->g, k->task, k->from_ns),
		 middle_ns = k->from_ns + (k->to_ns - k->from_ns) / 2;
	uint64_t told_ns = checked_sub(since_ns, PROMPT_NS), from_ns = k->from_ns, to_ns = k->to_ns;
	enum edge_kind edge, next_edge = EDGE_SIGNAL;
	uint32_t task, next = GRAPH_NONE;
	struct words w = { 0 };
	int r;

	if (f->chain.links.n > 1)
		return 0;
	task = prompted_task(f->g, k->task, told_ns, since_ns, middle_ns, &edge);
	if (task != GRAPH_NONE)
		next = prompted_task(f->g, task, told_ns, since_ns + PROMPT_NS, middle_ns, &next_edge);
	if (next_edge != EDGE_SIGNAL || next == k->task)
		next = GRAPH_NONE;
	if (task == GRAPH_NONE || (next == GRAPH_NONE && prompted_idles(f->g, task, middle_ns)))
		return 0;
	words_add(&w, "%s[%u] sleeps again and again since it %s %s[%u]: taken for the reason", k->comm,
		  k->tid, edge == EDGE_SIGNAL ? "sent a signal to" : "wrote to",
		  graph_comm(f->g, task, since_ns), f->g->tasks[task].tid);
	r = add_choice(f, &w);
	if (r)
		return r;
	*ret_done = true;
	if (next == GRAPH_NONE)
		return follow(f, task, from_ns, to_ns, edge, EDGE_WEAK);
	r = chain_append(f->g, &f->chain, task, edge, EDGE_WEAK);
	if (r)
		return r;
	k = last_link(f);
	k->state = LINK_WAITING;
	k->kind = RESOURCE_CHILD;
	k->total_ns = to_ns - from_ns;
	return follow(f, next, from_ns, to_ns, EDGE_EXIT, EDGE_WEAK);
}

static int say_shares(struct findings *f, const struct cpu_samples *c)
{
	const struct link *k = last_link(f);
	struct words t = { 0 };
	size_t n = 0;

	while (n < c->shares.n && c->shares.v[n].ns && c->shares.v[n].ns >= c->total_ns / BRANCH_SHARE)
		n++;
	if (!n)
		return 0;
	words_add(&t, "%s[%u] waited for a CPU; by samples, ", k->comm, k->tid);
	for (size_t i = 0; i < n; i++) {
		const struct cpu_share *x = &c->shares.v[i];

		words_add(&t, "%s%s[%u] (seen on CPU %u) ran for %.0f %% of that time", i ? ", and " : "",
			  graph_comm(f->g, x->task, k->to_ns), f->g->tasks[x->task].tid, x->cpu,
			  (double)x->ns * 100 / (double)c->total_ns);
	}
	return add_choice(f, &t);
}

/* Another task had the CPU for ns while the last task k waited for it. If k got a part of the CPU, a task
 * with a smaller part did not hold it up. */
static bool may_hold_up(const struct findings *f, const struct link *k, uint64_t ns)
{
	return !f->work_or_cpu || (ns > f->cpu.total_ns / 2 && ns > k->running_ns);
}

static int find_sampled(struct findings *f)
{
	const struct link *k = last_link(f);
	struct cpu_samples c;
	const struct cpu_share *blamed;
	uint64_t ns = 0;
	int r = cpu_samples_find(f->g, k->task, k->from_ns, k->to_ns, &c);

	if (!r)
		r = say_shares(f, &c);
	blamed = r ? NULL : cpu_samples_blamed(f->g, k->task, &c);
	if (blamed)
		ns = (uint64_t)((double)f->cpu.total_ns * (double)blamed->ns / (double)c.total_ns);
	if (blamed && may_hold_up(f, k, ns)) {
		f->cpu.sampled = true;
		f->cpu.task = blamed->task;
		f->cpu.ns = ns;
		r = chain_append(f->g, &f->chain, blamed->task, EDGE_CPU, EDGE_WEAK);
	}
	cpu_samples_done(&c);
	return r;
}

/* Returns true if the victim waits for a child, for a time that is normal if the child computes. */
static bool waits_briefly_for_child(const struct findings *f)
{
	return f->chain.links.n > 1 && chain_only_children(&f->chain) &&
	       f->chain.links.v[0].total_ns < DIAGNOSE_CHILD_BUSY_NS;
}

/* Returns true if a task of the chain waits for a lock, or because all workers of a pool are busy. Then the
 * lock or the pool is the cause, if the last task k got a part of the CPU. */
static bool holds_up_others(const struct findings *f, const struct link *k)
{
	return chain_has_lock(f->chain.links.v, f->chain.links.n) ||
	       (f->chain.end != END_FOLDED && f->chain.links.n > 1 &&
		pool_workers(f->g, k->task, k[-1].obj, k->from_ns, k->to_ns));
}

/* Returns true if the task of link k starves: it got less than a quarter of the CPU time that it needed, in
 * all, or in one part of the time. This part counts only if the task holds up others, and if its wait for a
 * CPU in this part is a stall, and longer than all of its work. */
static bool is_starved(const struct findings *f, const struct link *k)
{
	uint64_t least_ns = MAX(k->running_ns, f->stall_least_ns);

	return k->runnable_ns > k->running_ns * STARVED_RATIO ||
	       (k->runnable_ns > least_ns && holds_up_others(f, k) &&
		contention_starved_ns(f->g, k->task, k->from_ns, k->to_ns) > least_ns);
}

/* starved: is_starved(). Returns true if the wait for a CPU is the root cause. A task that got at least a
 * quarter of the CPU time that it needed is slow, but works. Then the wait for a CPU is the root cause only
 * if it was most of the time, and the work alone would be too short to be a stall. */
static bool lacks_cpu(const struct findings *f, const struct link *k, bool starved)
{
	return starved || (k->runnable_ns > k->running_ns && k->running_ns < f->stall_least_ns &&
			   !waits_briefly_for_child(f) && !holds_up_others(f, k));
}

static int find_cpu(struct findings *f)
{
	struct link *k = last_link(f);
	int r = contention_cpu(f->g, k->task, f->chain.cpu_waits.v, f->chain.cpu_waits.n, &f->cpu);
	bool starved, lacks;

	if (r)
		return r;
	starved = is_starved(f, k);
	lacks = lacks_cpu(f, k, starved);
	/* further waits, for which not even the CPU is known */
	if (k->runnable_ns > f->cpu.total_ns) {
		f->cpu.lost_ns += k->runnable_ns - f->cpu.total_ns;
		f->cpu.total_ns = k->runnable_ns;
	}
	f->work_or_cpu = k->runnable_ns > k->running_ns && !starved;
	/* the CPU quota holds up the task, so no other task is to blame */
	if (contention_is_throttled(&f->cpu) && lacks) {
		f->starved = true;
		return 0;
	}
	/* other threads of the task's process had the CPU: the process computes */
	if (f->cpu.own_ns > f->cpu.total_ns / 2) {
		f->work_or_cpu = false;
		f->chain.end = END_RUNNING;
		return 0;
	}
	if (!lacks) {
		f->chain.end = END_RUNNING;
		return 0;
	}
	/* the wait for the CPU is too short to be the cause, and so is the work of the task */
	if (f->chain.links.n > 1 && k->runnable_ns < f->stall_least_ns &&
	    k->runnable_ns < f->chain.links.v[0].total_ns / 2) {
		f->work_or_cpu = true;
		f->chain.end = END_RUNNING;
		return 0;
	}
	f->starved = true;
	if (f->cpu.lost_ns > f->cpu.total_ns / 2)
		return find_sampled(f);
	if (f->cpu.task == GRAPH_NONE || f->cpu.idle_ns + f->cpu.lost_ns > f->cpu.total_ns / 2)
		return 0;
	if (f->cpu.ns < f->cpu.total_ns / BRANCH_SHARE || f->cpu.ns < f->cpu.own_ns)
		return 0;
	if (!may_hold_up(f, k, f->cpu.ns))
		return 0;
	/* A task with a smaller part is only the first of several. If the waiter was moved to another CPU,
	 * the task may have had only the later one. */
	return chain_append(f->g, &f->chain, f->cpu.task, EDGE_CPU,
			    f->cpu.ns > f->cpu.total_ns / 2 && f->cpu.moved_ns <= f->cpu.total_ns / 2
				    ? EDGE_STRONG
				    : EDGE_WEAK);
}

bool root_cause_starved(const struct findings *f)
{
	return f->starved && !f->work_or_cpu;
}

bool root_cause_ran(const struct link *k)
{
	return k->running_ns > k->total_ns / 2;
}

static int find_folded_queue(struct findings *f)
{
	const struct link *k = last_link(f);
	bool starved = is_starved(f, k);

	if (!lacks_cpu(f, k, starved) || k->runnable_ns < f->stall_least_ns)
		return 0;
	f->starved = true;
	f->work_or_cpu = !starved;
	f->cpu = (struct contention){ .task = GRAPH_NONE,
				      .total_ns = k->runnable_ns,
				      .lost_ns = k->runnable_ns };
	return k->runnable_ns > k->total_ns / STARVED_SHARE ? find_sampled(f) : 0;
}

static int find_disk(struct findings *f)
{
	char buf[DESCRIBE_MAX];
	struct link *k = last_link(f);
	int r = disk_use_find(f->g, k->task, k->obj, k->from_ns, k->to_ns, &f->disk);
	const struct disk_use *d = &f->disk;

	f->on_disk = true;
	if (r || d->task == GRAPH_NONE ||
	    (!d->bytes && MAX(d->busy_ns, d->waits_ns) < (k->to_ns - k->from_ns) / BRANCH_SHARE))
		return r;
	for (size_t i = 0; i < f->chain.links.n; i++)
		if (f->chain.links.v[i].task == d->task)
			return 0;
	r = chain_append(f->g, &f->chain, d->task, EDGE_DISK, EDGE_WEAK);
	if (r)
		return r;
	k = last_link(f);
	k->state = d->waits_ns ? LINK_WAITING : LINK_UNKNOWN;
	k->kind = RESOURCE_DISK;
	k->obj = d->obj;
	k->total_ns = d->waits_ns ? d->waits_ns : d->busy_ns;
	free(k->resource);
	describe_object(f->g->w, k->obj, buf, sizeof(buf));
	k->resource = strdup(buf);
	return k->resource ? 0 : -ENOMEM;
}

/* Returns true if the record shows that the task tid does something for other tasks, or gets something. */
static bool is_progress(const struct graph *g, const struct ct_rec *r, uint32_t tid)
{
	uint32_t wakee;

	if (r->kind != CT_WAKE)
		return r->tid == tid && (r->kind == CT_SEND || r->kind == CT_RECV || r->kind == CT_FORK ||
					 r->kind == CT_SIGNAL || r->kind == CT_BLK_ISSUE);
	if (!ct_wake_by_task(r) || ct_wake_waker(r) != tid)
		return false;
	wakee = graph_task_at(g, r->tid, r->ts);
	return wakee == GRAPH_NONE || !g->tasks[wakee].kthread;
}

static bool progresses_in(const struct graph *g, const struct interval *s)
{
	size_t i = window_lower_bound(g->w, s->from_ns);

	for (; i < g->w->n_events && g->w->events[i].r.ts <= s->to_ns; i++)
		if (!scan_step(g) || is_progress(g, &g->w->events[i].r, g->tasks[s->task].tid))
			return true;
	return false;
}

bool root_cause_only_polls(const struct graph *g, const struct link *k)
{
	const struct graph_task *t = &g->tasks[k->task];
	uint32_t end = t->first_interval + t->n_intervals, i = graph_interval_at(g, k->task, k->from_ns);
	unsigned rounds = 0;

	if (!root_cause_polls(k) || graph_lacks_within(g, k->from_ns, k->to_ns) & CT_LACK_MESSAGES)
		return false;
	for (; i < end && g->intervals[i].from_ns < k->to_ns && scan_step(g); i++) {
		const struct interval *s = &g->intervals[i];

		/* the last round may be different: the task got what it waited for */
		if (s->state != INTERVAL_RUNNING || s->from_ns < k->from_ns || s->to_ns >= k->to_ns)
			continue;
		if (progresses_in(g, s))
			return false;
		rounds++;
	}
	return rounds >= POLL_WAITS - 1;
}

bool root_cause_polls(const struct link *k)
{
	return k->wait == CT_W_SLEEP && k->waits >= POLL_WAITS && k->total_ns / k->waits < POLL_WAIT_NS &&
	       k->running_ns + k->other_ns < k->total_ns / 2;
}

/* Returns true if b is the other end of a, or the unconnected socket to which a sends. False for
 * unix sockets. */
static bool is_other_end(const struct graph *g, uint64_t a, uint64_t b)
{
	const struct window_object *x = graph_object(g, a), *y = graph_object(g, b);

	if (!x || !y || x->family == AF_UNIX || CT_OBJ_KIND(b) != CT_OBJ_SOCK)
		return false;
	return graph_peer_object(g, a) == b || (!y->rport && y->lport == x->rport && y->type == x->type);
}

/* The task of the link `before` waits on the socket before->obj. If the event loop k polls the other end
 * of this socket, returns that end, otherwise 0. If k waits on an epoll, the sockets in the epoll may not
 * be known, so they are not checked. Then returns the other end, or before->obj if the other end is not
 * known. */
static uint64_t loop_socket(const struct graph *g, const struct link *before, const struct link *k)
{
	size_t n;
	const struct graph_ref *r;

	if (k->wait == CT_W_EPOLL)
		return graph_peer_object(g, before->obj) ? graph_peer_object(g, before->obj) : before->obj;
	r = graph_refs(&g->waitfds, k->wait == CT_W_POLL ? k->tid : 0, &n);
	for (size_t i = 0; i < n; i++)
		if (is_other_end(g, before->obj, g->w->events[r[i].event].r.obj))
			return g->w->events[r[i].event].r.obj;
	return 0;
}

/* The task of the link before the last one waits for an answer from the task of the last link. The
 * network is the cause, and neither of the two tasks, if both of these are true:
 * - The remote address of the request is not known to be on this machine (graph_is_local()).
 * - No record shows that the request arrived.
 * Then removes the last link. */
static void find_lost_message(struct findings *f)
{
	struct link *k = last_link(f), *before = k - 1;
	const struct window_object *o;
	const struct graph_ref *sent, *got;
	uint64_t at;

	if (f->chain.links.n < 2 || f->chain.end != END_LEAF || !before->owed ||
	    (f->chain.leaf.ended && f->chain.leaf.time != TIME_NETWORK))
		return;
	o = graph_object(f->g, before->obj);
	if (!o || o->family == AF_UNIX || !o->rport || graph_is_local(f->g, before->obj))
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

/* If a script starts sleep(1) again and again, the script polls, not the child. */
static void find_sleeping_children(struct findings *f)
{
	struct link *k = last_link(f), *before = k - 1;

	if (f->chain.links.n < 2 || f->chain.end != END_LEAF || !root_cause_polls(k) ||
	    before->edge != EDGE_EXIT || before->waits < POLL_WAITS)
		return;
	free(k->resource);
	f->chain.links.n--;
	before->edge = 0;
	before->wait = CT_W_SLEEP;
	before->state = LINK_SLEEPING;
	before->kind = RESOURCE_TIMER;
}

/* Returns true if no single wait of link k explains the wait of the link before it: the task ran several
 * children, one after the other, or did something else. */
static bool has_no_long_wait(const struct link *k)
{
	return k->longest_ns <= k[-1].total_ns / 2;
}

/* Returns true if link k waits for the end of a child, or for the output of a descendant. */
static bool waits_for_own(const struct findings *f, const struct link *k)
{
	return k->edge == EDGE_EXIT || k->edge == EDGE_FORK ||
	       (k->kind == RESOURCE_PIPE && k->wait != CT_W_WRITE &&
		graph_descends_from(f->g, k[1].task, k->pid));
}

/* Blames no task for a wait on obj. */
static struct blame input_from_outside(uint64_t obj)
{
	return (struct blame){
		.task = GRAPH_NONE, .event = GRAPH_NONE, .obj = obj, .kind = RESOURCE_INPUT, .time = TIME_IPC
	};
}

/* A task of the chain may read from an ancestor, such as a terminal or a script. The next link is
 * then this ancestor. Ends the chain at the task that reads if the ancestor has no part in the
 * work. This is so if one of these is true:
 * - The ancestor and all later links only wait for children, and the chain ends in a wait with no task to
 *   blame, other than a wait for a disk: the ancestor seems to idle.
 * - The ancestor runs other children, one after the other, and perhaps reads their output: none of these
 *   children is to blame. */
static int find_driver(struct findings *f)
{
	struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n, at;
	struct words t = { 0 };
	bool runs;

	if (f->chain.end == END_CYCLE || f->starved || f->spins || chain_waits_for_files(&f->chain))
		return 0;
	for (at = 1; at + 1 < n; at++)
		if ((v[at].wait == CT_W_READ || ct_wait_is_poll(v[at].wait)) &&
		    (v[at].kind == RESOURCE_PIPE || v[at].kind == RESOURCE_INPUT) &&
		    graph_descends_from(f->g, v[at].task, f->g->tasks[v[at + 1].task].tgid))
			break;
	if (at + 1 >= n)
		return 0;
	runs = at + 2 < n && has_no_long_wait(&v[at + 1]) && waits_for_own(f, &v[at + 1]);
	if (f->chain.end != END_LEAF && !runs)
		return 0;
	for (size_t i = at + 1; !runs && i + 1 < n; i++)
		if (v[i].edge != EDGE_EXIT && v[i].edge != EDGE_FORK)
			return 0;
	words_add(&t, "%s[%u] reads what %s[%u], which started it, writes: taken for its input", v[at].comm,
		  v[at].tid, v[at + 1].comm, v[at + 1].tid);
	if (add_choice(f, &t))
		return -ENOMEM;
	f->writer = (struct writer){ .reader = v[at].task,
				     .tid = v[at + 1].tid,
				     .task = v[at + 1].task,
				     .edge = v[at].edge,
				     .strength = v[at].strength };
	memcpy(f->writer.comm, v[at + 1].comm, sizeof(f->writer.comm));
	chain_cut(&f->chain, at + 1);
	v[at].kind = RESOURCE_INPUT;
	if (f->chain.end != END_LEAF)
		f->chain.leaf = input_from_outside(v[at].obj);
	f->chain.end = END_LEAF;
	f->pool = 0;
	f->work_or_cpu = false;
	return 0;
}

static void find_idle_client(struct findings *f)
{
	struct link *v = f->chain.links.v;
	size_t n = f->chain.links.n, at = 1;

	if (f->chain.end != END_LEAF || chain_waits_for_files(&f->chain))
		return;
	/* A thread does not idle while another thread of its process waits for it, unless it waits for news.
	 */
	while (at + 1 < n && !idle_client_awaits_news(f->g, &f->chain, at) &&
	       (CT_OBJ_KIND(v[at].obj) != CT_OBJ_SOCK || v[at].pid == v[at - 1].pid ||
		!idle_client(f->g, &f->chain, at)))
		at++;
	if (at + 1 >= n)
		return;
	chain_cut(&f->chain, at + 1);
	v[at].kind = RESOURCE_INPUT;
	f->chain.leaf = input_from_outside(v[at].obj);
	f->guessed_idle = true;
}

/* The last task is a thread that woke an event loop of its process at the time of its own timer, and the
 * event loop idles since then: ends the chain at the event loop. */
static int find_idle_loop(struct findings *f)
{
	size_t n = f->chain.links.n;
	struct link *loop = n > 2 ? &f->chain.links.v[n - 2] : NULL;
	bool timer = f->chain.end == END_LEAF && f->chain.leaf.kind == RESOURCE_TIMER;
	uint64_t obj = loop && timer ? idle_loop_input(f->g, loop) : 0;
	char buf[DESCRIBE_MAX];

	if (!obj)
		return 0;
	chain_cut(&f->chain, n - 1);
	free(loop->resource);
	describe_object(f->g->w, obj, buf, sizeof(buf));
	loop->resource = strdup(buf);
	loop->kind = RESOURCE_INPUT;
	loop->obj = obj;
	f->chain.leaf = input_from_outside(obj);
	f->guessed_idle = true;
	return loop->resource ? 0 : -ENOMEM;
}

/* If a signal ended the wait, k->obj is the signal, not the futex. */
static bool is_about(const struct ct_rec *r, const struct link *k)
{
	return r->kind == CT_FUTEX && r->tid == k->tid &&
	       (r->obj == k->obj || CT_OBJ_KIND(k->obj) != CT_OBJ_FUTEX);
}

static bool find_own_lock(struct findings *f)
{
	const struct link *k = last_link(f);
	const struct graph *g = f->g;
	const struct window_event *e = g->w->events;
	const struct graph_ref *r;
	uint32_t wait;
	size_t n, at;

	if (f->chain.end != END_LEAF || k->wait != CT_W_FUTEX || k->waits > 1)
		return false;
	wait = graph_interval_at(g, k->task, k->from_ns);
	if (wait == GRAPH_NONE)
		return false;
	if (owner_is_own_lock(g, &g->intervals[wait]))
		return true;
	/* the record of the futex lies in the wait, or in the interval before it */
	wait -= wait > g->tasks[k->task].first_interval;
	r = graph_refs_from(g, &g->own_locks, k->tid, g->intervals[wait].from_ns, &n);
	while (n > 0 && (e[r[n - 1].event].r.ts >= k->to_ns || !is_about(&e[r[n - 1].event].r, k)))
		n--;
	if (!n)
		return false;
	for (at = r[n - 1].event + 1; at < g->w->n_events && e[at].r.ts < k->to_ns; at++)
		if (is_about(&e[at].r, k))
			return false;
	return true;
}

static unsigned threads_at(const struct graph *g, uint32_t tgid, uint64_t ts_ns)
{
	size_t n;
	const struct graph_ref *r = graph_refs(&g->threads, tgid, &n);
	unsigned alive = 0;

	for (size_t i = 0; i < n; i++)
		alive += g->tasks[r[i].event].born_ns <= ts_ns && g->tasks[r[i].event].exit_ns > ts_ns;
	return alive;
}

static bool has_execed(const struct graph *g, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	const struct window_event *e = g->w->events;

	for (size_t i = window_lower_bound(g->w, from_ns); i < g->w->n_events && e[i].r.ts < to_ns; i++)
		if (e[i].r.kind == CT_EXEC && e[i].r.tid == tid)
			return true;
	return false;
}

/* fork() copies the memory of a process, but only one of its threads. If another thread held a lock, the
 * copy of this lock stays locked, because the child has no thread that unlocks it. A futex with a name is
 * a global variable. The child has its own copy of this variable, so no other process can wake the child.
 * Sets parent_threads if the last task of the chain waits in this way. */
static void find_lost_lock(struct findings *f)
{
	const struct link *k = last_link(f);
	const struct graph *g = f->g;
	const struct graph_task *t = &g->tasks[k->task];
	const struct window_object *o = graph_object(g, k->obj);
	uint32_t wait = graph_interval_at(g, k->task, k->from_ns);

	if (f->chain.end != END_LEAF || f->chain.leaf.ended || k->wait != CT_W_FUTEX || !k->unfinished ||
	    wait == GRAPH_NONE || g->intervals[wait].flags & CT_SF_TIMEOUT)
		return;
	if (CT_OBJ_KIND(k->obj) != CT_OBJ_FUTEX || !o || !*o->name)
		return;
	if (!t->born_ns || t->tid != t->tgid || t->parent == GRAPH_NONE ||
	    threads_at(g, t->tgid, k->from_ns) > 1 ||
	    threads_at(g, g->tasks[t->parent].tgid, t->born_ns) < 2 ||
	    has_execed(g, t->tid, t->born_ns, k->from_ns))
		return;
	f->parent_threads = threads_at(g, g->tasks[t->parent].tgid, t->born_ns);
}

/* The last task idles in its event loop. Returns the link before its process if this link waits for a
 * connection that the process has not accepted. Otherwise returns NULL. */
static const struct link *unaccepted_by_last(const struct findings *f, uint64_t *ret_until_ns)
{
	const struct link *v = f->chain.links.v, *last = &v[f->chain.links.n - 1], *k;
	size_t n = f->chain.links.n;
	const struct interval *s;
	uint32_t i;

	while (n && v[n - 1].pid == last->pid)
		n--;
	if (!n)
		return NULL;
	k = &v[n - 1];
	i = graph_interval_at(f->g, k->task, k->to_ns - 1);
	s = i == GRAPH_NONE ? NULL : &f->g->intervals[i];
	if (!s || s->state != INTERVAL_BLOCKED ||
	    !pool_is_unaccepted(f->g, k->obj, last->task, s->from_ns, s->to_ns))
		return NULL;
	*ret_until_ns = s->to_ns;
	return k;
}

/* The last task idles in its event loop, although it has to accept a connection: perhaps it has as many
 * connections as it may have. If one process has most of them, continues the chain with this process. */
static int find_crowd(struct findings *f, bool *ret_done)
{
	struct link *k = last_link(f);
	uint64_t until_ns;
	const struct link *from = ct_wait_is_poll(k->wait) && f->chain.leaf.task == GRAPH_NONE
					  ? unaccepted_by_last(f, &until_ns)
					  : NULL;
	struct words w = { 0 };
	struct crowd c;

	if (!from)
		return 0;
	if (crowd_find(f->g, from->obj, k->task, until_ns, &c))
		return -ENOMEM;
	if (c.task == GRAPH_NONE || chain_has_task(&f->chain, 0, c.task))
		return 0;
	words_add(&w,
		  "%s[%u] accepts no connection; %s[%u] has %u of its %u connections: taken for the reason",
		  k->comm, k->tid, graph_comm(f->g, c.task, k->to_ns), f->g->tasks[c.task].tid, c.n, c.all);
	if (add_choice(f, &w))
		return -ENOMEM;
	words_add(&w, "one of its %u connections", c.all);
	free(k->resource);
	k->resource = words_take(&w);
	if (!k->resource)
		return -ENOMEM;
	k->kind = RESOURCE_UNKNOWN;
	k->obj = 0;
	*ret_done = true;
	return follow(f, c.task, k->from_ns, k->to_ns, EDGE_OWNER, EDGE_WEAK);
}

int root_cause_find(struct findings *f)
{
	struct link *k = last_link(f);
	bool done = false;
	int r = 0;

	f->work_or_cpu = false;
	if (f->chain.end == END_RUNNABLE && !has_child(f->g, k))
		r = find_polled_thread(f, &done);
	if (r || done)
		return r;
	/* a polling task gives up the CPU by itself, so more CPU time would not help it */
	if (f->chain.end == END_RUNNABLE || f->chain.end == END_RUNNING ||
	    (f->chain.end == END_FOLDED && root_cause_ran(k)))
		r = find_spin(f, &done);
	if (!r && !done && f->chain.end == END_FOLDED)
		r = find_folded_queue(f);
	if (!r && !f->spins && !done &&
	    (f->chain.end == END_RUNNABLE ||
	     (f->chain.end == END_RUNNING && k->runnable_ns > k->total_ns / BRANCH_SHARE)))
		r = find_cpu(f);
	if (!r && f->chain.end == END_LEAF && root_cause_polls(k))
		r = find_sleepy_spin(f, &done);
	if (!r && !done && f->chain.end == END_LEAF && root_cause_polls(k))
		r = find_polled_child(f, 0, &done);
	else if (!r && !done && f->chain.end == END_LEAF && to_accept(f))
		r = find_polled_child(f, to_accept(f), &done);
	if (!r && !done && f->chain.end == END_LEAF && root_cause_polls(k))
		r = find_polled_thread(f, &done);
	if (!r && !done && f->chain.end == END_LEAF && root_cause_polls(k))
		r = find_prompted(f, &done);
	if (!r && !done && f->chain.end == END_LEAF)
		r = find_crowd(f, &done);
	if (r || done)
		return r;
	if (!f->spins && f->chain.links.n > 1 &&
	    (f->chain.end == END_RUNNING || (f->chain.end == END_LEAF && k->tid == k->pid))) {
		f->pool = pool_workers(f->g, k->task, k[-1].obj, k->from_ns, k->to_ns);
		f->pool_task = k->task;
	}
	f->own_lock = find_own_lock(f);
	if (f->own_lock)
		f->chain.rivals.n = 0;
	f->circular = f->own_lock || f->chain.end == END_CYCLE;
	find_lost_lock(f);
	find_lost_message(f);
	find_sleeping_children(f);
	if (f->chain.end == END_LEAF && root_cause_polls(last_link(f)))
		r = find_prompted(f, &done);
	if (r || done)
		return r;
	r = find_driver(f);
	if (!r)
		r = find_idle_loop(f);
	find_idle_client(f);
	if (!r && f->chain.end == END_LEAF && f->chain.leaf.kind == RESOURCE_DISK)
		r = find_disk(f);
	return r;
}

/* Returns the victim's last wait in the chain, if no task has ended it. Otherwise returns GRAPH_NONE. */
static uint32_t lasting_wait(const struct findings *f)
{
	const struct link *k = &f->chain.links.v[0];
	uint32_t i = graph_interval_at(f->g, k->task, k->to_ns - 1);
	const struct interval *s = i == GRAPH_NONE ? NULL : &f->g->intervals[i];

	return s && s->state == INTERVAL_BLOCKED &&
			       (k->killed || s->wake == GRAPH_NONE ||
				edge_by_timer(f->g, s, &f->g->w->events[s->wake]))
		       ? i
		       : GRAPH_NONE;
}

/* Lists the tasks that may still work for the victim, or for the producer (producer_of()). */
static int say_onward(struct findings *f, bool producer, const struct enders *all)
{
	const struct link *k = last_link(f), *asks = producer ? k : &f->chain.links.v[0];
	struct words w = { 0 };

	words_add(&w, "%s[%u] idles; ", k->comm, k->tid);
	for (size_t i = 0; i < all->n; i++)
		words_add(&w, "%s%s[%u]", i ? i + 1 < all->n ? ", " : " and " : "",
			  graph_comm(f->g, all->v[i], k->to_ns), f->g->tasks[all->v[i]].tid);
	words_add(&w, " still work%s on what %s[%u] has caused%s", all->n == 1 ? "s" : "", asks->comm,
		  asks->tid, all->n == 1 ? ": taken for the reason" : "");
	return add_choice(f, &w);
}

/* Returns the process of the last task if the task before it reads its output from a pipe: it works only for
 * this reader. Otherwise returns 0. */
static uint32_t producer_of(struct findings *f)
{
	const struct link *k = last_link(f);

	return k[-1].kind == RESOURCE_PIPE && k[-1].wait != CT_W_WRITE && k->pid != k[-1].pid ? k->pid : 0;
}

/* Returns true if the last task of the chain idles: in its event loop, or as a producer, on a futex. If
 * blame_debt() looked at what its process does for the request (blame.request), its result holds. */
static bool ends_idle(struct findings *f)
{
	const struct link *k = last_link(f);

	return f->chain.end == END_LEAF && !f->chain.leaf.ended && f->chain.leaf.task == GRAPH_NONE &&
	       !f->chain.leaf.request.since_ns && !k->owed && !f->circular &&
	       (ct_wait_is_poll(k->wait) || k->wait == CT_W_ACCEPT ||
		(k->wait == CT_W_FUTEX && producer_of(f) &&
		 !chain_has_lock(f->chain.links.v, f->chain.links.n)));
}

int root_cause_onward(struct findings *f)
{
	struct link *k = last_link(f);
	uint32_t wait = f->chain.links.n > 1 && ends_idle(f) ? lasting_wait(f) : GRAPH_NONE;
	uint64_t from_ns = f->chain.links.v[0].from_ns, to_ns;
	struct enders all;

	/* Without a person who asks, nobody knows that the victim waits for its last work. */
	if (wait == GRAPH_NONE || !f->chain.options.window_given)
		return 0;
	to_ns = MIN(f->chain.links.v[0].to_ns, f->g->intervals[wait].to_ns);
	if (!onward_find(f->g, wait, from_ns + (to_ns - from_ns) / 2, to_ns, producer_of(f), &all) || !all.n)
		return 0;
	for (size_t i = 0; i < all.n; i++)
		if (chain_has_task(&f->chain, 0, all.v[i]))
			return 0;
	if (say_onward(f, producer_of(f), &all))
		return -ENOMEM;
	if (all.n > 1)
		return 0;
	free(k->resource);
	k->resource = strdup("");
	if (!k->resource)
		return -ENOMEM;
	k->kind = RESOURCE_UNKNOWN;
	k->obj = 0;
	return follow(f, all.v[0], k->from_ns, k->to_ns, EDGE_OWNER, EDGE_WEAK);
}
