// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "daemon/jobs/jobs_callee.h"
#include "daemon/jobs/jobs_file.h"
#include "daemon/jobs/jobs_find.h"
#include "daemon/jobs/jobs_meter.h"
#include "daemon/jobs/jobs_probe.h"
#include "daemon/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/text.h"

typedef VEC(struct jobs_row) jobs_row_list;

/* What the thread knows of one framework. */
struct jobs_framework {
	uint64_t times;   /* jobs_auto.times that the thread has acted on */
	uint8_t attached; /* job_rule.attached */
	bool away;        /* its probes must not be attached */
	bool returns;     /* it is attached again, which the meter does not know yet */
	/* a probe was refused for a reason that may pass: the file is probed anew after this boot time */
	uint64_t retry_ns, retry_pause_ns;
};

struct jobs {
	const struct jobs_specs *specs;
	struct jobs_options opt;
	int wake_fd;
	pthread_t thread;

	/* only for the thread jobs_main() */
	struct jobs_probe *probe;
	struct jobs_meter *meter;
	struct jobs_callees *callees;
	VEC(struct jobs_file *) files;
	struct unwind_mounts mounts;
	struct jobs_seen seen;
	struct jobs_hangs hangs;
	uint64_t hangs_ns;                       /* boot time of the look for hangs */
	struct jobs_framework of[JOBS_LOAD_MAX]; /* index: number of the description */
	uint64_t refused, last_id;
	bool changed;
	bool scan_all; /* the next scan has to read the mappings of all processes */
	/* boot times of the next scan, and from when on the end of a process may make it earlier */
	uint64_t next_ns, soon_ns;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t looked;
	bool first_done, stop;
	jobs_row_list rows;
	uint64_t counted_ns; /* boot time at which the hits in rows were counted */
	struct jobs_stats stats;
	uint64_t since_ns; /* the thread works since this boot time; 0: the thread rests */
};

struct jobs_scan {
	struct jobs *jobs;
	uint32_t spec;
};

static void jobs_file_drop(struct jobs *j, size_t i)
{
	jobs_file_free(j->probe, j->files.v[i]);
	j->files.v[i] = j->files.v[--j->files.n];
	j->changed = true;
}

/* Several files of one scan make one pause. After a while without such files, the pause is short again. */
static void jobs_retry_later(struct jobs_framework *of)
{
	uint64_t now_ns = clock_boot_ns();

	if (of->retry_ns && now_ns < of->retry_ns)
		return;
	if (!of->retry_ns || now_ns >= of->retry_ns + JOBS_RETRY_MAX_NS)
		of->retry_pause_ns = JOBS_RETRY_NS;
	else
		of->retry_pause_ns = MIN(2 * of->retry_pause_ns, JOBS_RETRY_MAX_NS);
	of->retry_ns = now_ns + of->retry_pause_ns;
}

/* Many files are found at once. */
static bool jobs_is_held_by_hang(struct jobs *j, uint64_t ino)
{
	if (clock_boot_ns() >= j->hangs_ns + JOBS_HANGS_AGAIN_NS) {
		jobs_find_hangs(&j->hangs);
		j->hangs_ns = clock_boot_ns();
	}
	return jobs_find_is_held(&j->hangs, ino);
}

static struct jobs_file *jobs_file_add(struct jobs *j, uint32_t spec, const char *path, int fd,
				       const struct stat *st)
{
	struct jobs_file *f;

	if (j->files.n == JOBS_FILES_MAX || VEC_RESERVE(&j->files, j->files.n + 1) ||
	    jobs_file_new(j->probe, j->specs->v[spec], spec, j->of[spec].attached, path, fd, st,
			  jobs_is_held_by_hang(j, st->st_ino), &f)) {
		j->refused++;
		return NULL;
	}
	f->id = ++j->last_id;
	VEC_PUSH(&j->files, f);
	j->refused += f->n_refused;
	if (f->passes)
		jobs_retry_later(&j->of[spec]);
	j->changed = true;
	return f;
}

