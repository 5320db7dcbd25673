// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/capture/drain.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ctrace/fields.h"
#include "daemon/record/cgroups.h"
#include "daemon/record/cmdlines.h"
#include "daemon/capture/fdtable.h"
#include "daemon/record/heldlocks.h"
#include "daemon/inspect/variable.h"
#include "daemon/inspect/inspect_look.h"
#include "daemon/inspect/inspect_policy.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define DRAIN_RATES 16

struct drain_request {
	void (*fn)(struct drain *d, void *arg);
	void *arg;
	bool done;
	int result;
	struct drain_request *next;
};

struct drain_stream {
	void *data;
	size_t size;
	struct drain_stream *next;
};

struct drain_rate {
	uint64_t ns, cpu_ns, records, bytes;
};

struct drain {
	struct drain_options opt;
	struct recorder *recorder;
	struct inspect *inspect;
	struct cgroups *cgroups;
	struct cmdlines *cmdlines;
	struct detect *detect;
	struct inspect_policy policy;
	struct governor_loop *governor_loop;
	struct caps *caps;
	struct groups *groups;
	pthread_t thread;
	bool started;
	int wake_fd, epoll_fd;

	/* After drain_new(), only the drain thread uses the members from here to `resyncs`. */
	uint64_t start_ns, start_cpu_ns, losses_ns, resync_ns, sample_ns, clock_ns, unread_ns;
	uint64_t job_second_ns;
	unsigned samples, job_stacks;
	bool lost;
	struct drain_rate rates[DRAIN_RATES];
	unsigned n_rates;
	uint64_t samples_refused, job_stacks_refused, resyncs;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t answered;
	bool stop, closed;
	struct drain_request *requests;
	struct drain_stream *streams, **streams_end;
	size_t streams_bytes;
	uint64_t streams_refused;
	struct drain_stats stats;
};

static int drain_read_task(void *arg, uint32_t tid, struct ct_iter_task *ret)
{
	return probe_read_task(arg, tid, ret);
}

static void drain_rawstack(void *arg, uint16_t cpu, const struct ct_rawstack_blob *raw)
{
	struct drain *d = arg;

	if (raw->h.ts >= d->sample_ns + NSEC_PER_SEC) {
		d->sample_ns = raw->h.ts;
		d->samples = 0;
	}
	if (d->samples++ >= DRAIN_SAMPLES_PER_S || inspect_ask_sample(d->inspect, raw))
		d->samples_refused++;
}

static void drain_access(struct drain *d, const struct ct_rec *rec, const uint64_t words[2],
			 const struct ct_stack_blob *stack)
{
	recorder_add(d->recorder, rec, words);
	if (d->opt.access)
		d->opt.access(d->opt.access_arg, rec, words, stack);
}

static void drain_rawaccess(void *arg, const struct ct_rawaccess_blob *raw)
{
	const uint64_t words[2] = { raw->value, 0 };
	struct drain *d = arg;
	struct ct_rec rec;

	if (!inspect_ask_access(d->inspect, raw))
		return;
	rec = inspect_look_access_rec(raw);
	drain_access(d, &rec, words, NULL);
}

/* If the queue is full, the crash is in the trace without its stack. */
static void drain_rawcrash(void *arg, const struct ct_rawcrash_blob *raw)
{
	struct drain *d = arg;

	(void)inspect_ask_crash(d->inspect, raw);
}

/* The stacks of enqueues are inspections too: the budget may forbid them. */
static void drain_rawjob(void *arg, const struct ct_rawjob_blob *raw)
{
	struct drain *d = arg;

	if (raw->h.ts >= d->job_second_ns + NSEC_PER_SEC) {
		d->job_second_ns = raw->h.ts;
		d->job_stacks = 0;
	}
	if (!governor_loop_inspects(d->governor_loop) || d->job_stacks++ >= DRAIN_JOB_STACKS_PER_S ||
	    inspect_ask_job(d->inspect, raw))
		d->job_stacks_refused++;
}

