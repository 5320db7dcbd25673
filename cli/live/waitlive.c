/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/live/waitlive.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctrace/glibc.h"
#include "lib/cleanup.h"
#include "trace/words/selector.h"

/* The id of a thread is its tid. The id of a process is its pid with this bit. */
#define PROCESS (1ULL << 32)

#define CHAIN_MAX 256

/* ns between two looks at the chains. A cycle whose tasks have run in between is no deadlock. */
#define SETTLE_NS 20000000L

static bool is_thread(uint64_t id)
{
	return !(id & PROCESS);
}

static const struct procwait *wait_of(const struct waitlive *w, const struct proctask_thread *th)
{
	return &w->waits[th - w->tables.tasks.threads.v];
}

static bool any_owes(const struct procwait *w)
{
	for (size_t i = 0; i < w->targets.n; i++)
		if (w->targets.v[i].owes)
			return true;
	return false;
}

/* Several threads may be the one for which a task waits. w is the wait of one of these threads. Returns how
 * unlikely it is that the task waits for this thread: from 0 (most likely) to 10. */
static unsigned unlikeliness(const struct procwait *w)
{
	switch (w->class) {
	case PROCWAIT_WAIT:
		if (any_owes(w))
			return 0;
		return w->targets.v[0].sure ? 4 : 6;
	case PROCWAIT_RUN:
		return 1;
	case PROCWAIT_DISK:
		return 2;
	case PROCWAIT_STOPPED:
		return 3;
	case PROCWAIT_TIMER:
		return 5;
	case PROCWAIT_EXTERNAL:
		return 7;
	case PROCWAIT_UNKNOWN:
		return 8;
	case PROCWAIT_IDLE:
		return 9;
	case PROCWAIT_GONE:
		return 10;
	}
	return 10;
}

static unsigned target_unlikeliness(const struct waitlive *w, const struct procwait_target *t)
{
	const struct proctask *tasks = &w->tables.tasks;
	const struct proctask_thread *th = t->is_thread ? proctask_by_tid(tasks, t->id) : NULL;
	const struct proctask_proc *p = t->is_thread ? NULL : proctask_by_pid(tasks, t->id);
	unsigned best = th ? unlikeliness(wait_of(w, th)) : 10;

	for (uint32_t i = 0; p && i < p->n_threads; i++)
		best = MIN(best, unlikeliness(&w->waits[p->first_thread + i]));
	return best;
}

static bool is_self(const struct waitlive *w, const struct proctask_thread *th)
{
	return w->tables.tasks.procs.v[th->proc].pid == (uint32_t)getpid();
}

/* Removes ctrace itself from the targets: a wait for ctrace ends before a person can read about it. */
static void forget_self(struct procwait *wait)
{
	for (size_t i = 0; i < wait->targets.n; i++) {
		if (wait->targets.v[i].id != (uint32_t)getpid())
			continue;
		wait->targets.v[i] = wait->targets.v[wait->targets.n - 1];
		wait->targets.n--;
		wait->open = true;
		if (!wait->targets.n)
			wait->class = PROCWAIT_IDLE;
		return;
	}
}

static int add_thread(struct waitlive *w, const struct proctask_thread *th, const struct procwait *wait)
{
	/* several tasks may own a file lock together, and all of them must release it */
	enum waitgraph_need need = strcmp(wait->kind, "file-lock") ? WAITGRAPH_ANY : WAITGRAPH_ALL;
	int r;

	if (is_self(w, th))
		return 0;
	r = waitgraph_node(w->graph, th->tid, need, wait->open || wait->class != PROCWAIT_WAIT);

	for (unsigned rank = 0; r >= 0 && rank <= 10; rank++) {
		for (size_t i = 0; r >= 0 && i < wait->targets.n; i++) {
			const struct procwait_target *t = &wait->targets.v[i];

			if (target_unlikeliness(w, t) != rank)
				continue;
			r = waitgraph_edge(w->graph, th->tid, t->is_thread ? t->id : t->id | PROCESS,
					   t->sure ? WAITGRAPH_STRONG : WAITGRAPH_WEAK, i);
		}
	}
	return r;
}

static int add_process(struct waitlive *w, const struct proctask_proc *p)
{
	int r;

	if (p->pid == (uint32_t)getpid())
		return 0;
	r = waitgraph_node(w->graph, p->pid | PROCESS, WAITGRAPH_ANY, false);
	for (unsigned rank = 0; r >= 0 && rank < 10; rank++) {
		for (uint32_t i = 0; r >= 0 && i < p->n_threads; i++) {
			const struct proctask_thread *th = &w->tables.tasks.threads.v[p->first_thread + i];

			if (unlikeliness(wait_of(w, th)) == rank)
				r = waitgraph_edge(w->graph, p->pid | PROCESS, th->tid, WAITGRAPH_STRONG, 0);
		}
	}
	return r;
}