static void jobs_path_add(struct jobs *j, uint32_t spec, const char *path)
{
	struct jobs_file *f;
	struct stat st;
	_cleanup_close_ int fd = jobs_find_open(path, &st);

	f = fd < 0 ? NULL : jobs_file_add(j, spec, path, fd, &st);
	if (f)
		f->named = true;
}

static void jobs_path(void *arg, const char *path)
{
	const struct jobs_scan *s = arg;
	struct jobs *j = s->jobs;
	struct stat st;

	if (stat(path, &st))
		return;
	for (size_t i = 0; i < j->files.n; i++) {
		struct jobs_file *f = j->files.v[i];

		if (f->spec_no == s->spec && jobs_file_is(f, &st)) {
			f->named = true;
			f->by_mapping = false;
			return;
		}
	}
	jobs_path_add(j, s->spec, path);
}

/* A process has mapped the file. If the file was found in this way, the end of the process counts at once:
 * the file may be that of a container, whose file systems cannot be unmounted while it has probes. */
static void jobs_hold(struct jobs_file *f, uint32_t pid)
{
	f->mapped = true;
	f->pid = pid;
	if (f->pidfd >= 0)
		close(f->pidfd);
	f->pidfd = f->by_mapping ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
}

static void jobs_mapped(struct jobs *j, uint32_t spec, const struct jobs_mapping *m)
{
	struct jobs_file *f;
	struct stat st;
	_cleanup_close_ int fd = jobs_find_mapped(&j->mounts, m, &st);

	if (fd < 0)
		return;
	for (size_t i = 0; i < j->files.n; i++) {
		f = j->files.v[i];
		if (f->spec_no != spec || !jobs_file_is(f, &st))
			continue;
		if (!f->by_mapping || !jobs_file_changed(f, &st))
			return;
		jobs_file_drop(j, i);
		break;
	}
	f = jobs_file_add(j, spec, m->path, fd, &st);
	if (!f)
		return;
	f->by_mapping = true;
	jobs_hold(f, m->pid);
}

static int jobs_mapping(void *arg, const struct jobs_mapping *m)
{
	struct jobs *j = arg;

	for (size_t i = 0; i < j->files.n; i++)
		if (!j->files.v[i]->mapped && jobs_find_maps(&j->mounts, m, &j->files.v[i]->st))
			jobs_hold(j->files.v[i], m->pid);
	for (uint32_t spec = 0; spec < j->specs->n; spec++) {
		const struct jobs_spec *s = j->specs->v[spec];

		if (!j->of[spec].away &&
		    (jobs_spec_names(s, m->path) || (s->go && jobs_find_is_go(&j->mounts, m))))
			jobs_mapped(j, spec, m);
	}
	return 0;
}

/* Drops files that were written to: an old probe could hit the middle of an instruction. */
static void jobs_check_paths(struct jobs *j)
{
	for (size_t i = 0; i < j->files.n;) {
		struct jobs_file *f = j->files.v[i];
		struct stat st;
		bool named = !f->by_mapping && !stat(f->path, &st) && jobs_file_is(f, &st);

		if (named && jobs_file_changed(f, &st)) {
			jobs_file_drop(j, i);
			continue;
		}
		j->changed |= named != f->named;
		f->named = named;
		i++;
	}
}

/* Runs more often than jobs_scan(): a binary that is named by its path may be rebuilt and started at
 * once. */
static void jobs_look(struct jobs *j)
{
	struct jobs_scan s = { .jobs = j };

	jobs_check_paths(j);
	for (; s.spec < j->specs->n; s.spec++)
		for (size_t i = 0; !j->of[s.spec].away && i < j->specs->v[s.spec]->n_binaries; i++)
			if (strchr(j->specs->v[s.spec]->binaries[i], '/'))
				jobs_find_paths(j->specs->v[s.spec]->binaries[i], jobs_path, &s);
}

enum { JOBS_HELD = 1, JOBS_CHANGED };