static void drain_group(struct drain *d, uint32_t tid)
{
	const struct task *task = tid ? tasks_get(recorder_tasks(d->recorder), tid) : NULL;

	/* a kernel thread works for other tasks, so it counts for no group */
	if (tid && !(task && task->flags & TASK_KTHREAD))
		groups_add(d->groups, task ? task->group : 0);
}

static void drain_groups(struct drain *d, const struct ct_rec *rec)
{
	drain_group(d, rec->tid);
	if ((rec->kind == CT_SWITCH || rec->kind == CT_WAKE) && rec->peer != rec->tid)
		drain_group(d, rec->peer);
}

/* Counts each blob of the kind CT_TASK. Of the records that are no blobs, drain_record() counts only one in
 * CAPS_SAMPLE: such a record costs the kernel side less than a blob. */
static void drain_group_name(struct drain *d, const struct ct_task_blob *b)
{
	groups_add(d->groups, govern_group(b->uid, b->cgroup_id));
}

static void drain_record(void *arg, uint16_t cpu, const void *data, size_t size)
{
	const uint64_t *p = data, *end = p + size / 8;
	struct drain *d = arg;

	while (end - p >= (ptrdiff_t)(sizeof(struct ct_rec) / 8)) {
		const struct ct_rec *rec = (const void *)p;

		if (CT_KIND_IS_BLOB(rec->kind))
			break;
		if (caps_note(d->caps, rec))
			drain_groups(d, rec);
		p += 4 + CT_KIND_WORDS(rec->kind);
	}
	if (p == data && size >= sizeof(struct ct_task_blob) &&
	    ((const struct ct_blob *)data)->kind == CT_TASK)
		drain_group_name(d, data);
	recorder_take(d->recorder, cpu, data, size);
}

static bool drain_ask_inspection(void *arg, struct task *task)
{
	struct drain *d = arg;
	const struct ct_rec *last = &task->st.last;
	const struct inspect_want want = {
		/* A task that loops through short waits may be in its next wait when it is
		 * inspected: any of these waits shows the loop. */
		.since_ns = task->loop_waits >= INSPECT_POLICY_LOOP_WAITS ? 0 : last->ts,
		.obj = last->obj,
		.tid = last->tid,
		.nr = last->nr,
		.wait = last->wait,
		.state = last->state,
		.loop = task->loop_waits >= INSPECT_POLICY_LOOP_WAITS,
		.spins = task->st.run != WINDOW_RUN_BLOCKED,
	};

	return !inspect_ask(d->inspect, &want);
}

/* Called on the worker's thread. */
static void drain_take_files(void *arg, void *data, size_t size)
{
	drain_post(arg, data, size);
}

/* Returns true if the poll of the task has no CT_WAITFD records, but needs them: it began before the capture,
 * or it asks neither for input from its only descriptor nor for room. */
static bool drain_wants_polled(const struct drain *d, const struct task *task, const struct inspect_result *v)
{
	if (!task || !v->n_fds)
		return false;
	return task->st.last.ts <= d->start_ns || (v->n_set == 1 && !(v->fds[0].events & CT_POLL_DATA));
}

/* Records the descriptor table of the process, but at most once in DRAIN_FILES_AGAIN_NS. At each
 * inspection, also records the descriptors that the task polls, if drain_wants_polled(). */