static int build(struct waitlive *w)
{
	const struct proctask *t = &w->tables.tasks;
	int r = 0;

	w->graph = waitgraph_new();
	w->waits = calloc(t->threads.n + 1, sizeof(*w->waits));
	if (!w->graph || !w->waits)
		return -ENOMEM;
	for (size_t i = 0; r >= 0 && i < t->threads.n; i++) {
		r = procwait_get(&w->tables, &t->threads.v[i], &w->waits[i]);
		forget_self(&w->waits[i]);
	}
	for (size_t i = 0; r >= 0 && i < t->threads.n; i++)
		r = add_thread(w, &t->threads.v[i], &w->waits[i]);
	for (size_t i = 0; r >= 0 && i < t->procs.n; i++)
		r = add_process(w, &t->procs.v[i]);
	return r < 0 ? r : waitgraph_solve(w->graph);
}

static int add_links(struct waitlive *w, struct waitlive_chain *c, const struct waitgraph_step *steps,
		     size_t n)
{
	const struct proctask *tasks = &w->tables.tasks;

	for (size_t i = 0; i < n; i++) {
		struct waitlive_link l = { .one_of = 1 };

		if (!is_thread(steps[i].id))
			continue;
		l.th = proctask_by_tid(tasks, steps[i].id);
		if (!l.th)
			continue;
		l.wait = wait_of(w, l.th);
		if (steps[i].resource < l.wait->targets.n) {
			const struct procwait_target *t = &l.wait->targets.v[steps[i].resource];

			l.sure = t->sure;
			l.owes = t->owes;
			l.one_of = l.wait->targets.n;
		}
		if (VEC_PUSH(&c->links, l) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool root_is_idle(const struct waitlive_chain *c)
{
	const struct procwait *w = c->links.v[c->links.n - 1].wait;

	return w->class == PROCWAIT_IDLE || w->class == PROCWAIT_UNKNOWN || w->class == PROCWAIT_GONE;
}

static bool any_link_owes(const struct waitlive_chain *c)
{
	for (size_t i = 0; i + !c->cycle < c->links.n; i++)
		if (c->links.v[i].owes)
			return true;
	return false;
}

/* cyclic: the chain ends in a cycle, not at a root (waitgraph_info.cyclic). */
static bool worth_telling(const struct waitlive_chain *c, bool cyclic)
{
	/* Two threads that read from each other are no deadlock if other threads of their processes
	 * still write. So each wait of the cycle has to be for one known thing, such as a lock that
	 * the next task owns. Then the cycle is `strong`. */
	if (c->cycle)
		return c->strong && (c->closed || (cyclic && any_link_owes(c)));
	if (c->links.n == 1)
		return c->links.v[0].wait->class == PROCWAIT_STOPPED ||
		       c->links.v[0].wait->class == PROCWAIT_DISK;
	if (any_link_owes(c))
		return true;
	/* A chain that ends in a cycle is not worth telling: the tasks of the cycle may be idle and
	 * poll each other. */
	return cyclic ? false : !root_is_idle(c);
}

static int keep(struct waitlive *w, struct waitlive_chain *c)
{
	int r = 0;

	if (c->links.n) {
		r = VEC_PUSH(&w->chains, *c);
		if (r == 0)
			return 0;
	}
	VEC_FREE(&c->links);
	return r;
}

static size_t index_of(const struct waitlive *w, const struct proctask_thread *th)
{
	return (size_t)(th - w->tables.tasks.threads.v);
}

static bool passes(const struct waitlive *w, const struct waitlive_chain *c, const bool *chosen)
{
	for (size_t i = 0; chosen && i < c->links.n; i++)
		if (chosen[index_of(w, c->links.v[i].th)])
			return true;
	return !chosen;
}

static bool process_fits(const struct proctask_proc *p, const struct selector *who)
{
	char cgroup[PATH_MAX];
	struct cgroup_name name;

	if (who->pid && who->pid != p->pid)
		return false;
	if (!who->cgroup && !who->container)
		return true;
	proctask_cgroup(p->pid, cgroup, sizeof(cgroup));
	name = cgroup_name_of_path(cgroup);
	return cgroup_name_matches(&name, who->cgroup, who->container);
}

/* Sets *ret to an array with an element for each thread, which is true if the thread fits. Without `who`,
 * sets *ret to NULL. Returns 0, -ENOMEM, or -ESRCH if no thread fits. */
static int choose(const struct proctask *t, const struct selector *who, bool **ret)
{
	bool any = false;

	*ret = NULL;
	if (!who || !selector_is_set(who))
		return 0;
	*ret = calloc(t->threads.n + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < t->procs.n; i++) {
		const struct proctask_proc *p = &t->procs.v[i];

		if (!process_fits(p, who))
			continue;
		for (uint32_t k = p->first_thread; k < p->first_thread + p->n_threads; k++) {
			const struct proctask_thread *th = &t->threads.v[k];

			(*ret)[k] = (!who->tid || th->tid == who->tid) &&
				    (!who->comm || !strcmp(th->comm, who->comm));
			any |= (*ret)[k];
		}
	}
	return any ? 0 : -ESRCH;
}

/* Returns true if a signal handler may break the cycle: all tasks of the cycle are in one process, which
 * has signal handlers, and they wait for pipes, eventfds or Unix sockets. In many programs, the main loop
 * reads from a pipe to which a signal handler writes. Handlers of faults and of glibc's own signals write to
 * no such pipe. */
static bool handler_may_break(const struct waitlive *w, const struct waitlive_chain *c)
{
	static const int others[] = { SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, GLIBC_SIGNALS };
	uint64_t mask = 0;

	for (size_t i = 0; i < c->links.n; i++) {
		const struct waitlive_link *l = &c->links.v[i];

		if (l->th->proc != c->links.v[0].th->proc ||
		    (strcmp(l->wait->kind, "pipe") && strcmp(l->wait->kind, "eventfd") &&
		     strcmp(l->wait->kind, "unix")))
			return false;
		mask = w->tables.tasks.procs.v[l->th->proc].handlers;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		mask &= ~(1ULL << (others[i] - 1));
	return mask;
}

static int collect_cycles(struct waitlive *w, const bool *chosen)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < waitgraph_cycles_cnt(w->graph); i++) {
		const struct waitgraph_cycle *cy = waitgraph_cycle(w->graph, i);
		struct waitlive_chain c = { .cycle = true, .closed = cy->closed, .strong = cy->strong };
		struct waitgraph_info info;

		(void)waitgraph_info(w->graph, cy->steps[0].id, &info);
		r = add_links(w, &c, cy->steps, cy->n_steps);
		c.strong = c.strong && !handler_may_break(w, &c);
		c.told = c.links.n && worth_telling(&c, info.cyclic);
		if (r < 0 || !passes(w, &c, chosen))
			VEC_FREE(&c.links);
		else
			r = keep(w, &c);
	}
	return r;
}

/* Link n waits for some tasks and processes. Returns true if all of these are later links of the chain.
 * Example: a shell waits for its only child. */
static bool all_follow(const struct waitlive *w, const struct waitlive_chain *c, size_t n)
{
	const struct procwait *wait = c->links.v[n].wait;

	for (size_t i = 0; i < wait->targets.n; i++) {
		const struct procwait_target *t = &wait->targets.v[i];
		bool found = false;

		for (size_t k = n + 1; !found && k < c->links.n; k++) {
			const struct proctask_thread *th = c->links.v[k].th;

			found = (t->is_thread ? th->tid : w->tables.tasks.procs.v[th->proc].pid) == t->id;
		}
		if (!found)
			return false;
	}
	return true;
}

/* Removes links from the start of the chain while the first task may be idle: it waits in an event
 * loop, or several tasks could end its wait. */
static void trim(const struct waitlive *w, struct waitlive_chain *c)
{
	size_t n = 0;

	while (n + 1 < c->links.n && !c->links.v[n].owes &&
	       (c->links.v[n].wait->loop ||
		(c->links.v[n].one_of > 1 && n + 2 < c->links.n && !all_follow(w, c, n))))
		n++;
	memmove(c->links.v, c->links.v + n, (c->links.n - n) * sizeof(*c->links.v));
	c->links.n -= n;
}

static int collect_chain(struct waitlive *w, uint64_t id, const struct waitgraph_info *info, bool whole)
{
	struct waitgraph_step steps[CHAIN_MAX];
	size_t n = MIN(waitgraph_chain(w->graph, id, steps, CHAIN_MAX), (size_t)CHAIN_MAX);
	struct waitlive_chain c = { 0 };
	struct waitgraph_info root;
	int r = add_links(w, &c, steps, n);

	if (r < 0) {
		VEC_FREE(&c.links);
		return r;
	}
	c.told = c.links.n && worth_telling(&c, info->cyclic);
	if (!whole && c.told) {
		trim(w, &c);
		c.told = worth_telling(&c, info->cyclic);
	}
	if (waitgraph_info(w->graph, info->root_id, &root))
		c.root_waiters_cnt = root.waiters_cnt;
	return keep(w, &c);
}

static bool on_told_cycle(const struct waitlive *w, const struct proctask_thread *th)
{
	for (size_t i = 0; i < w->chains.n; i++) {
		const struct waitlive_chain *c = &w->chains.v[i];

		for (size_t k = 0; c->cycle && c->told && k < c->links.n; k++)
			if (c->links.v[k].th == th)
				return true;
	}
	return false;
}

static int collect_chains(struct waitlive *w, const bool *chosen)
{
	const struct proctask *t = &w->tables.tasks;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < t->threads.n; i++) {
		const struct proctask_thread *th = &t->threads.v[i];
		const struct proctask_proc *p = &t->procs.v[th->proc];
		struct waitgraph_info info;

		if ((p->kthread && w->waits[i].class != PROCWAIT_DISK) || (chosen && !chosen[i]))
			continue;
		if (waitgraph_info(w->graph, th->tid, &info) && !on_told_cycle(w, th))
			r = collect_chain(w, th->tid, &info, chosen != NULL);
	}
	return r;
}

static int drop_tails(struct waitlive *w)
{
	_cleanup_free_ bool *seen = calloc(w->tables.tasks.threads.n + 1, sizeof(*seen));
	const struct proctask_thread *first = w->tables.tasks.threads.v;
	size_t n = 0;

	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < w->chains.n; i++)
		for (size_t k = 1; w->chains.v[i].told && k < w->chains.v[i].links.n; k++)
			seen[w->chains.v[i].links.v[k].th - first] = true;
	for (size_t i = 0; i < w->chains.n; i++) {
		struct waitlive_chain *c = &w->chains.v[i];

		if (!c->cycle && seen[c->links.v[0].th - first]) {
			VEC_FREE(&c->links);
			continue;
		}
		/* After trim(), several chains may begin with the same task: keep only the first. */
		if (!c->cycle)
			seen[c->links.v[0].th - first] = true;
		w->chains.v[n++] = *c;
	}
	w->chains.n = n;
	return 0;
}

