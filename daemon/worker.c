// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* stuck threads of users other than root, stuck threads of root, and one that works */
#define WORKER_THREADS_MAX (WORKER_STUCK_OTHERS + WORKER_STUCK_USER + 1)

static const struct worker_options worker_plain = { .name = "ctraced-worker", .queue_max = WORKER_QUEUE_MAX };

struct worker_queue {
	struct worker_job *jobs;
	unsigned n, max;
};

struct worker_thread {
	struct worker *worker;
	pthread_t id;
	bool used;
	bool busy;
	bool inside; /* the job may use shared data */
	bool cancelled;
	bool abandoned;
	bool ended;
	struct worker_job job;
	uint64_t since_ns; /* when the job began, or last called worker_progress() */
	bool has_clock;
	clockid_t clock;
};

struct worker {
	struct worker_options opt;
	pthread_mutex_t lock; /* protects the members up to cpu_ns, except `stopped` */
	pthread_cond_t wake, end;
	/* one for the caller of worker_new(), one for each thread; at 0, the worker is freed */
	unsigned refs;
	struct worker_queue todo, done;
	/* current takes jobs; NULL: no thread does */
	struct worker_thread threads[WORKER_THREADS_MAX], *current;
	bool stop, stopped;
	uint64_t refused, given_up;
	uint64_t cpu_ns;
	int done_fd;
	sd_event_source *source, *timer;
};

static _Thread_local struct worker_thread *self;

static bool queue_push(struct worker_queue *q, const struct worker_job *job)
{
	if (q->n == q->max)
		return false;
	q->jobs[q->n++] = *job;
	return true;
}

static struct worker_job queue_take(struct worker_queue *q, unsigned i)
{
	struct worker_job job = q->jobs[i];

	memmove(&q->jobs[i], &q->jobs[i + 1], (--q->n - i) * sizeof(job));
	return job;
}

/* The functions from here on are called with the lock held. */

static unsigned worker_stuck(const struct worker *w)
{
	unsigned n = 0;

	for (size_t i = 0; i < WORKER_THREADS_MAX; i++)
		n += w->threads[i].used && w->threads[i].abandoned;
	return n;
}

static bool worker_bars(const struct worker *w, const struct worker_job *job)
{
	unsigned same = 0, others = 0;

	for (size_t i = 0; i < WORKER_THREADS_MAX; i++) {
		const struct worker_thread *t = &w->threads[i];

		if (!t->used || !t->abandoned)
			continue;
		same += job->owner ? t->job.owner : t->job.uid == job->uid;
		others += !t->job.owner;
	}
	return same >= WORKER_STUCK_USER || (!job->owner && others >= WORKER_STUCK_OTHERS);
}

static unsigned worker_pick(const struct worker *w)
{
	unsigned first = w->todo.n;

	for (unsigned i = w->todo.n; i-- > 0;)
		if (!worker_bars(w, &w->todo.jobs[i]) &&
		    (first == w->todo.n || w->todo.jobs[i].owner || !w->todo.jobs[first].owner))
			first = i;
	return first;
}

static bool worker_next(struct worker *w, struct worker_thread *t)
{
	unsigned i = w->todo.n;

	while (!w->stop && ((i = worker_pick(w)) == w->todo.n || w->done.n == w->done.max))
		pthread_cond_wait(&w->wake, &w->lock);
	if (w->stop)
		return false;
	t->job = queue_take(&w->todo, i);
	t->busy = t->inside = true;
	t->cancelled = false;
	t->since_ns = clock_boot_ns();
	return true;
}

static void worker_unlock_unref(struct worker *w)
{
	bool last = --w->refs == 0;

	pthread_mutex_unlock(&w->lock);
	if (!last)
		return;
	pthread_cond_destroy(&w->wake);
	pthread_cond_destroy(&w->end);
	pthread_mutex_destroy(&w->lock);
	free(w->todo.jobs);
	free(w->done.jobs);
	free(w);
}

static uint64_t timespec_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * NSEC_PER_SEC + (uint64_t)ts->tv_nsec;
}

static void worker_thread_end(struct worker_thread *t)
{
	struct timespec ts;

	if (!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts))
		t->worker->cpu_ns += timespec_ns(&ts);
	t->has_clock = t->inside = false;
	if (t->abandoned)
		*t = (struct worker_thread){ 0 };
	else
		t->ended = true;
}

/* The functions from here on are called without the lock, unless their comment says otherwise. */

/* Called with the lock held. */
static void worker_do(struct worker *w, struct worker_thread *t)
{
	const struct worker_job job = t->job;

	pthread_mutex_unlock(&w->lock);
	job.run(job.arg);
	pthread_mutex_lock(&w->lock);
	t->busy = t->inside = false;
	if (t->abandoned && job.drop) {
		pthread_mutex_unlock(&w->lock);
		job.drop(job.arg);
		pthread_mutex_lock(&w->lock);
	} else if (!t->abandoned && job.done) {
		queue_push(&w->done, &job);
		eventfd_write(w->done_fd, 1);
	}
}