static void drain_files(struct drain *d, const struct inspect_result *v, uint64_t now_ns)
{
	struct task *task = tasks_get(recorder_tasks(d->recorder), v->rec.tid);
	struct task *leader = tasks_get(recorder_tasks(d->recorder), v->tgid);
	struct fdtable_job job = {
		.probe = d->opt.probe, .post = drain_take_files, .arg = d, .tgid = v->tgid, .tid = v->rec.tid
	};

	if (!leader)
		leader = task;
	if (!leader || v->rec.kind != CT_VISIT)
		return;
	job.whole = !leader->files_ns || now_ns >= leader->files_ns + DRAIN_FILES_AGAIN_NS;
	if (job.whole) /* programs such as PostgreSQL change their command lines */
		cmdlines_want(d->cmdlines, v->tgid);
	if (drain_wants_polled(d, task, v)) {
		job.n_fds = v->n_fds;
		job.n_set = v->n_set;
		memcpy(job.fds, v->fds, sizeof(job.fds));
	}
	if ((job.whole || job.n_fds) && !fdtable_post(d->opt.worker, &job))
		leader->files_ns = now_ns;
}

static void drain_variable(struct drain *d, uint64_t id, uint32_t tgid, const char *name, uint64_t ts_ns)
{
	struct ct_object_blob *blob = variable_object(id, tgid, name, ts_ns);

	if (blob)
		recorder_take(d->recorder, 0, blob, blob->h.size);
	free(blob);
}

/* The name of a variable comes before the record that needs it. */
static void drain_polled(struct drain *d, const struct inspect_result *v)
{
	for (unsigned i = 0; i < v->n_polled; i++) {
		const struct polled_variable *p = &v->polled[i];
		const uint64_t words[2] = { p->value, p->addr };
		struct ct_rec rec = { .ts = v->rec.ts,
				      .kind = CT_POLLED,
				      .tid = v->rec.tid,
				      .flags = p->flags,
				      .obj = CT_OBJ_USER_ID(CT_OBJ_DATA, v->tgid, p->addr) };

		drain_variable(d, rec.obj, v->tgid, p->name, rec.ts);
		recorder_add(d->recorder, &rec, words);
	}
}

static void drain_visit(struct drain *d, const struct inspect_result *v)
{
	struct task *task = tasks_get(recorder_tasks(d->recorder), v->rec.tid);

	if (task && v->rec.kind == CT_VISIT)
		task->inspect_lock = ct_visit_lock(&v->rec);
	recorder_add(d->recorder, &v->rec, v->words);
}

static void drain_inspections(struct drain *d, uint64_t now_ns)
{
	struct inspect_result *v;

	while ((v = inspect_take(d->inspect))) {
		if (v->stack)
			recorder_stack(d->recorder, v->stack);
		if (v->object)
			recorder_take(d->recorder, 0, v->object, v->object->h.size);
		if (v->futex_name[0])
			drain_variable(d, v->futex.obj, v->tgid, v->futex_name, v->futex.ts);
		if (v->has_futex)
			recorder_add(d->recorder, &v->futex, v->futex_words);
		if (v->rec.kind == CT_ACCESS)
			drain_access(d, &v->rec, v->words, v->stack);
		else if (v->rec.kind)
			drain_visit(d, v);
		drain_polled(d, v);
		drain_files(d, v, now_ns);
		inspect_result_free(v);
	}
}

static void drain_streams(struct drain *d)
{
	struct drain_stream *s, *next;

	pthread_mutex_lock(&d->lock);
	s = TAKE_PTR(d->streams);
	d->streams_end = &d->streams;
	d->streams_bytes = 0;
	pthread_mutex_unlock(&d->lock);
	for (; s; s = next) {
		next = s->next;
		recorder_take_stream(d->recorder, s->data, s->size);
		free(s->data);
		free(s);
	}
}

static void drain_cgroup(void *arg, uint64_t id)
{
	struct drain *d = arg;

	cgroups_seen(d->cgroups, id);
}

static void drain_limited(void *arg, uint32_t tid, uint64_t ts_ns)
{
	struct drain *d = arg;

	cgroups_limited(d->cgroups, tid, ts_ns);
}

/* Called on the worker's thread. */
static void drain_cgroups_found(void *arg, void *data, size_t size)
{
	drain_post(arg, data, size);
}

static void drain_cmdline(void *arg, uint32_t tgid)
{
	struct drain *d = arg;

	cmdlines_want(d->cmdlines, tgid);
}

