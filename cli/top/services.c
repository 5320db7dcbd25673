// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/top/services.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/live/waitwords.h"
#include "cli/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/hash.h"

/* The wait of a thread for another one. link NULL: none */
struct awaiting {
	const struct waitlive_link *link, *next;
};

struct updating {
	struct top_services *s;
	const struct top *t;
	const struct waitlive *w;
	uint64_t now_ns;
	struct awaiting *awaiting; /* by thread */
};

/* As in tree.c, only the first chain of a thread counts. */
static void find_awaiting(struct updating *u)
{
	for (size_t i = 0; i < u->w->chains.n; i++) {
		const struct waitlive_chain *c = &u->w->chains.v[i];

		for (size_t k = 0; c->told && !c->moving && k < c->links.n; k++) {
			const struct waitlive_link *l = &c->links.v[k];
			struct awaiting *a = &u->awaiting[l->th - u->w->tables.tasks.threads.v];

			if (!a->link && (k + 1 < c->links.n || c->cycle))
				*a = (struct awaiting){ l, &c->links.v[(k + 1) % c->links.n] };
		}
	}
}

/* Returns the service with this name. NULL: out of memory. */
static struct top_service *service_of(struct updating *u, const char *comm)
{
	struct top_service new = { .since_ns = u->now_ns };
	uint64_t key, at;

	clean_text(comm, new.name, sizeof(new.name));
	key = hash_text(HASH_START, new.name);
	if (map_get(&u->s->by_name, key, &at))
		return &u->s->v.v[at];
	if (VEC_PUSH(&u->s->v, new) || map_set(&u->s->by_name, key, u->s->v.n - 1))
		return NULL;
	return &u->s->v.v[u->s->v.n - 1];
}

/* Returns SHARES if the task is idle, sleeps, or waits for a thing that is not known. */
static enum top_share share_of(const struct updating *u, size_t thread)
{
	const struct procwait *w = &u->w->waits[thread];

	if (w->class == PROCWAIT_RUN)
		return SHARE_QUEUE; /* or it runs: times, not the present states, tell how long */
	if (w->class == PROCWAIT_DISK)
		return SHARE_DISK;
	if (!u->awaiting[thread].link)
		return SHARES;
	return !strcmp(w->kind, "futex") || !strcmp(w->kind, "file-lock") ? SHARE_LOCK : SHARE_TASKS;
}

static int set_text(const struct updating *u, struct top_service *x, size_t thread)
{
	const struct awaiting *a = &u->awaiting[thread];
	char task[WAITWORDS_MAX], what[WAITWORDS_MAX], next[WAITWORDS_MAX] = "";
	char *text = NULL;

	waitwords_task(u->w, &u->w->tables.tasks.threads.v[thread], task);
	if (a->link) {
		waitwords_wait(a->link, what);
		waitwords_task(u->w, a->next->th, next);
	} else {
		waitwords_root(&u->w->waits[thread], what);
	}
	free(x->text);
	x->text =
		asprintf(&text, "%s %s%s%s", task, what, *next ? " " : "", next) < 0 ? NULL : clean_dup(text);
	free(text);
	return x->text ? 0 : -ENOMEM;
}

/* How long the thread waited for a CPU since the last update. A wait for a CPU counts when it ends. If it
 * goes on since the last update, it counts too. */
static uint64_t queued_ns(const struct updating *u, size_t i)
{
	const struct top_age *age = &u->t->ages.v[i];
	uint64_t step_ns = u->now_ns - u->s->updated_ns;

	if (u->w->waits[i].class == PROCWAIT_RUN && !age->new_cpu_ns && !age->new_queued_ns &&
	    age->since_ns < u->now_ns)
		return step_ns;
	return MIN(age->new_queued_ns, step_ns);
}

static int read_thread(struct updating *u, struct top_service *x, size_t i)
{
	const struct proctask_thread *th = &u->w->tables.tasks.threads.v[i];
	const struct top_age *age = &u->t->ages.v[i];
	enum top_share share = share_of(u, i);
	uint64_t wait_ns = u->now_ns - age->since_ns;

	x->tasks++;
	x->cpu_ns += age->new_cpu_ns;
	x->queued_ns += queued_ns(u, i);
	if (share == SHARES || share == SHARE_QUEUE)
		return 0;
	x->now[share]++;
	if (x->tid && wait_ns <= x->wait_ns)
		return 0;
	x->tid = th->tid;
	x->wait_ns = wait_ns;
	x->at_least = age->at_least;
	return set_text(u, x, i);
}

