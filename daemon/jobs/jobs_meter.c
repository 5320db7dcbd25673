// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_meter.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "daemon/jobs/jobs_tell.h"
#include "daemon/say.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/text.h"

/* What the meter knows of one framework. */
struct meter_framework {
	struct jobs_auto automatic;
	struct jobs_auto_spent seen; /* the sums of the last round */
	uint64_t off_ns;             /* boot time before the last detaching; UINT64_MAX: never detached */
	uint64_t told_ns;            /* boot time of the last CT_JOB_OFF */
	enum job_switch how;
};

struct jobs_meter {
	struct jobs_meter_options opt;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t wake;
	bool stop;
	double limit_ppm;
	struct jobs_auto_bucket bucket;
	struct meter_framework of[JOBS_LOAD_MAX]; /* index: number of the description */
};

/* What is to be written after a round, without the lock. */
struct meter_news {
	enum { METER_NOTHING, METER_OFF, METER_STILL_OFF, METER_BACK } what[JOBS_LOAD_MAX];
	struct jobs_auto automatic[JOBS_LOAD_MAX];
	uint64_t off_ns[JOBS_LOAD_MAX];
	uint64_t now_ns;
	double limit_ppm;
};

static void meter_record(const struct jobs_meter *m, uint32_t spec, enum ct_job state, uint8_t flags,
			 uint64_t now_ns, uint64_t off_ns)
{
	void *data;
	size_t size;

	/* Without memory, the record is missing. The next repetition takes the place of a CT_JOB_OFF. Without
	 * a CT_JOB_ON, a reader learns of the end by the missing repetitions (analysis/jobs/unprobed.h). */
	if (!jobs_tell(m->opt.specs->v[spec], state, flags, now_ns, MIN(off_ns, now_ns), &data, &size))
		m->opt.post(m->opt.arg, data, size);
}

/* Call with the lock held. */
static void meter_set(struct jobs_meter *m, uint32_t spec, enum job_switch how)
{
	if (m->of[spec].how != how)
		jobs_probe_switch(m->opt.probe, spec, how);
	m->of[spec].how = how;
}

/* Call with the lock held. */
static void meter_spent(struct jobs_meter *m, struct jobs_auto_spent spent[JOB_SPECS_MAX])
{
	jobs_probe_spent(m->opt.probe, spent);
	for (uint32_t s = 0; s < m->opt.specs->n; s++) {
		struct jobs_auto_spent sum = spent[s], *seen = &m->of[s].seen;

		/* The programs of another CPU may not have seen that a count begins anew. */
		spent[s].hits -= MIN(seen->hits, sum.hits);
		spent[s].cost_ns -= MIN(seen->cost_ns, sum.cost_ns);
		*seen = sum;
	}
}

/* Call with the lock held. */
static void meter_decide(struct jobs_meter *m, struct meter_news *news)
{
	struct jobs_auto_spent spent[JOB_SPECS_MAX];
	size_t n = m->opt.specs->n, off, on;

	meter_spent(m, spent);
	for (size_t s = 0; s < n; s++)
		news->automatic[s] = m->of[s].automatic;
	m->bucket.limit_ppm = news->limit_ppm = m->limit_ppm;
	m->bucket.cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	off = jobs_auto_round(&m->bucket, news->automatic, spent, n, news->now_ns);
	on = jobs_auto_back(&m->bucket, news->automatic, n, news->now_ns);
	if (off != SIZE_MAX)
		m->of[off].off_ns = clock_boot_ns();
	for (uint32_t s = 0; s < n; s++) {
		struct meter_framework *f = &m->of[s];

		f->automatic = news->automatic[s];
		/* it stays off until its probes are attached again, which may take long */
		if (s == off || (f->how == JOB_OFF && news->now_ns >= f->told_ns + JOBS_AUTO_TELL_NS)) {
			news->what[s] = s == off ? METER_OFF : METER_STILL_OFF;
			news->off_ns[s] = f->off_ns;
			f->told_ns = news->now_ns;
		}
		if (s == off)
			meter_set(m, s, JOB_OFF);
		else if (f->how != JOB_OFF)
			meter_set(m, s, jobs_auto_stacks(&m->bucket) ? JOB_ON : JOB_NO_STACKS);
	}
	if (on != SIZE_MAX)
		news->what[on] = METER_BACK;
}

static void meter_say_off(const char *name, const struct jobs_auto *a, double limit_ppm)
{
	char cost[TEXT_NUMBER_MAX], limit[TEXT_NUMBER_MAX];

	say("Detaching the probes of the framework %s: %.0f hits/s would cost %s %% of the machine's CPU time, and the limit is %s %% (a fifth of the budget). Its jobs are not recorded for %u s. 'ctrace frameworks' shows it; 'frameworks = yes' in ctraced.conf never detaches probes.",
	    name, a->hits_per_s, text_percent(a->cost_ppm / 1e4, cost), text_percent(limit_ppm / 1e4, limit),
	    (unsigned)(a->pause_ns / NSEC_PER_SEC));
}

