// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/jobs/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "graph/wake/blame.h"
#include "lib/bisect.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/words.h"

const char *queue_verdict_name(enum queue_verdict verdict)
{
	static const char *const names[QUEUE_VERDICTS] = { "fine",     "serial",           "too-small",
							   "overload", "slow-kind",        "stuck",
							   "late",     "waits-for-itself", "flood",
							   "obsolete", "unknown" };

	return names[verdict];
}

/* The jobs of one function that one task enqueued. The jobs that the task enqueued between two of
 * its waits are one version. */
struct requester {
	const struct job *first;
	size_t jobs;
	uint64_t execution_ns;
	size_t versions;
	/* Versions that were enqueued after a wait for a timer or a person, and while an earlier
	 * version had not ended. Only the waits before the first QUEUE_OBSOLETE_LOOKS versions that
	 * overlap an earlier version are looked at. */
	size_t early;
};

/* the jobs with a stack */
struct callers_sum {
	size_t jobs;
	uint64_t so_far_ns;
};

struct judged {
	const struct graph *g;
	const struct job *v;
	size_t n;
	const busy_list *busy;
	uint64_t from_ns, to_ns;

	size_t n_enqueues;
	/* inner_ns: execution_ns without the jobs that have other jobs inside */
	uint64_t queueing_ns, execution_ns, inner_ns, cpu_ns;
	uint64_t long_ns; /* the sum of the execution times of the longest tenth of the jobs */
	uint64_t last_end_ns;
	uint64_t oldest_waits_ns;
	/* waited_ns: for how long at least one job waited, without the time in which a job without a
	 * recorded start may have run. unserved_ns: the part of waited_ns in which fewer jobs ran than at
	 * other times. */
	uint64_t waited_ns, unserved_ns;
	/* Sums over the started jobs, also over those that have not ended. occupied_ns: how long
	 * they had a thread. busy_ns: how long they computed or waited for a CPU. off_ns: how long
	 * they waited for other things. off_kind_ns: off_ns by kind of thing. No record shows what
	 * they did in the rest of occupied_ns. */
	uint64_t occupied_ns, busy_ns, off_ns, off_kind_ns[RESOURCE_KINDS];
	uint64_t full_ns; /* for how long all threads ran jobs */
	struct requester requester;
};

static int sum_jobs(struct judged *j)
{
	_cleanup_free_ uint64_t *ran = malloc((j->n + 1) * sizeof(*ran));
	size_t k = 0;

	if (!ran)
		return -ENOMEM;
	for (size_t i = 0; i < j->n; i++) {
		const struct job *job = &j->v[i];
		uint64_t ran_ns = job_execution_ns(job), waits_ns = job_queueing_ns(job, j->to_ns);

		j->queueing_ns += waits_ns;
		j->n_enqueues += job->queued_ns != 0;
		j->execution_ns += ran_ns;
		j->inner_ns += job->outer ? 0 : ran_ns;
		j->cpu_ns += job->cpu_ns;
		if (job->queued_ns && !job_left_ns(job))
			j->oldest_waits_ns = MAX(j->oldest_waits_ns, waits_ns);
		/* The end of a cancelled job does not free a thread. A job without an enqueue and a start
		 * began before the trace. */
		if (job->end_ns && (job->start_ns || !job->queued_ns))
			j->last_end_ns = MAX(j->last_end_ns, job->end_ns);
		if (job->start_ns && job->end_ns)
			ran[k++] = ran_ns;
	}
	quantiles_sort(ran, k);
	for (size_t i = k - k / 10; i < k; i++)
		j->long_ns += ran[i];
	return 0;
}

struct change {
	uint64_t ts_ns;
	int8_t waiting, running;
};

