// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/inspect/inspect_look.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define WORKERS_MAX 4 /* one works; the others may be stuck */

struct item {
	struct inspect_want want;
	struct ct_rawstack_blob *raw;
	struct ct_rawaccess_blob *access;
	struct ct_rawcrash_blob *crash;
	struct ct_rawjob_blob *job;
};

/* To read the memory of a process, the kernel takes a lock of the process. If a process hangs while
 * it holds this lock, the worker hangs too. Then another worker takes over. */
struct worker {
	struct inspect *v;
	pthread_t thread;
	struct inspect_look *look;
	bool used, abandoned, ended;
	uint32_t tgid;
	uint64_t since_ns; /* 0: idle */
};

struct inspect {
	struct inspect_options opt;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct item queue[INSPECT_QUEUE_MAX];
	size_t q_head, q_n;
	struct inspect_result *results[INSPECT_RESULTS_MAX];
	size_t r_head, r_n;
	struct worker workers[WORKERS_MAX];
	/* the worker that takes from the queue; NULL: all are stuck, or none could be started */
	struct worker *current;
	struct inspect_stats stats;
	uint64_t next_ns;
	bool stop;
};

static uint64_t pace_step(const struct inspect *v)
{
	return NSEC_PER_SEC / v->opt.max_per_sec;
}

/* After an idle time, about max_per_sec / INSPECT_SLACK_SHARE inspections may begin at once. */
static uint64_t pace_wait(struct inspect *v, uint64_t now)
{
	uint64_t slack = NSEC_PER_SEC / INSPECT_SLACK_SHARE;

	if (v->next_ns + slack < now)
		v->next_ns = now - slack;
	return v->next_ns > now ? v->next_ns - now : 0;
}

/* Returns true if another worker is stuck on this process. */
static bool is_trap(const struct inspect *v, const struct worker *self, uint32_t tgid)
{
	for (size_t i = 0; i < WORKERS_MAX; i++)
		if (&v->workers[i] != self && v->workers[i].used && v->workers[i].tgid == tgid)
			return true;
	return false;
}

static int look_at_wait(struct worker *wk, const struct inspect_want *want, struct inspect_result **ret)
{
	struct inspect *v = wk->v;
	struct ct_iter_task t;
	bool trap;
	int r;

	r = v->opt.read_task(v->opt.arg, want->tid, &t);
	if (r)
		return r;
	if (!inspect_look_same_wait(wk->look, want, &t))
		return -ESRCH;
	pthread_mutex_lock(&v->lock);
	wk->tgid = t.task.tgid;
	trap = is_trap(v, wk, t.task.tgid);
	pthread_mutex_unlock(&v->lock);
	if (trap)
		return -EBUSY;
	return inspect_look_wait(wk->look, want, &t, ret);
}

static int look_at_sample(struct worker *wk, const struct ct_rawstack_blob *raw, struct inspect_result **ret)
{
	struct ct_iter_task t;
	int r = inspect_look_sample(wk->look, raw, ret);

	if (!r && inspect_look_spin_wanted(wk->look, raw->h.tid) &&
	    !wk->v->opt.read_task(wk->v->opt.arg, raw->h.tid, &t) && t.task.tgid == raw->tgid)
		inspect_look_spin(wk->look, &t, *ret);
	return r;
}

static int look_at_spin(struct worker *wk, const struct inspect_want *want, struct inspect_result **ret)
{
	struct inspect *v = wk->v;
	struct inspect_result *res;
	struct ct_iter_task t;
	bool trap;
	int r;

	if (!inspect_look_spin_wanted(wk->look, want->tid))
		return -ESRCH;
	r = v->opt.read_task(v->opt.arg, want->tid, &t);
	if (r)
		return r;
	pthread_mutex_lock(&v->lock);
	wk->tgid = t.task.tgid;
	trap = is_trap(v, wk, t.task.tgid);
	pthread_mutex_unlock(&v->lock);
	if (trap)
		return -EBUSY;
	res = calloc(1, sizeof(*res));
	if (!res)
		return -ENOMEM;
	res->rec.ts = clock_boot_ns();
	res->rec.tid = want->tid;
	res->tgid = t.task.tgid;
	inspect_look_spin(wk->look, &t, res);
	if (!res->n_polled) {
		inspect_result_free(res);
		return -ESRCH;
	}
	*ret = res;
	return 0;
}

