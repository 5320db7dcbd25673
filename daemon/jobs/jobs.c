// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "daemon/jobs/jobs_callee.h"
#include "daemon/jobs/jobs_file.h"
#include "daemon/jobs/jobs_find.h"
#include "daemon/jobs/jobs_probe.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

typedef VEC(struct jobs_row) jobs_row_list;

struct jobs {
	const struct jobs_specs *specs;
	int wake_fd;
	pthread_t thread;

	/* only for the thread jobs_main() */
	struct jobs_probe *probe;
	struct jobs_callees *callees;
	VEC(struct jobs_file *) files;
	struct unwind_mounts mounts;
	uint64_t refused;
	bool changed;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t looked;
	bool first_done, stop;
	jobs_row_list rows;
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

static struct jobs_file *jobs_file_add(struct jobs *j, uint32_t spec, const char *path, int fd,
				       const struct stat *st)
{
	struct jobs_file *f;

	if (j->files.n == JOBS_FILES_MAX || VEC_RESERVE(&j->files, j->files.n + 1) ||
	    jobs_file_new(j->probe, j->specs->v[spec], spec, path, fd, st, &f)) {
		j->refused++;
		return NULL;
	}
	VEC_PUSH(&j->files, f);
	j->refused += f->n_refused;
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

static bool jobs_spec_names(const struct jobs_spec *spec, const char *path)
{
	const char *base = strrchr(path, '/') + 1;

	for (size_t i = 0; i < spec->n_binaries; i++)
		if (!strcmp(spec->binaries[i], base))
			return true;
	return false;
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
	if (f)
		f->by_mapping = f->mapped = true;
}

static int jobs_mapping(void *arg, const struct jobs_mapping *m)
{
	struct jobs *j = arg;

	for (size_t i = 0; i < j->files.n; i++)
		if (!j->files.v[i]->mapped && jobs_find_maps(&j->mounts, m, &j->files.v[i]->st))
			j->files.v[i]->mapped = true;
	for (uint32_t spec = 0; spec < j->specs->n; spec++)
		if (jobs_spec_names(j->specs->v[spec], m->path))
			jobs_mapped(j, spec, m);
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
		for (size_t i = 0; i < j->specs->v[s.spec]->n_binaries; i++)
			if (strchr(j->specs->v[s.spec]->binaries[i], '/'))
				jobs_find_paths(j->specs->v[s.spec]->binaries[i], jobs_path, &s);
}

static void jobs_scan(struct jobs *j)
{
	struct jobs_scan s = { .jobs = j };

	jobs_check_paths(j);
	for (size_t i = 0; i < j->files.n; i++)
		j->files.v[i]->mapped = false;
	for (; s.spec < j->specs->n; s.spec++)
		for (size_t i = 0; i < j->specs->v[s.spec]->n_binaries; i++)
			jobs_find_paths(j->specs->v[s.spec]->binaries[i], jobs_path, &s);
	jobs_find_all_mappings(jobs_mapping, j);
	for (size_t i = 0; i < j->files.n;)
		if (!j->files.v[i]->named && !j->files.v[i]->mapped)
			jobs_file_drop(j, i);
		else
			i++;
	jobs_callees_reap(j->callees);
}

static void jobs_call(void *arg, const struct job_call *call)
{
	struct jobs *j = arg;
	uint32_t no = call->calls / JOBS_SPEC_FUNCTIONS_MAX;

	if (jobs_callees_add(j->callees, j->specs->v[no], call->calls % JOBS_SPEC_FUNCTIONS_MAX, call))
		j->refused++;
}

static void jobs_row_of(const struct jobs_file *f, struct jobs_row *row)
{
	const char *replaced = f->named || f->by_mapping ? "" : " (replaced)";

	row->live = f->n_found || f->n_marks;
	if (f->n_marks)
		snprintf(row->how, sizeof(row->how), "uprobe in %.120s%s, %u marks, %u functions%s%s",
			 f->path, replaced, f->n_marks, f->n_found, *f->why ? "; " : "", f->why);
	else if (row->live && f->n_found == f->n_wanted)
		snprintf(row->how, sizeof(row->how), "uprobe in %.200s%s", f->path, replaced);
	else if (row->live)
		snprintf(row->how, sizeof(row->how), "uprobe in %.120s%s, %u of %u functions%s%s", f->path,
			 replaced, f->n_found, f->n_wanted, *f->why ? "; " : "", f->why);
	else
		snprintf(row->why, sizeof(row->why), "%.160s%s: %s", f->path, replaced,
			 *f->why ? f->why : "has none of the functions; perhaps its symbols were stripped");
}

static void jobs_row_absent(const struct jobs_spec *spec, struct jobs_row *row)
{
	size_t at = (size_t)snprintf(row->why, sizeof(row->why), "not found:");

	for (size_t i = 0; i < spec->n_binaries && at < sizeof(row->why); i++)
		at += (size_t)snprintf(row->why + at, sizeof(row->why) - at, "%s %.100s", i ? "," : "",
				       spec->binaries[i]);
}

static void jobs_publish(struct jobs *j)
{
	jobs_row_list rows = { 0 };

	for (uint32_t s = 0; s < j->specs->n; s++) {
		const struct jobs_spec *spec = j->specs->v[s];
		struct jobs_row row = { 0 };
		bool found = false;

		snprintf(row.name, sizeof(row.name), "jobs/%s", spec->name);
		snprintf(row.without, sizeof(row.without), "jobs of %s are not told apart", spec->name);
		for (size_t i = 0; i < j->files.n; i++) {
			struct jobs_row one = row;

			if (j->files.v[i]->spec_no != s)
				continue;
			found = true;
			jobs_row_of(j->files.v[i], &one);
			VEC_PUSH(&rows, one);
		}
		if (!found) {
			jobs_row_absent(spec, &row);
			VEC_PUSH(&rows, row);
		}
	}
	pthread_mutex_lock(&j->lock);
	VEC_FREE(&j->rows);
	j->rows = rows;
	j->first_done = true;
	pthread_cond_broadcast(&j->looked);
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

static uint64_t jobs_take_calls(struct jobs *j)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	jobs_probe_calls(j->probe, jobs_call, j);
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
}

/* First rests for JOBS_CALLS_REST times calls_ns. Otherwise a program that reports ever new
 * functions would keep this thread busy. */
static void jobs_wait(struct jobs *j, uint64_t calls_ns)
{
	struct pollfd p[] = { { .fd = j->wake_fd, .events = POLLIN },
			      { .fd = jobs_probe_fd(j->probe), .events = POLLIN } };

	pthread_mutex_lock(&j->lock);
	j->since_ns = 0;
	pthread_mutex_unlock(&j->lock);
	if (!poll(p, 1, (int)(JOBS_CALLS_REST * calls_ns / NSEC_PER_MSEC)))
		poll(p, ARRAY_SIZE(p), JOBS_LOOK_MS);
}

static void *jobs_main(void *arg)
{
	struct jobs *j = arg;
	uint64_t next_ns = 0;

	pthread_setname_np(pthread_self(), "ctraced-jobs");
	j->changed = true;
	while (jobs_count(j)) {
		uint64_t calls_ns = jobs_take_calls(j), cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		if (clock_boot_ns() >= next_ns) {
			jobs_scan(j);
			cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
			next_ns =
				clock_boot_ns() + MAX(JOBS_SCAN_MS * NSEC_PER_MSEC, JOBS_SCAN_REST * cpu_ns);
		} else {
			jobs_look(j);
		}
		if (j->changed)
			jobs_publish(j);
		j->changed = false;
		jobs_wait(j, calls_ns);
	}
	while (j->files.n)
		jobs_file_drop(j, 0);
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
	jobs_probe_free(j->probe);
	if (j->wake_fd >= 0)
		close(j->wake_fd);
	VEC_FREE(&j->rows);
	VEC_FREE(&j->files);
	pthread_cond_destroy(&j->looked);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

static int jobs_start(struct jobs *j, struct probe *probe)
{
	int r;

	j->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (j->wake_fd < 0)
		return -errno;
	r = jobs_probe_new(probe, &j->probe);
	if (!r)
		r = jobs_callees_new(j->probe, &j->callees);
	if (r)
		return r;
	r = -pthread_create(&j->thread, NULL, jobs_main, j);
	if (r)
		jobs_callees_free(j->callees);
	return r;
}

int jobs_new(struct probe *probe, const struct jobs_specs *specs, struct jobs **ret)
{
	struct jobs *j;
	struct timespec until;
	int r;

	*ret = NULL;
	if (!specs->n)
		return 0;
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->specs = specs;
	j->wake_fd = -1;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->looked, NULL);
	jobs_raise_limit();
	r = jobs_start(j, probe);
	if (r) {
		jobs_destroy(j);
		/* probe_hooks() gives the reason */
		return r == -EOPNOTSUPP ? 0 : r;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOBS_FIRST_MS / 1000;
	pthread_mutex_lock(&j->lock);
	while (!r && !j->first_done)
		r = pthread_cond_timedwait(&j->looked, &j->lock, &until);
	pthread_mutex_unlock(&j->lock);
	*ret = j;
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

void jobs_rows(struct jobs *j, void (*fn)(void *arg, const struct jobs_row *row), void *arg)
{
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->rows.n; i++)
		fn(arg, &j->rows.v[i]);
	pthread_mutex_unlock(&j->lock);
}