static int change_cmp(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

static int sum_unserved(struct judged *j, uint32_t most_running)
{
	_cleanup_free_ struct change *c = malloc((4 * j->n + 1) * sizeof(*c));
	int64_t waiting = 0, running = 0;
	uint64_t known_ns = j->from_ns;
	size_t k = 0;

	if (!c)
		return -ENOMEM;
	for (size_t i = 0; i < j->n; i++) {
		const struct job *job = &j->v[i];

		/* Before, jobs without a recorded start may have run. */
		if (job->after_unseen)
			known_ns = MAX(known_ns, job->start_ns);
		else if (!job->queued_ns && !job->start_ns)
			known_ns = MAX(known_ns, job->end_ns);
		if (job->queued_ns)
			c[k++] = (struct change){ job->queued_ns, 1, 0 };
		if (job->queued_ns && job_left_ns(job))
			c[k++] = (struct change){ job_left_ns(job), -1, 0 };
	}
	for (size_t i = 0; i < j->busy->n; i++) {
		c[k++] = (struct change){ j->busy->v[i].from_ns, 0, 1 };
		c[k++] = (struct change){ j->busy->v[i].to_ns, 0, -1 };
	}
	qsort(c, k, sizeof(*c), change_cmp);
	for (size_t i = 0; i < k; i++) {
		uint64_t from_ns = MAX(c[i].ts_ns, known_ns);
		uint64_t to_ns = i + 1 < k ? MIN(c[i + 1].ts_ns, j->to_ns) : j->to_ns;

		waiting += c[i].waiting;
		running += c[i].running;
		if (waiting <= 0 || from_ns >= to_ns)
			continue;
		j->waited_ns += to_ns - from_ns;
		if (running < (int64_t)most_running)
			j->unserved_ns += to_ns - from_ns;
	}
	return 0;
}

static void add_interval(struct judged *j, const struct interval *s, uint64_t from_ns, uint64_t to_ns)
{
	enum resource_kind kind = RESOURCE_UNKNOWN;
	uint64_t ns = to_ns - from_ns, busy_ns = 0;
	struct interval_sums sums;

	if (s->state == INTERVAL_BLOCKED)
		kind = resource_of_wait(j->g->w, s->wait, s->nr, s->obj);
	else if (s->state == INTERVAL_FOLDED && interval_sums(s, from_ns, to_ns, &sums))
		busy_ns = MIN(ns, sums.ran_ns + sums.queued_ns);
	else if (s->state == INTERVAL_RUNNING || s->state == INTERVAL_RUNNABLE)
		busy_ns = ns;
	else
		return;
	j->busy_ns += busy_ns;
	j->off_ns += ns - busy_ns;
	j->off_kind_ns[kind] += ns - busy_ns;
}

static void sum_intervals(struct judged *j)
{
	const struct graph *g = j->g;

	for (size_t i = 0; i < j->n; i++) {
		const struct job *job = &j->v[i];
		uint64_t to_ns = job->end_ns ? job->end_ns : j->to_ns;
		const struct graph_task *t;
		uint32_t at;

		if (!job->start_ns || job->worker == GRAPH_NONE || job->start_ns >= to_ns)
			continue;
		j->occupied_ns += job_so_far_ns(job, j->to_ns);
		t = &g->tasks[job->worker];
		at = graph_interval_at(g, job->worker, job->start_ns);
		for (; at != GRAPH_NONE && at < t->first_interval + t->n_intervals && scan_step(g); at++) {
			const struct interval *s = &g->intervals[at];
			uint64_t from = MAX(s->from_ns, job->start_ns), to = MIN(s->to_ns, to_ns);

			if (s->from_ns >= to_ns)
				break;
			if (from < to)
				add_interval(j, s, from, to);
		}
	}
}

/* Returns how much of occupied_ns counts more than once, because jobs run inside of other jobs. */
static uint64_t nested_ns(const struct judged *j)
{
	uint64_t busy_ns = 0;

	for (size_t i = 0; i < j->busy->n; i++) {
		uint64_t to_ns = MIN(j->busy->v[i].to_ns, j->to_ns);

		busy_ns += to_ns - MIN(j->busy->v[i].from_ns, to_ns);
	}
	return j->occupied_ns - MIN(j->occupied_ns, busy_ns);
}

static bool is_nested(const struct judged *j)
{
	return (double)nested_ns(j) > QUEUE_NESTED_SHARE * (double)j->occupied_ns;
}

/* Returns true if, for more than half of the time of the jobs, no record shows what they did. */
static bool is_unseen(const struct judged *j)
{
	return 2 * (j->busy_ns + j->off_ns) < j->occupied_ns;
}

/* The jobs compute, or wait for a CPU. */
static bool is_busy(const struct judged *j)
{
	return !is_unseen(j) && (double)j->busy_ns >= QUEUE_CPU_SHARE * (double)(j->busy_ns + j->off_ns);
}

/* The last wait of a task before an interval, or GRAPH_NONE. */
struct last_wait {
	uint32_t interval, wait;
};

/* Returns the last wait of the enqueuer before it enqueued the job, or GRAPH_NONE. last: the result for
 * an earlier job of the enqueuer, where the walk back ends. */
static uint32_t wait_before(const struct graph *g, const struct job *job, struct last_wait *last)
{
	uint32_t at = job->enqueuer == GRAPH_NONE
			      ? GRAPH_NONE
			      : graph_interval_near(g, job->enqueuer, job->queued_ns, last->interval);
	uint32_t wait = GRAPH_NONE;

	for (uint32_t i = at; at != GRAPH_NONE && i > g->tasks[job->enqueuer].first_interval; i--) {
		const struct interval *before = &g->intervals[i - 1];

		if (i == last->interval) {
			wait = last->wait;
			break;
		}
		if (before->state == INTERVAL_BLOCKED)
			wait = i - 1;
		if (before->state == INTERVAL_BLOCKED || before->state == INTERVAL_FOLDED ||
		    before->state == INTERVAL_UNKNOWN || !scan_step(g))
			break;
	}
	*last = (struct last_wait){ at, wait };
	return wait;
}

static int requester_cmp(const void *a, const void *b)
{
	const struct job *x = *(const struct job *const *)a, *y = *(const struct job *const *)b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->enqueuer != y->enqueuer)
		return x->enqueuer < y->enqueuer ? -1 : 1;
	return x->queued_ns < y->queued_ns ? -1 : x->queued_ns > y->queued_ns;
}

