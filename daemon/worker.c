// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"

/* A queue of fixed size; head: the next to take, n: how many. */
struct worker_queue {
	struct worker_job jobs[WORKER_QUEUE_MAX];
	unsigned head, n;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, end;
	struct worker_queue todo, done;
	bool stop, ended, joined;
	uint64_t refused;
	bool has_clock;
	clockid_t clock; /* the thread's CPU time, as long as it lives */
	uint64_t cpu_ns; /* as last read */
	int done_fd;     /* eventfd: done is not empty */
	sd_event_source *source;
};

static bool queue_push(struct worker_queue *q, const struct worker_job *job)
{
	if (q->n == WORKER_QUEUE_MAX)
		return false;
	q->jobs[(q->head + q->n++) % WORKER_QUEUE_MAX] = *job;
	return true;
}

static bool queue_pop(struct worker_queue *q, struct worker_job *ret)
{
	if (!q->n)
		return false;
	*ret = q->jobs[q->head];
	q->head = (q->head + 1) % WORKER_QUEUE_MAX;
	q->n--;
	return true;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct worker_job job;

	pthread_setname_np(pthread_self(), "ctraced-worker");
	pthread_mutex_lock(&w->lock);
	w->has_clock = !pthread_getcpuclockid(pthread_self(), &w->clock);
	for (;;) {
		while (!w->stop && (!w->todo.n || w->done.n == WORKER_QUEUE_MAX))
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->stop)
			break;
		queue_pop(&w->todo, &job);
		pthread_mutex_unlock(&w->lock);
		job.run(job.arg);
		pthread_mutex_lock(&w->lock);
		if (job.done) {
			queue_push(&w->done, &job);
			eventfd_write(w->done_fd, 1);
		}
	}
	w->ended = true;
	pthread_cond_signal(&w->end);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void worker_finish(struct worker *w)
{
	struct worker_job job;
	bool more;

	for (;;) {
		pthread_mutex_lock(&w->lock);
		more = queue_pop(&w->done, &job);
		pthread_cond_signal(&w->wake);
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

int worker_new(sd_event *event, struct worker **ret)
{
	struct worker *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	pthread_cond_init(&w->end, NULL);
	w->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->done_fd < 0 ? -errno : 0;
	if (r >= 0)
		r = sd_event_add_io(event, &w->source, w->done_fd, EPOLLIN, worker_event, w);
	if (r >= 0)
		r = -pthread_create(&w->thread, NULL, worker_main, w);
	if (r < 0) {
		sd_event_source_disable_unref(w->source);
		if (w->done_fd >= 0)
			close(w->done_fd);
		free(w);
		return r;
	}
	*ret = w;
	return 0;
}

bool worker_stop(struct worker *w)
{
	struct worker_job job;
	struct timespec until;
	bool ended;

	if (!w || w->joined)
		return true;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 2;
	while (!w->ended && !pthread_cond_clockwait(&w->end, &w->lock, CLOCK_MONOTONIC, &until))
		;
	ended = w->ended;
	pthread_mutex_unlock(&w->lock);
	if (!ended)
		return false;
	pthread_join(w->thread, NULL);
	w->joined = true;
	worker_finish(w);
	while (queue_pop(&w->todo, &job)) /* worker_post() refuses by now */
		if (job.drop)
			job.drop(job.arg);
	return true;
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	sd_event_source_disable_unref(w->source);
	close(w->done_fd);
	pthread_cond_destroy(&w->wake);
	pthread_cond_destroy(&w->end);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

int worker_post(struct worker *w, const struct worker_job *job)
{
	bool taken;

	pthread_mutex_lock(&w->lock);
	taken = !w->stop && queue_push(&w->todo, job);
	w->refused += !taken;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	return taken ? 0 : -EAGAIN;
}

uint64_t worker_refused(struct worker *w)
{
	uint64_t n;

	pthread_mutex_lock(&w->lock);
	n = w->refused;
	pthread_mutex_unlock(&w->lock);
	return n;
}

uint64_t worker_cpu_ns(struct worker *w)
{
	struct timespec ts;
	uint64_t ns;

	pthread_mutex_lock(&w->lock);
	if (w->has_clock && !clock_gettime(w->clock, &ts))
		w->cpu_ns = (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
	ns = w->cpu_ns;
	pthread_mutex_unlock(&w->lock);
	return ns;
}