/* Called on the thread of `names`. */
static void drain_cmdlines_found(void *arg, void *data, size_t size)
{
	drain_post(arg, data, size);
}

static void drain_found_exec(struct drain *d, const struct ct_iter_task *found)
{
	const struct ct_task_blob *task = &found->task;

	if (task->h.tid == task->tgid)
		recorder_found(d->recorder, task->tgid, found->exec_id, task->h.ts);
}

static void drain_found(void *arg, const struct ct_iter_task *found)
{
	struct drain *d = arg;

	recorder_take(d->recorder, 0, &found->task, sizeof(found->task));
	tasks_found(recorder_tasks(d->recorder), found);
	drain_found_exec(d, found);
	if (d->detect)
		detect_found(d->detect, found);
}

static int drain_resync(void *arg, uint64_t now_ns)
{
	struct drain *d = arg;
	struct tasks *tasks = recorder_tasks(d->recorder);
	int r;

	tasks_found_begin(tasks, now_ns);
	r = probe_read_tasks(d->opt.probe, drain_found, d);
	if (r >= 0)
		tasks_found_end(tasks);
	if (r >= 0 && d->detect)
		detect_resync(d->detect, now_ns);
	d->lost |= r < 0; /* drain_losses() tries again */
	return r;
}

static void drain_read_found(void *arg, const struct ct_iter_task *found)
{
	struct drain *d = arg;
	struct tasks *tasks = recorder_tasks(d->recorder);
	uint64_t words[2];
	struct ct_rec rec;

	/* the name of a new task comes before its record */
	if (!tasks_get(tasks, found->task.h.tid))
		recorder_take(d->recorder, 0, &found->task, sizeof(found->task));
	if (tasks_read(tasks, found, &rec, words))
		recorder_add(d->recorder, &rec, words);
}

static int drain_read(void *arg, uint64_t now_ns, bool all)
{
	struct drain *d = arg;
	struct tasks *tasks = recorder_tasks(d->recorder);
	int r = probe_measure_clock(d->opt.probe);

	tasks_found_begin(tasks, now_ns);
	if (all)
		tasks_tell_all(tasks);
	if (!r)
		r = probe_read_tasks(d->opt.probe, drain_read_found, d);
	if (!r)
		tasks_found_end(tasks);
	return r;
}

static void drain_hang(void *arg, const struct detect_hang *hang)
{
	const uint64_t words[2] = { hang->since_ns, hang->threshold_ns };
	const struct ct_rec rec = { .ts = hang->found_ns,
				    .kind = CT_HANG,
				    .state = (uint8_t)hang->rule,
				    .wait = hang->wait,
				    .tid = hang->tid,
				    .peer = hang->peer,
				    .nr = hang->nr,
				    .obj = hang->obj };
	struct drain *d = arg;

	recorder_add(d->recorder, &rec, words);
	if (d->opt.hang)
		d->opt.hang(d->opt.hang_arg, hang);
}

/* A SCHED_IDLE task gets hardly any CPU time while other tasks want the CPU. The priority does not
 * show this policy. */
static int drain_look(void *arg, uint32_t tid, struct ct_iter_task *ret)
{
	struct drain *d = arg;
	int r = drain_read_task(d->opt.probe, tid, ret), policy = r ? -1 : sched_getscheduler((pid_t)tid);

	if (policy >= 0 && (policy & ~SCHED_RESET_ON_FORK) == SCHED_IDLE)
		ret->wait.aux = DETECT_PRIO_IDLE;
	if (!r)
		ret->sched_since = tasks_since(recorder_tasks(d->recorder), ret);
	return r;
}

/* To find the socket, probe_read_unread() visits the descriptors of the process, perhaps thousands.
 * So the calls of probe_read_unread() may take at most 1/UNREAD_TIMES of one CPU on average.
 * Returns -EBUSY, without a call, if earlier calls have used up this share. */