struct jobs_of_file {
	struct jobs *jobs;
	const struct jobs_file *file;
};

static int jobs_is_of_file(void *arg, const struct jobs_mapping *m)
{
	const struct jobs_of_file *o = arg;
	struct stat st;
	_cleanup_close_ int fd = -1;

	if (!jobs_find_maps(&o->jobs->mounts, m, &o->file->st))
		return 0;
	fd = o->file->by_mapping ? jobs_find_mapped(&o->jobs->mounts, m, &st) : -1;
	return fd >= 0 && jobs_file_changed(o->file, &st) ? JOBS_CHANGED : JOBS_HELD;
}

/* Returns false if a scan of all processes has to find out which process has mapped the file, if any, or that
 * the file was written to. */
static bool jobs_is_held(struct jobs *j, const struct jobs_file *f)
{
	struct jobs_of_file o = { .jobs = j, .file = f };

	return f->named || (f->mapped && jobs_find_mappings(f->pid, jobs_is_of_file, &o) == JOBS_HELD);
}

/* Finds files by the mappings of processes, and drops those that no process has mapped any more. */
static void jobs_scan_mappings(struct jobs *j)
{
	bool held = !j->scan_all;

	for (size_t i = 0; held && i < j->files.n; i++)
		held = jobs_is_held(j, j->files.v[i]);
	j->scan_all = false;
	if (held) {
		jobs_find_due_mappings(&j->seen, jobs_mapping, j);
		return;
	}
	for (size_t i = 0; i < j->files.n; i++)
		j->files.v[i]->mapped = false;
	jobs_find_all_mappings(jobs_mapping, j);
	for (size_t i = 0; i < j->files.n;)
		if (!j->files.v[i]->named && !j->files.v[i]->mapped)
			jobs_file_drop(j, i);
		else
			i++;
}

/* Drops files with a probe that was refused for a reason that may have passed. The scan finds them again. */
static void jobs_retry(struct jobs *j)
{
	uint64_t now_ns = clock_boot_ns();

	for (size_t i = 0; i < j->files.n;) {
		struct jobs_file *f = j->files.v[i];

		if (!f->passes || now_ns < j->of[f->spec_no].retry_ns) {
			i++;
			continue;
		}
		j->scan_all |= f->by_mapping;
		jobs_file_drop(j, i);
	}
}

static void jobs_scan(struct jobs *j)
{
	struct jobs_scan s = { .jobs = j };

	jobs_check_paths(j);
	jobs_retry(j);
	for (; s.spec < j->specs->n; s.spec++)
		for (size_t i = 0; !j->of[s.spec].away && i < j->specs->v[s.spec]->n_binaries; i++)
			jobs_find_paths(j->specs->v[s.spec]->binaries[i], jobs_path, &s);
	jobs_scan_mappings(j);
	jobs_callees_reap(j->callees);
}