static void *worker_main(void *arg)
{
	struct worker_thread *t = arg;
	struct worker *w = t->worker;

	self = t;
	pthread_setname_np(pthread_self(), w->opt.name);
	pthread_mutex_lock(&w->lock);
	t->has_clock = !pthread_getcpuclockid(pthread_self(), &t->clock);
	while (!t->abandoned && worker_next(w, t))
		worker_do(w, t);
	worker_thread_end(t);
	self = NULL;
	/* the end of a stuck thread may let a queued job start (worker_bars()) */
	pthread_cond_broadcast(&w->wake);
	pthread_cond_broadcast(&w->end);
	worker_unlock_unref(w);
	return NULL;
}

/* The caller holds the lock. */
static int worker_start(struct worker *w)
{
	struct worker_thread *t = NULL;
	int r;

	for (size_t i = 0; i < WORKER_THREADS_MAX; i++)
		if (!w->threads[i].used)
			t = &w->threads[i];
	if (!t)
		return -EAGAIN;
	*t = (struct worker_thread){ .worker = w, .used = true };
	r = -pthread_create(&t->id, NULL, worker_main, t);
	if (r) {
		t->used = false;
		return r;
	}
	w->refs++;
	w->current = t;
	return 0;
}

/* The caller holds the lock. */
static void worker_abandon(struct worker *w)
{
	w->current->abandoned = w->current->cancelled = true;
	pthread_detach(w->current->id);
	w->current = NULL;
}

static void worker_finish(struct worker *w)
{
	struct worker_job job;
	bool more;

	for (;;) {
		pthread_mutex_lock(&w->lock);
		more = w->done.n > 0;
		if (more)
			job = queue_take(&w->done, 0);
		pthread_cond_broadcast(&w->wake);
		pthread_mutex_unlock(&w->lock);
		if (!more)
			return;
		job.done(job.arg);
	}
}

static int worker_event(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	eventfd_t n;

	eventfd_read(fd, &n);
	worker_finish(arg);
	return 0;
}

static void worker_drop_barred(struct worker *w)
{
	struct worker_job job;
	bool barred;

	do {
		unsigned i = 0;

		pthread_mutex_lock(&w->lock);
		while (i < w->todo.n && !worker_bars(w, &w->todo.jobs[i]))
			i++;
		barred = i < w->todo.n;
		if (barred)
			job = queue_take(&w->todo, i);
		pthread_mutex_unlock(&w->lock);
		if (!barred)
			return;
		if (job.drop)
			job.drop(job.arg);
		w->opt.late(w->opt.arg, job.client, NULL);
	} while (barred);
}

static uint64_t worker_due(struct worker *w)
{
	uint64_t due_ns = 0;

	pthread_mutex_lock(&w->lock);
	if (!w->current || !w->current->busy)
		due_ns = w->todo.n ? clock_boot_ns() + w->opt.limit_ns : 0;
	else
		due_ns = w->current->since_ns + w->opt.limit_ns;
	pthread_mutex_unlock(&w->lock);
	return due_ns;
}