static int drain_unread(void *arg, uint32_t tgid, uint64_t sock, uint64_t *ret)
{
	struct drain *d = arg;
	uint64_t now_ns = clock_boot_ns(), began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int r;

	if (now_ns < d->unread_ns)
		return -EBUSY;
	r = probe_read_unread(d->opt.probe, tgid, sock, ret);
	d->unread_ns = MAX(d->unread_ns, now_ns > NSEC_PER_SEC ? now_ns - NSEC_PER_SEC : 0);
	d->unread_ns += UNREAD_TIMES * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns);
	return r;
}

static int drain_detect(struct drain *d)
{
	const char *hooks = d->opt.recorder.writer.hooks ?: "";
	const struct detect_options opt = {
		.settings = d->opt.hangs,
		.own_tgid = (uint32_t)getpid(),
		.messages = strstr(hooks, "msg/send=") && strstr(hooks, "msg/recv="),
		.look = drain_look,
		.unread = drain_unread,
		.look_arg = d,
		.hang = drain_hang,
		.hang_arg = d,
	};

	if (!d->opt.hangs)
		return 0;
	d->detect = d->opt.recorder.detect = detect_new(&opt);
	return d->detect ? 0 : -ENOMEM;
}

static void drain_loss(void *arg, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		       uint64_t last_ns)
{
	struct drain *d = arg;

	recorder_lost(d->recorder, cpu, cause, n, first_ns, last_ns);
	d->lost |= cause == CT_LOSS_RING_FULL;
}

static void drain_losses(struct drain *d, uint64_t now_ns)
{
	if (now_ns < d->losses_ns + RECORDER_SEAL_NS)
		return;
	d->losses_ns = now_ns;
	probe_losses(d->opt.probe, drain_loss, d);
	if (now_ns >= d->clock_ns + DRAIN_CLOCK_NS) {
		d->clock_ns = now_ns;
		(void)probe_measure_clock(d->opt.probe);
	}
	d->lost |= d->detect && detect_is_blind(d->detect);
	if (!d->lost || governor_loop_paused(d->governor_loop) || now_ns < d->resync_ns + DRAIN_RESYNC_NS)
		return;
	d->lost = false;
	d->resync_ns = now_ns;
	d->resyncs++;
	drain_resync(d, now_ns);
}

static void drain_rates(struct drain *d, uint64_t now_ns, struct drain_stats *s)
{
	struct drain_rate *newest = &d->rates[(d->n_rates + DRAIN_RATES - 1) % DRAIN_RATES], *oldest;
	double span;

	if (!d->n_rates || now_ns >= newest->ns + NSEC_PER_SEC) {
		newest = &d->rates[d->n_rates++ % DRAIN_RATES];
		*newest = (struct drain_rate){
			.ns = now_ns,
			.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
			.records = s->recorder.writer.records,
			.bytes = s->recorder.writer.file_bytes,
		};
	}
	oldest = &d->rates[d->n_rates > DRAIN_RATES ? d->n_rates % DRAIN_RATES : 0];
	if (newest->ns == oldest->ns)
		return;
	span = (double)(newest->ns - oldest->ns);
	s->records_per_s = (double)(newest->records - oldest->records) * 1e9 / span;
	s->bytes_per_s = (double)(newest->bytes - oldest->bytes) * 1e9 / span;
	s->cpu_percent = (double)(newest->cpu_ns - oldest->cpu_ns) * 100 / span;
}