static int read_process(struct updating *u, const struct proctask_proc *p)
{
	const struct proctask_thread *main = &u->w->tables.tasks.threads.v[p->first_thread];
	struct top_service *x;
	int r = 0;

	if (p->kthread || !p->n_threads)
		return 0;
	x = service_of(u, main->comm);
	if (!x)
		return -ENOMEM;
	x->updated_ns = u->now_ns;
	for (size_t i = p->first_thread; !r && i < p->first_thread + p->n_threads; i++)
		r = read_thread(u, x, i);
	return r;
}

static void set_averages(const struct updating *u, struct top_service *x)
{
	double step_ns = (double)(u->now_ns - u->s->updated_ns);
	double age_ns = (double)(u->now_ns - MIN(x->since_ns, u->s->updated_ns));
	double weight = step_ns / MIN(age_ns, (double)TOP_AVERAGE_NS);
	double now[SHARES];

	for (int i = 0; i < SHARES; i++)
		now[i] = x->now[i];
	now[SHARE_CPU] = (double)x->cpu_ns / step_ns;
	now[SHARE_QUEUE] = (double)x->queued_ns / step_ns;
	for (int i = 0; i < SHARES; i++)
		x->average[i] += (now[i] - x->average[i]) * MIN(weight, 1.0);
}

static void begin(struct top_service *x)
{
	x->tasks = x->tid = 0;
	x->wait_ns = x->cpu_ns = x->queued_ns = 0;
	memset(x->now, 0, sizeof(x->now));
	free(x->text);
	x->text = NULL;
}

/* Forgets the services that had no process for TOP_AVERAGE_NS. */
static int forget_old(struct updating *u)
{
	struct top_services *s = u->s;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < s->v.n; i++)
		if (s->v.v[i].updated_ns + TOP_AVERAGE_NS >= u->now_ns)
			s->v.v[n++] = s->v.v[i];
		else
			free(s->v.v[i].text);
	if (n == s->v.n)
		return 0;
	s->v.n = n;
	map_done(&s->by_name);
	for (size_t i = 0; !r && i < n; i++)
		r = map_set(&s->by_name, hash_text(HASH_START, s->v.v[i].name), i);
	return r;
}

int top_services_update(struct top_services *s, const struct top *t, const struct waitlive *w,
			uint64_t now_ns)
{
	const struct proctask *tasks = &w->tables.tasks;
	struct updating u = { s, t, w, now_ns, calloc(tasks->threads.n + 1, sizeof(*u.awaiting)) };
	int r = u.awaiting ? 0 : -ENOMEM;

	if (!r)
		find_awaiting(&u);
	for (size_t i = 0; i < s->v.n; i++)
		begin(&s->v.v[i]);
	for (size_t i = 0; !r && i < tasks->procs.n; i++)
		r = read_process(&u, &tasks->procs.v[i]);
	for (size_t i = 0; !r && s->updated_ns && i < s->v.n; i++)
		set_averages(&u, &s->v.v[i]);
	if (!r)
		r = forget_old(&u);
	free(u.awaiting);
	s->updated_ns = now_ns;
	return r;
}

void top_services_done(struct top_services *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		free(s->v.v[i].text);
	VEC_FREE(&s->v);
	map_done(&s->by_name);
}

struct order {
	const struct top_services *s;
	enum top_sort sort;
};

static uint32_t waiters(const struct top_service *x)
{
	return x->now[SHARE_DISK] + x->now[SHARE_LOCK] + x->now[SHARE_TASKS];
}

static int in_order(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct top_service *x = &o->s->v.v[*(const size_t *)a], *y = &o->s->v.v[*(const size_t *)b];

	if (o->sort == TOP_WAITERS && waiters(x) != waiters(y))
		return waiters(x) > waiters(y) ? -1 : 1;
	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	if (x->average[SHARE_CPU] != y->average[SHARE_CPU])
		return x->average[SHARE_CPU] > y->average[SHARE_CPU] ? -1 : 1;
	return strcmp(x->name, y->name);
}

int top_services_pick(const struct top_services *s, enum top_sort sort, const char *filter,
		      top_service_list *ret)
{
	struct order o = { s, sort };
	int r = 0;

	for (size_t i = 0; !r && i < s->v.n; i++) {
		const struct top_service *x = &s->v.v[i];

		if (x->updated_ns == s->updated_ns &&
		    (strcasestr(x->name, filter) || (x->text && strcasestr(x->text, filter))))
			r = VEC_PUSH(ret, i);
	}
	if (ret->n)
		qsort_r(ret->v, ret->n, sizeof(*ret->v), in_order, &o);
	return r;
}