static uint64_t end_of(const struct job *job)
{
	return job->end_ns ? job->end_ns : UINT64_MAX;
}

static bool is_by_clock_or_person(const struct graph *g, uint32_t wait)
{
	struct blame b;

	blame_wait(g, wait, g->intervals[wait].to_ns, &b);
	return b.time == TIME_TIMER || b.kind == RESOURCE_TIMER || b.kind == RESOURCE_INPUT || b.timed_out;
}

/* v: the n jobs of one requester, sorted by queued_ns. */
static struct requester requester_of(const struct graph *g, const struct job *const *v, size_t n)
{
	struct requester r = { .first = v[0], .jobs = n };
	uint64_t latest_end_ns = 0, version_end_ns = 0;
	struct last_wait last = { GRAPH_NONE, GRAPH_NONE };
	uint32_t version = GRAPH_NONE;
	size_t looks = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t wait = wait_before(g, v[i], &last);

		if (wait != version) {
			latest_end_ns = MAX(latest_end_ns, version_end_ns);
			version_end_ns = 0;
			version = wait;
			r.versions++;
			if (latest_end_ns > v[i]->queued_ns && wait != GRAPH_NONE &&
			    looks < QUEUE_OBSOLETE_LOOKS) {
				looks++;
				r.early += is_by_clock_or_person(g, wait);
			}
		}
		version_end_ns = MAX(version_end_ns, end_of(v[i]));
		r.execution_ns += job_execution_ns(v[i]);
	}
	return r;
}