static void drain_publish(struct drain *d, uint64_t now_ns)
{
	struct drain_stats s = {
		.recorder = recorder_stats(d->recorder),
		.inspect = inspect_stats(d->inspect),
		.detect = d->detect ? detect_stats(d->detect) : (struct detect_stats){ 0 },
		.start_ns = d->start_ns,
		.start_cpu_ns = d->start_cpu_ns,
		.beat_ns = now_ns,
		.high_water = probe_ring_high_water(d->opt.probe),
		.inspections_postponed = d->policy.postponed,
		.samples_refused = d->samples_refused,
		.job_stacks_refused = d->job_stacks_refused,
		.resyncs = d->resyncs,
		.cgroups = cgroups_stats(d->cgroups),
		.governor_loop = governor_loop_stats(d->governor_loop),
	};

	drain_rates(d, now_ns, &s);
	pthread_mutex_lock(&d->lock);
	s.streams_refused = d->streams_refused;
	d->stats = s;
	pthread_mutex_unlock(&d->lock);
}

/* close: runs no function. Instead, the present and all later calls of drain_call() return -ESHUTDOWN. */
static void drain_requests(struct drain *d, bool close)
{
	struct drain_request *q;

	pthread_mutex_lock(&d->lock);
	d->closed = close;
	while ((q = d->requests)) {
		d->requests = q->next;
		pthread_mutex_unlock(&d->lock);
		if (close)
			q->result = -ESHUTDOWN;
		else
			q->fn(d, q->arg);
		pthread_mutex_lock(&d->lock);
		q->done = true;
		pthread_cond_broadcast(&d->answered);
	}
	pthread_mutex_unlock(&d->lock);
}

static long drain_round(struct drain *d)
{
	uint64_t now_ns = clock_boot_ns();
	long n = probe_consume(d->opt.probe, drain_record, d);

	drain_inspections(d, now_ns);
	drain_streams(d);
	cgroups_round(d->cgroups, now_ns);
	cmdlines_round(d->cmdlines);
	drain_losses(d, now_ns);
	governor_loop_round(d->governor_loop);
	if (governor_loop_inspects(d->governor_loop))
		inspect_policy_scan(&d->policy, recorder_tasks(d->recorder), now_ns, drain_ask_inspection, d);
	if (d->detect)
		detect_tick(d->detect, now_ns);
	drain_requests(d, false);
	if (!governor_loop_paused(d->governor_loop))
		recorder_seal(d->recorder, now_ns, false);
	drain_publish(d, now_ns);
	return n;
}

static void *drain_main(void *arg)
{
	struct drain *d = arg;
	int wait_ms = DRAIN_BUSY_MS;
	bool stop = false;

	pthread_setname_np(pthread_self(), "ctraced-drain");
	/*
	 * If this thread waits for a CPU, a ring may become full. Beside the 160 tasks of hackbench
	 * on two CPUs, this thread waited for more than 100 ms at nice -5, and for 10 ms at
	 * nice -15.
	 */
	(void)setpriority(PRIO_PROCESS, 0, -15);
	while (!stop) {
		struct epoll_event ev;
		eventfd_t count;
		long n;

		if (epoll_wait(d->epoll_fd, &ev, 1, wait_ms) > 0)
			eventfd_read(d->wake_fd, &count);
		pthread_mutex_lock(&d->lock);
		stop = d->stop;
		pthread_mutex_unlock(&d->lock);
		n = drain_round(d);
		wait_ms = n < DRAIN_QUIET_N ? MIN(wait_ms + DRAIN_BUSY_MS, DRAIN_QUIET_MS) : DRAIN_BUSY_MS;
	}
	probe_losses(d->opt.probe, drain_loss, d);
	drain_seal(d);
	drain_requests(d, true);
	return NULL;
}

static void drain_held(struct drain *d)
{
	struct heldlocks h = { 0 };

	heldlocks_read(NULL, d->start_ns, &h);
	for (size_t i = 0; i < h.n; i++)
		recorder_add(d->recorder, &h.v[i].rec, h.v[i].words);
	heldlocks_done(&h);
}

static void drain_empty(void *arg)
{
	struct drain *d = arg;

	probe_consume(d->opt.probe, drain_record, d);
}