static void find_moving(struct waitlive *w)
{
	struct timespec settle = { .tv_nsec = SETTLE_NS };

	nanosleep(&settle, NULL);
	for (size_t i = 0; i < w->chains.n; i++) {
		struct waitlive_chain *c = &w->chains.v[i];
		size_t n = c->links.n;

		if (!c->told)
			continue;
		if (!c->cycle && n > 1)
			n--; /* the root may run, so it does not count */
		for (size_t k = 0; !c->moving && k < n; k++)
			c->moving = proctask_moved(&w->tables.tasks, c->links.v[k].th);
	}
}

static int compare_chains(const void *a, const void *b)
{
	const struct waitlive_chain *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle ? -1 : 1;
	if (x->told != y->told)
		return x->told ? -1 : 1;
	if (x->moving != y->moving)
		return x->moving ? 1 : -1;
	if (any_link_owes(x) != any_link_owes(y))
		return any_link_owes(x) ? -1 : 1;
	if (x->links.n != y->links.n)
		return x->links.n > y->links.n ? -1 : 1;
	if (x->root_waiters_cnt != y->root_waiters_cnt)
		return x->root_waiters_cnt > y->root_waiters_cnt ? -1 : 1;
	return x->links.v[0].th->tid < y->links.v[0].th->tid ? -1 : 1;
}