static void jobs_call(void *arg, const struct job_call *call)
{
	struct jobs *j = arg;
	uint32_t no = call->calls / JOBS_SPEC_FUNCTIONS_MAX;
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (no >= j->specs->n || j->of[no].away)
		return;
	if (jobs_callees_add(j->callees, j->specs->v[no], call->calls % JOBS_SPEC_FUNCTIONS_MAX,
			     j->of[no].attached, call))
		j->refused++;
	jobs_probe_charge(j->probe, no, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
}

static void jobs_row_of(const struct jobs_file *f, struct jobs_row *row)
{
	const char *replaced = f->named || f->by_mapping ? "" : " (replaced)";

	row->live = f->n_found || f->n_marks;
	row->n_found = f->n_found;
	row->n_wanted = f->n_wanted;
	row->n_marks = f->n_marks;
	row->id = f->id;
	snprintf(row->lack, sizeof(row->lack), "%s",
		 *f->why || row->live ? f->why
				      : "has none of the functions; perhaps its symbols were stripped");
	snprintf(row->file, sizeof(row->file), "%.199s", f->path);
	if (f->n_marks)
		snprintf(row->how, sizeof(row->how), "uprobe in %.120s%s, %u marks, %u functions%s%s",
			 f->path, replaced, f->n_marks, f->n_found, *f->why ? "; " : "", f->why);
	else if (row->live && f->n_found == f->n_wanted)
		snprintf(row->how, sizeof(row->how), "uprobe in %.200s%s", f->path, replaced);
	else if (row->live)
		snprintf(row->how, sizeof(row->how), "uprobe in %.120s%s, %u of %u functions%s%s", f->path,
			 replaced, f->n_found, f->n_wanted, *f->why ? "; " : "", f->why);
	else
		snprintf(row->why, sizeof(row->why), "%.160s%s: %s", f->path, replaced, row->lack);
}

static void jobs_row_absent(const struct jobs_spec *spec, struct jobs_row *row)
{
	size_t at = (size_t)snprintf(row->why, sizeof(row->why), "not found:%s",
				     spec->go ? " a program in Go" : "");

	for (size_t i = 0; i < spec->n_binaries && at < sizeof(row->why); i++)
		at += (size_t)snprintf(row->why + at, sizeof(row->why) - at, "%s %.100s", i ? "," : "",
				       spec->binaries[i]);
}

static void jobs_row_off(const struct jobs_auto *a, double limit_ppm, struct jobs_row *row)
{
	char cost[TEXT_NUMBER_MAX], limit[TEXT_NUMBER_MAX];

	snprintf(row->why, sizeof(row->why),
		 "detached: %.0f hits/s would cost %s %% of the machine's CPU time; limit %s %%",
		 a->hits_per_s, text_percent(a->cost_ppm / 1e4, cost), text_percent(limit_ppm / 1e4, limit));
}

static void jobs_clean(char *s, size_t size)
{
	char raw[sizeof(((struct jobs_row *)NULL)->how)];

	snprintf(raw, sizeof(raw), "%s", s);
	clean_text(raw, s, size);
}

/* A path or the name of a program may have any bytes. */
static void jobs_row_clean(struct jobs_row *row)
{
	jobs_clean(row->name, sizeof(row->name));
	jobs_clean(row->how, sizeof(row->how));
	jobs_clean(row->why, sizeof(row->why));
	jobs_clean(row->without, sizeof(row->without));
	jobs_clean(row->file, sizeof(row->file));
	jobs_clean(row->lack, sizeof(row->lack));
}

static struct jobs_auto_spent jobs_file_spent(const struct jobs *j, const struct jobs_file *f)
{
	struct jobs_auto_spent sum = { 0 };

	for (size_t i = 0; i < f->links.n; i++) {
		uint64_t hits = jobs_probe_hits(j->probe, f->links.v[i]);

		sum.hits += hits;
		sum.cost_ns += hits * jobs_probe_price(f->links.v[i]);
	}
	return sum;
}

static void jobs_publish(struct jobs *j)
{
	jobs_row_list rows = { 0 };
	uint64_t counted_ns = clock_boot_ns();

	for (uint32_t s = 0; s < j->specs->n; s++) {
		const struct jobs_spec *spec = j->specs->v[s];
		struct jobs_row row = { 0 };
		bool found = false;

		row.spec = s;
		row.automatic = jobs_meter_of(j->meter, s);
		row.callee_hits = jobs_callees_hits(j->callees, s);
		row.callee_ns = jobs_callees_cost(j->callees, s);
		snprintf(row.name, sizeof(row.name), "jobs/%s", spec->name);
		snprintf(row.without, sizeof(row.without), "jobs of %s are not told apart", spec->name);
		for (size_t i = 0; i < j->files.n; i++) {
			struct jobs_row one = row;
			struct jobs_auto_spent spent;

			if (j->files.v[i]->spec_no != s)
				continue;
			found = true;
			jobs_row_of(j->files.v[i], &one);
			spent = jobs_file_spent(j, j->files.v[i]);
			one.hits = spent.hits;
			one.cost_ns = spent.cost_ns;
			one.retry_ns = j->files.v[i]->passes ? j->of[s].retry_ns : 0;
			jobs_row_clean(&one);
			VEC_PUSH(&rows, one);
		}
		if (!found) {
			if (row.automatic.off)
				jobs_row_off(&row.automatic, jobs_meter_limit_ppm(j->meter), &row);
			else
				jobs_row_absent(spec, &row);
			jobs_row_clean(&row);
			VEC_PUSH(&rows, row);
		}
	}
	pthread_mutex_lock(&j->lock);
	VEC_FREE(&j->rows);
	j->rows = rows;
	j->counted_ns = counted_ns;
	j->first_done = true;
	pthread_cond_broadcast(&j->looked);
	pthread_mutex_unlock(&j->lock);
}

/* The files and frameworks are the same as at the last jobs_publish(): only the numbers are new. */
static void jobs_recount(struct jobs *j)
{
	uint64_t counted_ns = clock_boot_ns();

	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->rows.n; i++) {
		struct jobs_row *row = &j->rows.v[i];

		row->automatic = jobs_meter_of(j->meter, row->spec);
		row->callee_hits = jobs_callees_hits(j->callees, row->spec);
		row->callee_ns = jobs_callees_cost(j->callees, row->spec);
		for (size_t k = 0; k < j->files.n; k++)
			if (row->id && j->files.v[k]->id == row->id) {
				struct jobs_auto_spent spent = jobs_file_spent(j, j->files.v[k]);

				row->hits = spent.hits;
				row->cost_ns = spent.cost_ns;
			}
	}
	j->counted_ns = counted_ns;
	pthread_mutex_unlock(&j->lock);
}