static void drain_threads(void *arg, struct governor_loop_threads *ret)
{
	struct drain *d = arg;

	ret->inspect_ns = inspect_stats(d->inspect).busy_ns;
	ret->aside_ns = worker_cpu_ns(d->opt.worker) + (d->opt.names ? worker_cpu_ns(d->opt.names) : 0);
	if (d->opt.aside_ns)
		ret->aside_ns += d->opt.aside_ns(d->opt.aside_arg);
}

static int drain_govern(struct drain *d)
{
	const struct governor_loop_options o = {
		.budget_ppm = d->opt.budget_ppm,
		.task_cap = d->opt.task_cap,
		.probe = d->opt.probe,
		.recorder = d->recorder,
		.empty = drain_empty,
		.resync = drain_resync,
		.read = drain_read,
		.threads = drain_threads,
		.arg = d,
	};
	int r = governor_loop_new(&o, &d->governor_loop);

	if (!r) {
		d->caps = governor_loop_caps(d->governor_loop);
		d->groups = governor_loop_groups(d->governor_loop);
	}
	return r;
}

static int drain_start(struct drain *d)
{
	const struct inspect_options inspect = { .read_task = drain_read_task,
						 .arg = d->opt.probe,
						 .max_per_sec = DRAIN_INSPECTIONS_PER_S,
						 .kernel = d->opt.kernel };
	const struct cgroups_options cgroups = { .worker = d->opt.worker,
						 .found = drain_cgroups_found,
						 .arg = d };
	const struct cmdlines_options cmdlines = { .worker = d->opt.names,
						   .found = drain_cmdlines_found,
						   .arg = d };
	struct epoll_event ev = { .events = EPOLLIN };
	int r;

	d->cgroups = cgroups_new(&cgroups);
	d->cmdlines = cmdlines_new(&cmdlines);
	if (!d->cgroups || !d->cmdlines)
		return -ENOMEM;
	d->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (d->wake_fd < 0 || d->epoll_fd < 0 || epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, d->wake_fd, &ev) ||
	    epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, probe_fd(d->opt.probe), &ev))
		return -errno;
	r = inspect_new(&inspect, &d->inspect);
	if (!r)
		r = drain_govern(d);
	if (r < 0)
		return r;
	r = probe_measure_clock(d->opt.probe);
	if (r < 0)
		return r;
	d->start_ns = clock_boot_ns();
	d->start_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	inspect_policy_init(&d->policy, d->opt.long_wait_ns, d->start_ns);
	d->policy.own_tgid = (uint32_t)getpid();
	r = drain_resync(d, d->start_ns);
	if (r < 0)
		return r;
	recorder_begin(d->recorder, d->start_ns);
	drain_held(d);
	drain_publish(d, d->start_ns);
	r = -pthread_create(&d->thread, NULL, drain_main, d);
	d->started = r == 0;
	return r;
}

int drain_new(const struct drain_options *opt, struct drain **ret, char err[DRAIN_ERR_MAX])
{
	struct drain *d = calloc(1, sizeof(*d));
	int r;

	if (!d) {
		snprintf(err, DRAIN_ERR_MAX, "Cannot begin the capture: out of memory.");
		return -ENOMEM;
	}
	d->opt = *opt;
	d->opt.recorder.rawstack = drain_rawstack;
	d->opt.recorder.rawaccess = drain_rawaccess;
	d->opt.recorder.rawcrash = drain_rawcrash;
	d->opt.recorder.rawjob = drain_rawjob;
	d->opt.recorder.cgroup = drain_cgroup;
	d->opt.recorder.limited = drain_limited;
	d->opt.recorder.cmdline = drain_cmdline;
	d->opt.recorder.arg = d;
	d->wake_fd = d->epoll_fd = -1;
	d->streams_end = &d->streams;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->answered, NULL);
	r = drain_detect(d);
	if (r)
		snprintf(err, DRAIN_ERR_MAX, "Cannot begin the capture: out of memory.");
	else
		r = recorder_new(&d->opt.recorder, &d->recorder, err);
	if (!r) {
		r = drain_start(d);
		if (r)
			snprintf(err, DRAIN_ERR_MAX, "Cannot begin the capture: %s.", strerror(-r));
	}
	if (r) {
		bool created = d->recorder && recorder_created(d->recorder);

		drain_free(d);
		if (created)
			unlink(opt->recorder.path);
		return r;
	}
	*ret = d;
	return 0;
}