/* Returns 0 if the item does not say it. */
static uint32_t item_tgid(const struct item *it)
{
	return it->raw      ? it->raw->tgid
	       : it->access ? it->access->tgid
	       : it->crash  ? it->crash->tgid
	       : it->job    ? it->job->tgid
			    : 0;
}

static void item_done_with(struct item *it)
{
	free(it->raw);
	free(it->access);
	free(it->crash);
	free(it->job);
}

/* Without a task in the item, look_at_wait() and look_at_spin() check for themselves. */
static bool item_is_trap(struct worker *wk)
{
	bool trap;

	pthread_mutex_lock(&wk->v->lock);
	trap = wk->tgid && is_trap(wk->v, wk, wk->tgid);
	pthread_mutex_unlock(&wk->v->lock);
	return trap;
}

static int item_do(struct worker *wk, const struct item *it, struct inspect_result **ret)
{
	if (it->crash)
		return inspect_look_crash(wk->look, it->crash, ret);
	if (item_is_trap(wk))
		return -EBUSY;
	if (it->job)
		return inspect_look_job(wk->look, it->job, ret);
	if (it->access)
		return inspect_look_access(wk->look, it->access, ret);
	if (it->want.spins)
		return look_at_spin(wk, &it->want, ret);
	return it->raw ? look_at_sample(wk, it->raw, ret) : look_at_wait(wk, &it->want, ret);
}

static void item_done(struct inspect *v, struct inspect_result *res, int r, bool cut)
{
	if (r == -ESRCH)
		v->stats.gone++;
	else if (r)
		v->stats.failed++;
	if (r)
		return;
	if (v->r_n == INSPECT_RESULTS_MAX) {
		v->stats.refused_queue++;
		inspect_result_free(res);
		return;
	}
	v->stats.done++;
	v->stats.cut_short += cut;
	v->results[(v->r_head + v->r_n++) % INSPECT_RESULTS_MAX] = res;
}

/* Call with the lock held. */
static bool item_next(struct inspect *v, struct worker *wk, struct item *ret)
{
	while (!v->stop && !wk->abandoned) {
		uint64_t now = clock_boot_ns(), wait;
		struct timespec until;

		if (!v->q_n) {
			pthread_cond_wait(&v->work, &v->lock);
			continue;
		}
		wait = pace_wait(v, now);
		if (!wait) {
			*ret = v->queue[v->q_head];
			v->q_head = (v->q_head + 1) % INSPECT_QUEUE_MAX;
			v->q_n--;
			v->next_ns += pace_step(v);
			return true;
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		wait += (uint64_t)until.tv_nsec;
		until.tv_sec += (time_t)(wait / NSEC_PER_SEC);
		until.tv_nsec = (long)(wait % NSEC_PER_SEC);
		pthread_cond_timedwait(&v->work, &v->lock, &until);
	}
	return false;
}

static void *worker_run(void *arg)
{
	struct worker *wk = arg;
	struct inspect *v = wk->v;
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct item it;

	pthread_mutex_lock(&v->lock);
	while (item_next(v, wk, &it)) {
		struct inspect_result *res = NULL;
		uint64_t before = cpu;
		int r;

		wk->since_ns = clock_boot_ns();
		wk->tgid = item_tgid(&it);
		pthread_mutex_unlock(&v->lock);
		r = item_do(wk, &it, &res);
		item_done_with(&it);
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		pthread_mutex_lock(&v->lock);
		wk->since_ns = 0;
		wk->tgid = 0;
		v->stats.busy_ns += cpu - before;
		item_done(v, res, r, !r && wk->look->cut);
	}
	wk->ended = true;
	pthread_cond_broadcast(&v->work);
	pthread_mutex_unlock(&v->lock);
	return NULL;
}

static int worker_start(struct inspect *v)
{
	struct worker *wk = NULL;
	sigset_t all, old;
	int r;

	for (size_t i = 0; i < WORKERS_MAX && !wk; i++)
		if (!v->workers[i].used)
			wk = &v->workers[i];
	if (!wk)
		return -EAGAIN;
	*wk = (struct worker){ .v = v };
	r = inspect_look_new(v->opt.kernel, &wk->look);
	if (r)
		return r;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = -pthread_create(&wk->thread, NULL, worker_run, wk);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		inspect_look_free(wk->look);
		return r;
	}
	pthread_setname_np(wk->thread, "ctrace-visit");
	wk->used = true;
	v->current = wk;
	return 0;
}