static bool jobs_count(struct jobs *j)
{
	bool stop;

	pthread_mutex_lock(&j->lock);
	j->stats = (struct jobs_stats){ .files = j->files.n,
					.callees = jobs_callees_count(j->callees),
					.refused = j->refused };
	j->since_ns = clock_boot_ns();
	stop = j->stop;
	pthread_mutex_unlock(&j->lock);
	return !stop;
}

static void jobs_detach(struct jobs *j, uint32_t spec)
{
	for (size_t i = 0; i < j->files.n;)
		if (j->files.v[i]->spec_no == spec)
			jobs_file_drop(j, i);
		else
			i++;
	jobs_callees_drop(j->callees, spec);
	j->changed = true;
}

/* Does what the meter has decided. Returns true if a scan has to attach probes now. */
static bool jobs_follow(struct jobs *j)
{
	bool attach = false;

	for (uint32_t s = 0; s < j->specs->n; s++) {
		struct jobs_auto a = jobs_meter_of(j->meter, s);
		struct jobs_framework *of = &j->of[s];

		if (a.times != of->times) {
			jobs_detach(j, s);
			of->times = a.times;
			of->away = true;
			of->returns = false;
		}
		if (of->away && !a.off) {
			of->away = false;
			of->attached++;
			of->returns = j->scan_all = attach = true;
		}
	}
	return attach;
}

/* Returns true if no file of the framework has a probe, and this may change. */
static bool jobs_waits(const struct jobs *j, uint32_t spec)
{
	bool passes = false;

	for (size_t i = 0; i < j->files.n; i++) {
		const struct jobs_file *f = j->files.v[i];

		if (f->spec_no == spec && (f->n_found || f->n_marks))
			return false;
		passes |= f->spec_no == spec && f->passes;
	}
	return passes;
}

/* Call this after jobs_scan(). A framework whose only file is held back is not attached: its jobs are still
 * not recorded, and the trace must not say that they are. */
static void jobs_attached(struct jobs *j)
{
	for (uint32_t s = 0; s < j->specs->n; s++) {
		if (!j->of[s].returns || jobs_waits(j, s))
			continue;
		j->of[s].returns = false;
		jobs_meter_attached(j->meter, s, j->of[s].times);
	}
}

static uint64_t jobs_take_calls(struct jobs *j)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	jobs_probe_calls(j->probe, jobs_call, j);
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
}