static void drain_wake(struct drain *d)
{
	eventfd_write(d->wake_fd, 1);
}

bool drain_stop(struct drain *d)
{
	if (!d || !d->started)
		return true;
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_mutex_unlock(&d->lock);
	drain_wake(d);
	pthread_join(d->thread, NULL);
	d->started = false;
	return drain_flush(d, DRAIN_STOP_NS);
}

void drain_free(struct drain *d)
{
	if (!d)
		return;
	inspect_free(d->inspect);
	cgroups_free(d->cgroups);
	cmdlines_free(d->cmdlines);
	governor_loop_free(d->governor_loop);
	recorder_free(d->recorder);
	detect_free(d->detect);
	while (d->streams) {
		struct drain_stream *s = d->streams;

		d->streams = s->next;
		free(s->data);
		free(s);
	}
	if (d->wake_fd >= 0)
		close(d->wake_fd);
	if (d->epoll_fd >= 0)
		close(d->epoll_fd);
	pthread_cond_destroy(&d->answered);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

int drain_call(struct drain *d, void (*fn)(struct drain *d, void *arg), void *arg)
{
	struct drain_request q = { .fn = fn, .arg = arg };
	struct drain_request **end;

	pthread_mutex_lock(&d->lock);
	if (d->closed) {
		pthread_mutex_unlock(&d->lock);
		return -ESHUTDOWN;
	}
	for (end = &d->requests; *end; end = &(*end)->next)
		;
	*end = &q;
	drain_wake(d);
	while (!q.done)
		pthread_cond_wait(&d->answered, &d->lock);
	pthread_mutex_unlock(&d->lock);
	return q.result;
}

void drain_post(struct drain *d, void *data, size_t size)
{
	struct drain_stream *s = malloc(sizeof(*s));

	pthread_mutex_lock(&d->lock);
	if (!s || d->streams_bytes + size > DRAIN_POSTED_MAX) {
		d->streams_refused++;
		free(s);
		free(data);
	} else {
		*s = (struct drain_stream){ .data = data, .size = size };
		*d->streams_end = s;
		d->streams_end = &s->next;
		d->streams_bytes += size;
	}
	pthread_mutex_unlock(&d->lock);
}

struct drain_stats drain_stats(struct drain *d)
{
	struct drain_stats s;

	pthread_mutex_lock(&d->lock);
	s = d->stats;
	pthread_mutex_unlock(&d->lock);
	/* After a failed write, the caller needs the new state of the storage. */
	s.recorder.writer.storage = recorder_storage(d->recorder);
	return s;
}

struct recorder *drain_recorder(struct drain *d)
{
	return d->recorder;
}

void drain_inspect_all(struct drain *d, uint64_t since_ns, unsigned max)
{
	inspect_policy_all(&d->policy, recorder_tasks(d->recorder), clock_boot_ns(), since_ns, max,
			   drain_ask_inspection, d);
}

uint32_t drain_budget(struct drain *d, uint32_t budget_ppm)
{
	return governor_loop_budget(d->governor_loop, budget_ppm);
}

void drain_seal(struct drain *d)
{
	governor_loop_settle(d->governor_loop);
	recorder_seal(d->recorder, clock_boot_ns(), true);
}

bool drain_flush(struct drain *d, uint64_t timeout_ns)
{
	return recorder_flush(d->recorder, timeout_ns);
}

uint64_t drain_inspections_open(struct drain *d)
{
	struct inspect_stats s = inspect_stats(d->inspect);

	return s.asked - s.done - s.gone - s.refused_queue - s.refused_rate - s.failed;
}