static void worker_rearm(struct worker *w)
{
	uint64_t due_ns = worker_due(w);

	if (due_ns)
		sd_event_source_set_time(w->timer, due_ns / NSEC_PER_USEC + 1);
	sd_event_source_set_enabled(w->timer, due_ns ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

static int worker_look(sd_event_source *s, uint64_t usec, void *arg)
{
	struct worker *w = arg;
	const char *why = NULL;
	uint64_t client = 0;

	pthread_mutex_lock(&w->lock);
	if (w->current && w->current->busy && clock_boot_ns() >= w->current->since_ns + w->opt.limit_ns) {
		client = w->current->job.client;
		why = w->current->job.late;
		w->given_up++;
		worker_abandon(w);
	}
	if (!w->current)
		(void)worker_start(w); /* if the start fails, the next worker_look() tries again */
	pthread_mutex_unlock(&w->lock);
	if (w->opt.late) {
		if (client)
			w->opt.late(w->opt.arg, client, why);
		worker_drop_barred(w);
	}
	worker_rearm(w);
	return 0;
}

static int worker_init(struct worker *w, sd_event *event)
{
	int r;

	w->todo.max = w->done.max = w->opt.queue_max;
	w->todo.jobs = calloc(w->todo.max, sizeof(*w->todo.jobs));
	w->done.jobs = calloc(w->done.max, sizeof(*w->done.jobs));
	w->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!w->todo.jobs || !w->done.jobs)
		return -ENOMEM;
	if (w->done_fd < 0)
		return -errno;
	r = sd_event_add_io(event, &w->source, w->done_fd, EPOLLIN, worker_event, w);
	if (r >= 0 && w->opt.limit_ns)
		r = sd_event_add_time(event, &w->timer, CLOCK_BOOTTIME, 0, 1, worker_look, w);
	if (r >= 0 && w->timer)
		r = sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
	if (r < 0)
		return r;
	pthread_mutex_lock(&w->lock);
	r = worker_start(w);
	pthread_mutex_unlock(&w->lock);
	return r;
}

int worker_new(sd_event *event, const struct worker_options *opt, struct worker **ret)
{
	struct worker *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->opt = opt ? *opt : worker_plain;
	w->refs = 1;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	pthread_cond_init(&w->end, NULL);
	r = worker_init(w, event);
	if (r < 0)
		worker_free(w);
	else
		*ret = w;
	return r;
}

/* Returns true if no thread uses shared data. The caller holds the lock. */
static bool worker_is_out(const struct worker *w)
{
	for (size_t i = 0; i < WORKER_THREADS_MAX; i++)
		if (w->threads[i].used && !w->threads[i].ended && w->threads[i].inside)
			return false;
	return true;
}

/* The caller holds the lock. */
static void worker_wait(struct worker *w)
{
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += WORKER_STOP_S;
	while (!r && !((!w->current || w->current->ended) && worker_is_out(w)))
		r = pthread_cond_clockwait(&w->end, &w->lock, CLOCK_MONOTONIC, &until);
}

bool worker_stop(struct worker *w)
{
	struct worker_thread *t;
	bool out;

	if (!w || w->stopped)
		return true;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	for (size_t i = 0; w->opt.limit_ns && i < WORKER_THREADS_MAX; i++)
		w->threads[i].cancelled = true;
	pthread_cond_broadcast(&w->wake);
	worker_wait(w);
	out = worker_is_out(w);
	if (out && w->current && !w->current->ended)
		worker_abandon(w);
	t = w->current;
	pthread_mutex_unlock(&w->lock);
	if (!out)
		return false;
	if (t)
		pthread_join(t->id, NULL);
	w->current = NULL;
	w->stopped = true;
	worker_finish(w);
	while (w->todo.n) {
		struct worker_job job = queue_take(&w->todo, 0);

		if (job.drop)
			job.drop(job.arg);
	}
	return true;
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	sd_event_source_disable_unref(w->source);
	sd_event_source_disable_unref(w->timer);
	if (w->done_fd >= 0)
		close(w->done_fd);
	pthread_mutex_lock(&w->lock);
	worker_unlock_unref(w);
}

int worker_post(struct worker *w, const struct worker_job *job)
{
	int r = 0;

	pthread_mutex_lock(&w->lock);
	if (w->opt.late && worker_bars(w, job))
		r = -EBUSY;
	else if (w->stop || !queue_push(&w->todo, job))
		r = -EAGAIN;
	w->refused += r != 0;
	pthread_cond_broadcast(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (!r && w->timer)
		worker_rearm(w);
	return r;
}

void worker_cancel(struct worker *w, uint64_t client)
{
	struct worker_job job;
	bool more = true;

	while (more) {
		unsigned i = 0;

		pthread_mutex_lock(&w->lock);
		if (w->current && w->current->busy && w->current->job.client == client)
			w->current->cancelled = true;
		while (i < w->todo.n && w->todo.jobs[i].client != client)
			i++;
		more = i < w->todo.n;
		if (more)
			job = queue_take(&w->todo, i);
		pthread_mutex_unlock(&w->lock);
		if (more && job.drop)
			job.drop(job.arg);
	}
}

struct worker_stats worker_stats(struct worker *w)
{
	struct worker_stats s;
	uint64_t now_ns = clock_boot_ns();

	pthread_mutex_lock(&w->lock);
	s = (struct worker_stats){
		.refused = w->refused,
		.given_up = w->given_up,
		.stuck = worker_stuck(w),
		.queued = w->todo.n,
	};
	if (w->current && w->current->busy)
		s.busy_ns = now_ns - MIN(now_ns, w->current->since_ns);
	pthread_mutex_unlock(&w->lock);
	return s;
}

uint64_t worker_cpu_ns(struct worker *w)
{
	struct timespec ts;
	uint64_t ns;

	pthread_mutex_lock(&w->lock);
	ns = w->cpu_ns;
	for (size_t i = 0; i < WORKER_THREADS_MAX; i++)
		if (w->threads[i].has_clock && !clock_gettime(w->threads[i].clock, &ts))
			ns += timespec_ns(&ts);
	pthread_mutex_unlock(&w->lock);
	return ns;
}

bool worker_progress(void)
{
	bool cancelled;

	if (!self)
		return true;
	pthread_mutex_lock(&self->worker->lock);
	self->since_ns = clock_boot_ns();
	cancelled = self->cancelled;
	pthread_mutex_unlock(&self->worker->lock);
	return !cancelled;
}

void worker_leave(void)
{
	if (!self)
		return;
	pthread_mutex_lock(&self->worker->lock);
	self->inside = false;
	pthread_cond_broadcast(&self->worker->end);
	pthread_mutex_unlock(&self->worker->lock);
}

bool worker_enter(void)
{
	bool entered;

	if (!self)
		return true;
	pthread_mutex_lock(&self->worker->lock);
	entered = self->inside = !self->cancelled;
	pthread_mutex_unlock(&self->worker->lock);
	return entered;
}