/* The process that held file i has ended. A scan of all processes has to find another one, or else drops the
 * file. If the last scan was only just now, the file goes at once, and the next scan finds it again. */
static void jobs_unhold(struct jobs *j, size_t i)
{
	close(j->files.v[i]->pidfd);
	j->files.v[i]->pidfd = -1;
	j->scan_all = true;
	if (clock_boot_ns() < j->soon_ns)
		jobs_file_drop(j, i);
	else
		j->next_ns = 0;
}

/* First rests for JOBS_CALLS_REST times calls_ns. Otherwise a program that reports ever new
 * functions would keep this thread busy. */
static void jobs_wait(struct jobs *j, uint64_t calls_ns)
{
	struct pollfd p[2 + JOBS_FILES_MAX] = { { .fd = j->wake_fd, .events = POLLIN },
						{ .fd = jobs_probe_fd(j->probe), .events = POLLIN } };
	nfds_t n = 2;
	eventfd_t decisions;

	/* poll() skips a negative descriptor */
	for (size_t i = 0; i < j->files.n; i++)
		p[n++] = (struct pollfd){ .fd = j->files.v[i]->pidfd, .events = POLLIN };
	pthread_mutex_lock(&j->lock);
	j->since_ns = 0;
	pthread_mutex_unlock(&j->lock);
	if (!poll(p, 1, (int)(JOBS_CALLS_REST * calls_ns / NSEC_PER_MSEC)))
		poll(p, n, j->specs->is_auto ? JOBS_CALM_MS : JOBS_LOOK_MS);
	(void)eventfd_read(j->wake_fd, &decisions);
	while (n-- > 2)
		if (p[n].revents)
			jobs_unhold(j, n - 2);
}