static int find_requester(struct judged *j)
{
	_cleanup_free_ const struct job **v = malloc((j->n + 1) * sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].queued_ns)
			v[n++] = &j->v[i];
	qsort(v, n, sizeof(*v), requester_cmp);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo + 1;
		     hi < n && v[hi]->function == v[lo]->function && v[hi]->enqueuer == v[lo]->enqueuer;)
			hi++;
		if (2 * (hi - lo) >= n)
			j->requester = requester_of(j->g, v + lo, hi - lo);
	}
	return 0;
}

static bool is_obsolete(const struct judged *j)
{
	const struct requester *r = &j->requester;

	return r->early >= QUEUE_OBSOLETE_VERSIONS && 2 * r->execution_ns >= j->execution_ns &&
	       (2 * r->early >= r->versions || r->early == QUEUE_OBSOLETE_LOOKS);
}

/* Returns true if another thread of the process may be the one that ends the wait. */
static bool may_be_for_thread(const struct graph *g, const struct interval *s)
{
	enum resource_kind kind = resource_of_wait(g->w, s->wait, s->nr, s->obj);

	return kind == RESOURCE_FUTEX || kind == RESOURCE_LOCK || kind == RESOURCE_EVENTFD ||
	       kind == RESOURCE_PIPE || (kind == RESOURCE_UNKNOWN && CT_OBJ_KIND(s->obj) != CT_OBJ_SOCK);
}

/* Returns true if the running job has enqueued a job that has not ended, and has then blocked.
 * Looks at the state of the running job QUEUE_STUCK_NS / 2 before the end of the window. At this
 * time, the queue is stuck already. At the very end of the window, the process may have been
 * killed. */
static bool awaits_own_job(const struct judged *j, const struct job *running)
{
	uint32_t at = graph_interval_at(j->g, running->worker, j->to_ns - QUEUE_STUCK_NS / 2);
	size_t i;

	if (at == GRAPH_NONE || j->g->intervals[at].state != INTERVAL_BLOCKED ||
	    !may_be_for_thread(j->g, &j->g->intervals[at]))
		return false;
	i = BISECT(k, 0, j->n, j->v[k].queued_ns >= running->start_ns);
	for (; i < j->n && j->v[i].queued_ns <= j->g->intervals[at].from_ns && scan_step(j->g); i++)
		if (j->v[i].enqueuer == running->worker && !j->v[i].end_ns)
			return true;
	return false;
}

static bool awaits_itself(const struct judged *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->v[i].start_ns && !j->v[i].end_ns && !awaits_own_job(j, &j->v[i]))
			return false;
	return true;
}

/* Returns the group of the slow kind, or NULL. Jobs that have not ended count too. But if no job of
 * a group has ended, the group does not count as one with short jobs. */
static const struct job_group *slow_group(const struct queue *q, const struct judged *j)
{
	const struct job_group *slow = &q->kinds[0];
	size_t short_jobs = 0;

	for (size_t i = 1; i < q->n_kinds; i++)
		if (q->kinds[i].so_far_ns > slow->so_far_ns)
			slow = &q->kinds[i];
	if (2 * slow->times.count > q->times.count || 2 * slow->so_far_ns <= j->occupied_ns)
		return NULL;
	for (size_t i = 0; i < q->n_kinds; i++)
		if (&q->kinds[i] != slow && q->kinds[i].n_ended &&
		    q->kinds[i].so_far_p50_ns * QUEUE_LONG_TIMES <= slow->so_far_p50_ns)
			short_jobs += q->kinds[i].times.count;
	return 2 * short_jobs >= q->times.count ? slow : NULL;
}

/* As slow_group(), for the callers of a queue with one kind of jobs. Only the jobs with a stack count.
 * Returns NULL also if there are too few of them. */