static uint64_t work_age(const struct worker *wk)
{
	uint64_t now = clock_boot_ns();

	/* the clocks of two CPUs may differ */
	return wk->since_ns && now > wk->since_ns ? now - wk->since_ns : 0;
}

static void workers_check(struct inspect *v)
{
	struct worker *cur = v->current;

	for (size_t i = 0; i < WORKERS_MAX; i++) {
		struct worker *wk = &v->workers[i];

		if (!wk->used || !wk->abandoned || !wk->ended)
			continue;
		pthread_join(wk->thread, NULL);
		inspect_look_free(wk->look);
		*wk = (struct worker){ 0 };
	}
	if (cur && work_age(cur) > INSPECT_STUCK_NS) {
		cur->abandoned = true;
		v->current = NULL;
	}
	if (!v->current)
		worker_start(v);
}

int inspect_new(const struct inspect_options *opt, struct inspect **ret)
{
	struct inspect *v = calloc(1, sizeof(*v));
	pthread_condattr_t attr;
	int r;

	if (!v)
		return -ENOMEM;
	v->opt = *opt;
	if (!v->opt.max_per_sec)
		v->opt.max_per_sec = INSPECT_PER_SEC;
	pthread_mutex_init(&v->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&v->work, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_lock(&v->lock);
	r = worker_start(v);
	pthread_mutex_unlock(&v->lock);
	if (r) {
		free(v);
		return r;
	}
	*ret = v;
	return 0;
}

static bool worker_wait(struct inspect *v, const struct worker *wk, const struct timespec *until)
{
	while (!wk->ended)
		if (pthread_cond_timedwait(&v->work, &v->lock, until))
			return wk->ended;
	return true;
}

void inspect_free(struct inspect *v)
{
	struct timespec until;
	bool stuck = false;

	if (!v)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 2;
	pthread_mutex_lock(&v->lock);
	v->stop = true;
	pthread_cond_broadcast(&v->work);
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		struct worker *wk = &v->workers[i];

		if (!wk->used)
			continue;
		if (!worker_wait(v, wk, &until)) {
			pthread_detach(wk->thread);
			stuck = true;
			continue;
		}
		pthread_join(wk->thread, NULL);
		inspect_look_free(wk->look);
	}
	pthread_mutex_unlock(&v->lock);
	if (stuck)
		return; /* a stuck thread still uses v */
	while (v->q_n--)
		item_done_with(&v->queue[v->q_head++ % INSPECT_QUEUE_MAX]);
	while (v->r_n--)
		inspect_result_free(v->results[v->r_head++ % INSPECT_RESULTS_MAX]);
	pthread_cond_destroy(&v->work);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

static int enqueue(struct inspect *v, struct item it)
{
	v->stats.asked++;
	workers_check(v);
	if (v->q_n == INSPECT_QUEUE_MAX) {
		v->stats.refused_queue++;
		return -EAGAIN;
	}
	v->queue[(v->q_head + v->q_n++) % INSPECT_QUEUE_MAX] = it;
	pthread_cond_signal(&v->work);
	return 0;
}

int inspect_ask(struct inspect *v, const struct inspect_want *want)
{
	int r;

	pthread_mutex_lock(&v->lock);
	r = enqueue(v, (struct item){ .want = *want });
	pthread_mutex_unlock(&v->lock);
	return r;
}

static void *copy_of(const void *raw, size_t n)
{
	void *copy = malloc(n);

	return copy ? memcpy(copy, raw, n) : NULL;
}

int inspect_ask_sample(struct inspect *v, const struct ct_rawstack_blob *raw)
{
	size_t n = sizeof(*raw) + 8 * ((size_t)raw->n_kernel + raw->n_user);
	void *copy;
	int r;

	if (raw->h.kind != CT_RAWSTACK || raw->h.size < n)
		return -EINVAL;
	copy = copy_of(raw, n);
	if (!copy)
		return -ENOMEM;
	pthread_mutex_lock(&v->lock);
	/* If max_per_sec holds up other requests, the sample would have to wait behind them. The
	 * sampled program may end in this time, so the sample is refused. */
	if (v->q_n && pace_wait(v, clock_boot_ns())) {
		v->stats.asked++;
		v->stats.refused_rate++;
		r = -EAGAIN;
	} else {
		r = enqueue(v, (struct item){ .raw = copy });
	}
	pthread_mutex_unlock(&v->lock);
	if (r)
		free(copy);
	return r;
}

/* copy: the member of `it`, which is freed if it cannot be asked for; NULL: there was no memory for it */
static int ask(struct inspect *v, struct item it, void *copy)
{
	int r;

	if (!copy)
		return -ENOMEM;
	pthread_mutex_lock(&v->lock);
	r = enqueue(v, it);
	pthread_mutex_unlock(&v->lock);
	if (r)
		free(copy);
	return r;
}

int inspect_ask_access(struct inspect *v, const struct ct_rawaccess_blob *raw)
{
	size_t n = sizeof(*raw) + 8 * (size_t)raw->n_user;
	void *copy;

	if (raw->h.kind != CT_RAWACCESS || raw->h.size < n)
		return -EINVAL;
	copy = copy_of(raw, n);
	return ask(v, (struct item){ .access = copy }, copy);
}

int inspect_ask_crash(struct inspect *v, const struct ct_rawcrash_blob *raw)
{
	void *copy;

	if (raw->h.kind != CT_RAWCRASH || raw->h.size != sizeof(*raw))
		return -EINVAL;
	copy = copy_of(raw, sizeof(*raw));
	return ask(v, (struct item){ .crash = copy }, copy);
}

int inspect_ask_job(struct inspect *v, const struct ct_rawjob_blob *raw)
{
	size_t n = sizeof(*raw) + raw->n_stack;
	void *copy;

	if (raw->h.kind != CT_RAWJOB || raw->h.size < n)
		return -EINVAL;
	copy = copy_of(raw, n);
	return ask(v, (struct item){ .job = copy }, copy);
}

struct inspect_result *inspect_take(struct inspect *v)
{
	struct inspect_result *res = NULL;

	pthread_mutex_lock(&v->lock);
	if (v->r_n) {
		res = v->results[v->r_head];
		v->r_head = (v->r_head + 1) % INSPECT_RESULTS_MAX;
		v->r_n--;
	}
	pthread_mutex_unlock(&v->lock);
	return res;
}

struct inspect_stats inspect_stats(struct inspect *v)
{
	struct inspect_stats s;

	pthread_mutex_lock(&v->lock);
	s = v->stats;
	if (v->current)
		s.stuck_ns = work_age(v->current);
	for (size_t i = 0; i < WORKERS_MAX; i++)
		s.given_up += v->workers[i].used && v->workers[i].abandoned;
	pthread_mutex_unlock(&v->lock);
	return s;
}