/* Decides when the next scan begins. cpu_ns: CPU time of the last one. */
static void jobs_rest(struct jobs *j, uint64_t cpu_ns)
{
	uint64_t now_ns = clock_boot_ns(), cpus = (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	double limit_ppm = j->specs->is_auto ? jobs_meter_limit_ppm(j->meter) : 0;
	double times = limit_ppm ? JOBS_AUTO_SCAN_SHARE * 1e6 / (limit_ppm * (double)cpus) : 0;
	uint64_t rest_ns = (uint64_t)(MAX(times, (double)JOBS_SCAN_REST) * (double)cpu_ns);
	uint64_t least_ms = j->specs->is_auto ? JOBS_AUTO_SCAN_MS : JOBS_SCAN_MS;

	j->soon_ns = now_ns + (uint64_t)(MAX(times, (double)JOBS_SOON_REST) * (double)cpu_ns);
	j->next_ns = now_ns + MAX(least_ms * NSEC_PER_MSEC, rest_ns);
}

static void *jobs_main(void *arg)
{
	struct jobs *j = arg;

	pthread_setname_np(pthread_self(), "ctraced-jobs");
	/* An earlier daemon may have ended while it had detached probes. */
	for (uint32_t s = 0; s < j->specs->n; s++)
		j->of[s].returns = true;
	j->changed = true;
	while (jobs_count(j)) {
		uint64_t calls_ns = jobs_take_calls(j), cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		if (jobs_follow(j) || clock_boot_ns() >= j->next_ns) {
			jobs_scan(j);
			jobs_attached(j);
			/* The tables of symbols of a large program took many MiB. */
			if (j->changed)
				malloc_trim(0);
			jobs_rest(j, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
		} else {
			jobs_look(j);
		}
		/* The numbers of hits change all the time. If all probes are detached, clients still wait for
		 * the next counting. */
		if (j->changed)
			jobs_publish(j);
		else
			jobs_recount(j);
		j->changed = false;
		jobs_wait(j, calls_ns);
	}
	while (j->files.n)
		jobs_file_drop(j, 0);
	jobs_seen_done(&j->seen);
	jobs_callees_free(j->callees);
	return NULL;
}

/* The probes of one rule take up to four descriptors. */
static void jobs_raise_limit(void)
{
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void jobs_destroy(struct jobs *j)
{
	jobs_meter_free(j->meter);
	jobs_probe_free(j->probe);
	if (j->wake_fd >= 0)
		close(j->wake_fd);
	VEC_FREE(&j->rows);
	VEC_FREE(&j->files);
	pthread_cond_destroy(&j->looked);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

static int jobs_start(struct jobs *j)
{
	struct jobs_meter_options meter;
	int r;

	j->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (j->wake_fd < 0)
		return -errno;
	r = jobs_probe_new(j->opt.probe, &j->probe);
	if (r)
		return r;
	meter = (struct jobs_meter_options){ .probe = j->probe,
					     .specs = j->specs,
					     .budget_ppm = j->opt.budget_ppm,
					     .wake_fd = j->wake_fd,
					     .post = j->opt.post,
					     .arg = j->opt.arg };
	r = jobs_meter_new(&meter, &j->meter);
	if (!r)
		r = jobs_callees_new(j->probe, &j->callees);
	if (r)
		return r;
	r = -pthread_create(&j->thread, NULL, jobs_main, j);
	if (r)
		jobs_callees_free(j->callees);
	return r;
}

int jobs_new(const struct jobs_options *opt, struct jobs **ret)
{
	struct jobs *j;
	struct timespec until;
	int r;

	*ret = NULL;
	if (!opt->specs->n)
		return 0;
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->specs = opt->specs;
	j->opt = *opt;
	j->wake_fd = -1;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->looked, NULL);
	jobs_raise_limit();
	r = jobs_start(j);
	if (r) {
		jobs_destroy(j);
		/* the reason is in probe_hooks(), which `ctrace doctor` shows */
		return r == -EOPNOTSUPP ? 0 : r;
	}
	*ret = j;
	/* A budget: this is the daemon of the machine. Nobody waits for the first job, but for the start. */
	if (j->specs->is_auto && opt->budget_ppm)
		return 0;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOBS_FIRST_MS / 1000;
	pthread_mutex_lock(&j->lock);
	while (!r && !j->first_done)
		r = pthread_cond_timedwait(&j->looked, &j->lock, &until);
	pthread_mutex_unlock(&j->lock);
	return 0;
}

bool jobs_free(struct jobs *j)
{
	struct timespec until;

	if (!j)
		return true;
	pthread_mutex_lock(&j->lock);
	j->stop = true;
	pthread_mutex_unlock(&j->lock);
	eventfd_write(j->wake_fd, 1);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOBS_FIRST_MS / 1000;
	if (pthread_timedjoin_np(j->thread, NULL, &until))
		return false;
	jobs_destroy(j);
	return true;
}

void jobs_budget(struct jobs *j, uint32_t budget_ppm)
{
	if (j)
		jobs_meter_budget(j->meter, budget_ppm);
}

double jobs_limit_ppm(struct jobs *j)
{
	return j ? jobs_meter_limit_ppm(j->meter) : 0;
}

const struct jobs_specs *jobs_specs(const struct jobs *j)
{
	return j ? j->specs : NULL;
}

struct jobs_stats jobs_stats(struct jobs *j)
{
	struct jobs_stats s = { 0 };
	uint64_t now_ns;

	if (!j)
		return s;
	pthread_mutex_lock(&j->lock);
	s = j->stats;
	now_ns = clock_boot_ns();
	/* the clocks of two CPUs may differ */
	s.stuck_ns = j->since_ns && now_ns > j->since_ns ? now_ns - j->since_ns : 0;
	pthread_mutex_unlock(&j->lock);
	return s;
}

uint64_t jobs_rows(struct jobs *j, void (*fn)(void *arg, const struct jobs_row *row), void *arg)
{
	uint64_t counted_ns;

	if (!j)
		return 0;
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->rows.n; i++)
		fn(arg, &j->rows.v[i]);
	counted_ns = j->counted_ns;
	pthread_mutex_unlock(&j->lock);
	return counted_ns;
}