static const struct job_group *slow_caller(const struct queue *q, struct callers_sum *ret)
{
	const struct job_group *slow = NULL;
	size_t short_jobs = 0;

	*ret = (struct callers_sum){ 0 };
	if (q->n_kinds != 1 || q->n_groups < 2)
		return NULL;
	for (size_t i = 0; i < q->n_groups; i++) {
		const struct job_group *x = &q->groups[i];

		if (x->rest)
			continue;
		ret->jobs += x->times.count;
		ret->so_far_ns += x->so_far_ns;
		if (!slow || x->so_far_ns > slow->so_far_ns)
			slow = x;
	}
	if (!slow || slow->times.count < QUEUE_CALLER_JOBS || 2 * slow->times.count > ret->jobs ||
	    2 * slow->so_far_ns <= ret->so_far_ns)
		return NULL;
	for (size_t i = 0; i < q->n_groups; i++) {
		const struct job_group *x = &q->groups[i];

		if (x != slow && !x->rest && x->n_ended &&
		    x->so_far_p50_ns * QUEUE_LONG_TIMES <= slow->so_far_p50_ns)
			short_jobs += x->times.count;
	}
	return 2 * short_jobs >= ret->jobs ? slow : NULL;
}

static bool has_slow_kind(const struct queue *q, const struct judged *j)
{
	struct callers_sum sum;

	return slow_group(q, j) || slow_caller(q, &sum) ||
	       (q->times.execution.p50 * QUEUE_LONG_TIMES <= q->times.execution.p99 &&
		j->long_ns > j->execution_ns / 2);
}

/* The jobs are short: only the number of the jobs makes them wait. A job that does not end is not short. */
static bool is_flood(const struct queue *q, const struct judged *j)
{
	return q->most_running <= 1 && q->most_waiting >= QUEUE_FLOOD_WAITING &&
	       2 * j->execution_ns >= j->occupied_ns &&
	       q->times.execution.p95 * QUEUE_LONG_TIMES <= q->times.queueing.p50 && is_busy(j);
}

static enum queue_verdict verdict_of(const struct queue *q, const struct judged *j)
{
	/* No job has ended since the oldest waiting job was enqueued, and no thread is free for a
	 * further job. */
	bool stuck = q->n_waiting && q->n_running && q->n_running >= MIN(q->n_threads, q->most_running) &&
		     j->oldest_waits_ns >= QUEUE_STUCK_NS && j->last_end_ns + j->oldest_waits_ns <= j->to_ns;

	if (!q->times.count || !j->n_enqueues)
		return QUEUE_UNKNOWN;
	if (stuck)
		return awaits_itself(j) ? QUEUE_ITSELF : QUEUE_STUCK;
	if ((double)j->queueing_ns < QUEUE_WAIT_SHARE * (double)(j->queueing_ns + j->inner_ns) ||
	    q->most_waiting < 2)
		return QUEUE_FINE;
	if (is_obsolete(j))
		return QUEUE_OBSOLETE;
	if ((double)j->unserved_ns > QUEUE_LATE_SHARE * (double)j->waited_ns)
		return QUEUE_LATE;
	if (is_flood(q, j))
		return QUEUE_FLOOD;
	/* While an outer job waits for events, it does not hold up the others. */
	if (!is_nested(j) && has_slow_kind(q, j))
		return QUEUE_SLOW_KIND;
	if (q->most_running <= 1)
		return QUEUE_SERIAL;
	if (is_unseen(j) || is_nested(j))
		return QUEUE_UNKNOWN;
	return is_busy(j) ? QUEUE_OVERLOAD : QUEUE_TOO_SMALL;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	return (unsigned)(100 * (double)part / (double)MAX(whole, (uint64_t)1) + 0.5);
}

static const char *s_of(size_t n)
{
	return n == 1 ? "" : "s";
}

static void say_too_small(struct words *t, const struct queue *q, const struct judged *j)
{
	size_t most = 0;

	for (size_t i = 0; i < RESOURCE_KINDS; i++)
		if (j->off_kind_ns[i] > j->off_kind_ns[most])
			most = i;
	if (q->most_running < q->n_threads)
		words_add(t, "too few jobs run at one time, at most %u", q->most_running);
	else
		words_add(t, "the %u threads are too few", q->n_threads);
	words_add(t, ": the jobs wait for something themselves for %u %% of their execution",
		  percent(j->off_ns, j->occupied_ns));
	if (2 * j->off_kind_ns[most] > j->off_ns)
		words_add(t, ", mostly for: %s", resource_kind_word(most));
}