static void meter_tell(const struct jobs_meter *m, const struct meter_news *news)
{
	bool changed = false;

	for (uint32_t s = 0; s < m->opt.specs->n; s++) {
		const char *name = m->opt.specs->v[s]->name;

		changed |= news->what[s] == METER_OFF || news->what[s] == METER_BACK;
		if (news->what[s] == METER_OFF)
			meter_say_off(name, &news->automatic[s], news->limit_ppm);
		else if (news->what[s] == METER_BACK)
			say("Attaching the probes of the framework %s again.", name);
		if (news->what[s] == METER_OFF || news->what[s] == METER_STILL_OFF)
			meter_record(m, s, CT_JOB_OFF, news->what[s] == METER_OFF ? 0 : CT_JF_AGAIN,
				     MAX(news->now_ns, news->off_ns[s]), news->off_ns[s]);
	}
	if (changed)
		(void)eventfd_write(m->opt.wake_fd, 1);
}

/* The next round may be later if no framework costs much or has only just got its probes back. Call with the
 * lock held. */
static uint64_t meter_pause_ns(const struct jobs_meter *m, uint64_t now_ns)
{
	if (m->bucket.level_ns > 0)
		return JOBS_LOOK_MS * NSEC_PER_MSEC;
	for (uint32_t s = 0; s < m->opt.specs->n; s++) {
		const struct jobs_auto *a = &m->of[s].automatic;

		if (m->of[s].how == JOB_OFF || (a->since_ns && now_ns < a->since_ns + JOBS_AUTO_CALM_NS))
			return JOBS_LOOK_MS * NSEC_PER_MSEC;
	}
	return JOBS_CALM_MS * NSEC_PER_MSEC;
}

/* Returns false if the thread has to end. Call with the lock held. */
static bool meter_wait(struct jobs_meter *m, uint64_t ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / NSEC_PER_SEC);
	until.tv_nsec = (long)(ns % NSEC_PER_SEC);
	while (!m->stop && !pthread_cond_timedwait(&m->wake, &m->lock, &until))
		;
	return !m->stop;
}

static void *meter_main(void *arg)
{
	struct jobs_meter *m = arg;
	struct meter_news news;

	pthread_setname_np(pthread_self(), "ctraced-meter");
	pthread_mutex_lock(&m->lock);
	while (meter_wait(m, meter_pause_ns(m, clock_boot_ns()))) {
		news = (struct meter_news){ .now_ns = clock_boot_ns() };
		meter_decide(m, &news);
		pthread_mutex_unlock(&m->lock);
		meter_tell(m, &news);
		pthread_mutex_lock(&m->lock);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

int jobs_meter_new(const struct jobs_meter_options *opt, struct jobs_meter **ret)
{
	struct jobs_meter *m = calloc(1, sizeof(*m));
	pthread_condattr_t attr;
	int r = 0;

	if (!m)
		return -ENOMEM;
	m->opt = *opt;
	m->limit_ppm = (double)opt->budget_ppm / JOBS_AUTO_SHARE;
	m->bucket.last_ns = clock_boot_ns();
	for (uint32_t s = 0; s < JOBS_LOAD_MAX; s++)
		m->of[s].off_ns = UINT64_MAX;
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (opt->specs->is_auto)
		r = -pthread_create(&m->thread, NULL, meter_main, m);
	m->has_thread = opt->specs->is_auto && !r;
	if (r) {
		jobs_meter_free(m);
		return r;
	}
	*ret = m;
	return 0;
}

void jobs_meter_free(struct jobs_meter *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->stop = true;
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	if (m->has_thread)
		pthread_join(m->thread, NULL);
	pthread_cond_destroy(&m->wake);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

void jobs_meter_budget(struct jobs_meter *m, uint32_t budget_ppm)
{
	pthread_mutex_lock(&m->lock);
	m->limit_ppm = (double)budget_ppm / JOBS_AUTO_SHARE;
	pthread_mutex_unlock(&m->lock);
}

double jobs_meter_limit_ppm(struct jobs_meter *m)
{
	double ppm;

	pthread_mutex_lock(&m->lock);
	ppm = m->limit_ppm;
	pthread_mutex_unlock(&m->lock);
	return ppm;
}

struct jobs_auto jobs_meter_of(struct jobs_meter *m, uint32_t spec)
{
	struct jobs_auto a;

	pthread_mutex_lock(&m->lock);
	a = m->of[spec].automatic;
	pthread_mutex_unlock(&m->lock);
	return a;
}

void jobs_meter_attached(struct jobs_meter *m, uint32_t spec, uint64_t times)
{
	struct meter_framework *f = &m->of[spec];
	uint64_t now_ns = clock_boot_ns(), off_ns;
	bool on;

	pthread_mutex_lock(&m->lock);
	on = !f->automatic.off && f->automatic.times == times;
	off_ns = f->off_ns;
	if (on)
		meter_set(m, spec, JOB_ON);
	pthread_mutex_unlock(&m->lock);
	if (on)
		meter_record(m, spec, CT_JOB_ON, 0, now_ns, off_ns);
}