int waitlive_read(struct waitlive *before, uint64_t keep_ns, const struct selector *who, struct waitlive *ret)
{
	_cleanup_free_ bool *chosen = NULL;
	struct waitlive w = { 0 };
	int r = procwait_tables_read(before ? &before->tables : NULL, keep_ns, &w.tables);

	if (r >= 0)
		r = choose(&w.tables.tasks, who, &chosen);
	if (r >= 0)
		r = build(&w);
	if (r >= 0)
		r = collect_cycles(&w, chosen);
	if (r >= 0)
		r = collect_chains(&w, chosen);
	if (r >= 0 && !chosen)
		r = drop_tails(&w);
	if (r < 0) {
		waitlive_done(&w);
		return r;
	}
	find_moving(&w);
	if (w.chains.n)
		qsort(w.chains.v, w.chains.n, sizeof(*w.chains.v), compare_chains);
	*ret = w;
	return 0;
}

void waitlive_done(struct waitlive *w)
{
	for (size_t i = 0; i < w->chains.n; i++)
		VEC_FREE(&w->chains.v[i].links);
	VEC_FREE(&w->chains);
	for (size_t i = 0; w->waits && i < w->tables.tasks.threads.n; i++)
		procwait_done(&w->waits[i]);
	free(w->waits);
	w->waits = NULL;
	waitgraph_free(w->graph);
	w->graph = NULL;
	procwait_tables_done(&w->tables);
}

const struct proctask_proc *waitlive_proc(const struct waitlive *w, const struct proctask_thread *th)
{
	return &w->tables.tasks.procs.v[th->proc];
}