static void say_late(struct words *t, const struct queue *q, const struct judged *j)
{
	unsigned share = percent(j->unserved_ns, j->waited_ns);

	if (q->most_running <= 1)
		words_add(t, "jobs wait although no job runs, for %u %% of the time in which jobs wait",
			  share);
	else
		words_add(
			t,
			"jobs wait although threads are free: for %u %% of the time in which jobs wait, fewer than %u jobs run",
			share, q->most_running);
}

static const struct job_group *largest_group(const struct queue *q)
{
	const struct job_group *most = &q->kinds[0];

	for (size_t i = 1; i < q->n_kinds; i++)
		if (q->kinds[i].times.count > most->times.count)
			most = &q->kinds[i];
	return most;
}

static void say_flood(struct words *t, const struct queue *q)
{
	const struct job_group *x = largest_group(q);

	words_add(t, "a flood of jobs: up to %u short jobs wait at one time for one thread", q->most_waiting);
	if (q->n_kinds > 1)
		words_add(t, "; %u %% are of one kind", percent(x->times.count, q->times.count));
}

static void say_slow_kind(struct words *t, const struct graph *g, const struct queue *q,
			  const struct judged *j)
{
	struct callers_sum sum;
	const struct job_group *slow = slow_group(q, j), *caller = slow_caller(q, &sum);
	char name[QUEUE_NAME_MAX];

	if (!slow && caller)
		words_add(
			t,
			"one slow kind of jobs holds up the others: of the jobs with a call stack, %u %% take %u %% of the execution (%s)",
			percent(caller->times.count, sum.jobs), percent(caller->so_far_ns, sum.so_far_ns),
			queue_group_name(g, caller, name));
	else if (slow)
		words_add(
			t,
			"one slow kind of jobs holds up the others: %u %% of the jobs take %u %% of the execution (%s)",
			percent(slow->times.count, q->times.count), percent(slow->so_far_ns, j->occupied_ns),
			queue_group_name(g, slow, name));
	else
		words_add(t, "a few long jobs hold up the others: one in ten takes %u %% of the execution",
			  percent(j->long_ns, j->execution_ns));
}

static void say_obsolete(struct words *t, const struct graph *g, const struct judged *j)
{
	const struct requester *r = &j->requester;
	struct job_group x = { .enqueuer = r->first->enqueuer, .function = r->first->function };
	char name[QUEUE_NAME_MAX];

	words_add(
		t,
		"old jobs are not cancelled: %zu times, a timer or input made a task enqueue a new job before its earlier jobs had ended (%s)",
		r->early, queue_group_name(g, &x, name));
}

static void say_no_enqueues(struct words *t, const struct queue *q, const struct judged *j)
{
	unsigned share = percent(j->full_ns, j->to_ns - MIN(j->from_ns, j->to_ns));

	words_add(t, "no enqueue of a job was recorded, so ctrace cannot say whether jobs wait");
	if (q->n_threads < 2 || !share)
		return;
	words_add(t, "; all %u threads run jobs for %u %% of the time", q->n_threads, share);
	if (!is_unseen(j))
		words_add(t, ", and the jobs mostly %s",
			  is_busy(j) ? "compute" : "wait for something themselves");
}

static void say_unknown(struct words *t, const struct queue *q, const struct judged *j)
{
	if (q->times.count && !j->n_enqueues)
		say_no_enqueues(t, q, j);
	else if (q->times.count && is_nested(j))
		words_add(
			t,
			"jobs wait, but jobs also run inside of other jobs, for %u %% of the execution, so ctrace cannot say why jobs wait",
			percent(nested_ns(j), j->occupied_ns));
	else if (q->times.count)
		words_add(
			t,
			"up to %u jobs run at one time, and further jobs wait; for %u %% of the execution, no record shows what the jobs do",
			q->most_running,
			percent(j->occupied_ns - MIN(j->occupied_ns, j->busy_ns + j->off_ns),
				j->occupied_ns));
	else
		words_add(t,
			  "no start of a job was recorded, so ctrace cannot say whether, or why, jobs wait");
}

static char *say_verdict(const struct graph *g, const struct queue *q, const struct judged *j)
{
	struct words t = { 0 };

	switch (q->verdict) {
	case QUEUE_STUCK:
		words_add(&t, "stuck: %zu job%s all %u thread%s and %s not ended for ", q->n_running,
			  q->n_running == 1 ? " takes" : "s take", MIN(q->n_threads, q->most_running),
			  s_of(MIN(q->n_threads, q->most_running)), q->n_running == 1 ? "has" : "have");
		words_duration(&t, j->oldest_waits_ns);
		words_add(&t, ", while %zu job%s", q->n_waiting, q->n_waiting == 1 ? " waits" : "s wait");
		break;
	case QUEUE_ITSELF:
		words_add(
			&t,
			"the queue waits for itself: %zu running job%s enqueued jobs in it, and %s waited since; %zu job%s not begun for ",
			q->n_running, s_of(q->n_running), q->n_running == 1 ? "has" : "have", q->n_waiting,
			q->n_waiting == 1 ? " has" : "s have");
		words_duration(&t, j->oldest_waits_ns);
		break;
	case QUEUE_SERIAL:
		if (q->n_threads > 1)
			words_add(&t, "the jobs run one after the other, although %u threads take turns",
				  q->n_threads);
		else
			words_add(&t, "one thread runs all jobs, one after the other");
		if (q->declared > q->most_running)
			words_add(&t, "%s the queue allows %u at one time",
				  q->n_threads > 1 ? " and" : ", although", q->declared);
		break;
	case QUEUE_TOO_SMALL:
		say_too_small(&t, q, j);
		break;
	case QUEUE_OVERLOAD:
		words_add(&t, "overloaded: all %u threads compute", MIN(q->n_threads, q->most_running));
		break;
	case QUEUE_SLOW_KIND:
		say_slow_kind(&t, g, q, j);
		break;
	case QUEUE_LATE:
		say_late(&t, q, j);
		break;
	case QUEUE_FLOOD:
		say_flood(&t, q);
		break;
	case QUEUE_OBSOLETE:
		say_obsolete(&t, g, j);
		break;
	case QUEUE_UNKNOWN:
		say_unknown(&t, q, j);
		break;
	case QUEUE_FINE:
	case QUEUE_VERDICTS:
		words_add(&t, "jobs hardly wait");
		break;
	}
	if (q->n_no_starts && q->times.count)
		words_add(&t, "; %zu job%s not counted: perhaps %s without a record", q->n_no_starts,
			  q->n_no_starts == 1 ? " is" : "s are",
			  q->n_no_starts == 1 ? "it began" : "they began");
	return words_take(&t);
}

int verdict_find(const struct graph *g, struct queue *q, const struct job *v, size_t n, const busy_list *busy,
		 uint64_t from_ns, uint64_t to_ns)
{
	struct judged j = { .g = g, .v = v, .n = n, .busy = busy, .from_ns = from_ns, .to_ns = to_ns };
	int r = sum_jobs(&j);

	if (!r)
		r = sum_unserved(&j, q->most_running);
	if (!r)
		r = find_requester(&j);
	if (r)
		return r;
	q->on_cpu = j.execution_ns ? (double)j.cpu_ns / (double)j.execution_ns : 0;
	sum_intervals(&j);
	r = busy_all(busy, q->n_threads, from_ns, to_ns, &j.full_ns);
	if (r)
		return r;
	q->verdict = verdict_of(q, &j);
	q->text = say_verdict(g, q, &j);
	return q->text ? 0 : -ENOMEM;
}
