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
#include "daemon/jobs/jobs_probe.h"
#include "daemon/jobs/jobs_tell.h"
#include "daemon/say.h"
#include "daemon/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/text.h"

typedef VEC(struct jobs_row) jobs_row_list;

/* What the thread knows of one framework. */
struct jobs_framework {
	struct jobs_auto automatic;
	struct jobs_auto_spent seen; /* the sums of the last round */
	uint64_t off_ns;             /* boot time before the detaching; UINT64_MAX: never detached */
	uint64_t told_ns;            /* boot time of the last CT_JOB_OFF */
	uint8_t attached;            /* job_rule.attached */
	bool returns;                /* it is attached again, which no record says yet */
};

struct jobs {
	const struct jobs_specs *specs;
	struct jobs_options opt;
	int wake_fd;
	pthread_t thread;

	/* only for the thread jobs_main() */
	struct jobs_probe *probe;
	struct jobs_callees *callees;
	VEC(struct jobs_file *) files;
	struct unwind_mounts mounts;
	struct jobs_seen seen;
	struct jobs_framework of[JOBS_LOAD_MAX]; /* index: number of the description */
	struct jobs_auto_bucket bucket;
	uint64_t refused, last_id;
	bool changed;
	bool scan_all; /* the next scan has to read the mappings of all processes */
	/* boot times of the next scan, and from when on the end of a process may make it earlier */
	uint64_t next_ns, soon_ns;

	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t looked;
	bool first_done, stop;
	double limit_ppm;
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

static struct jobs_file *jobs_file_add(struct jobs *j, uint32_t spec, const char *path, int fd,
				       const struct stat *st)
{
	struct jobs_file *f;

	if (j->files.n == JOBS_FILES_MAX || VEC_RESERVE(&j->files, j->files.n + 1) ||
	    jobs_file_new(j->probe, j->specs->v[spec], spec, j->of[spec].attached, path, fd, st, &f)) {
		j->refused++;
		return NULL;
	}
	f->id = ++j->last_id;
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
	for (uint32_t spec = 0; spec < j->specs->n; spec++)
		if (!j->of[spec].automatic.off && jobs_spec_names(j->specs->v[spec], m->path))
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
		for (size_t i = 0; !j->of[s.spec].automatic.off && i < j->specs->v[s.spec]->n_binaries; i++)
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

static void jobs_scan(struct jobs *j)
{
	struct jobs_scan s = { .jobs = j };

	jobs_check_paths(j);
	for (; s.spec < j->specs->n; s.spec++)
		for (size_t i = 0; !j->of[s.spec].automatic.off && i < j->specs->v[s.spec]->n_binaries; i++)
			jobs_find_paths(j->specs->v[s.spec]->binaries[i], jobs_path, &s);
	jobs_scan_mappings(j);
	jobs_callees_reap(j->callees);
}

static void jobs_call(void *arg, const struct job_call *call)
{
	struct jobs *j = arg;
	uint32_t no = call->calls / JOBS_SPEC_FUNCTIONS_MAX;

	if (!j->of[no].automatic.off &&
	    jobs_callees_add(j->callees, j->specs->v[no], call->calls % JOBS_SPEC_FUNCTIONS_MAX,
			     j->of[no].attached, call))
		j->refused++;
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
	size_t at = (size_t)snprintf(row->why, sizeof(row->why), "not found:");

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

		row.automatic = j->of[s].automatic;
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
			jobs_row_clean(&one);
			VEC_PUSH(&rows, one);
		}
		if (!found) {
			if (row.automatic.off)
				jobs_row_off(&row.automatic, j->bucket.limit_ppm, &row);
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

static void jobs_record(struct jobs *j, uint32_t spec, enum ct_job state, uint8_t flags)
{
	void *data;
	size_t size;

	j->of[spec].told_ns = clock_boot_ns();
	/* Without memory, the record is missing. The next repetition takes the place of a CT_JOB_OFF. Without
	 * a CT_JOB_ON, a reader learns of the end by the missing repetitions (analysis/jobs/unprobed.h). */
	if (!jobs_tell(j->specs->v[spec], state, flags, j->of[spec].told_ns,
		       MIN(j->of[spec].off_ns, j->of[spec].told_ns), &data, &size))
		j->opt.post(j->opt.arg, data, size);
}

static void jobs_detach(struct jobs *j, uint32_t spec)
{
	const struct jobs_auto *a = &j->of[spec].automatic;
	char cost[TEXT_NUMBER_MAX], limit[TEXT_NUMBER_MAX];

	say("Detaching the probes of the framework %s: %.0f hits/s would cost %s %% of the machine's CPU time, and the limit is %s %% (a fifth of the budget). Its jobs are not recorded for %u s. 'ctrace frameworks' shows it; 'frameworks = yes' in ctraced.conf never detaches probes.",
	    j->specs->v[spec]->name, a->hits_per_s, text_percent(a->cost_ppm / 1e4, cost),
	    text_percent(j->bucket.limit_ppm / 1e4, limit), (unsigned)(a->pause_ns / NSEC_PER_SEC));
	j->of[spec].off_ns = clock_boot_ns();
	j->of[spec].returns = false;
	for (size_t i = 0; i < j->files.n;)
		if (j->files.v[i]->spec_no == spec)
			jobs_file_drop(j, i);
		else
			i++;
	jobs_callees_drop(j->callees, spec);
	j->changed = true;
	jobs_record(j, spec, CT_JOB_OFF, 0);
}

/* The probes of this framework are attached by the next jobs_scan(). */
static void jobs_attach(struct jobs *j, uint32_t spec)
{
	j->of[spec].attached++;
	j->of[spec].returns = true;
	j->scan_all = true;
	say("Attaching the probes of the framework %s again.", j->specs->v[spec]->name);
}

/* Call this after jobs_scan(). */
static void jobs_attached(struct jobs *j)
{
	for (uint32_t s = 0; s < j->specs->n; s++) {
		if (!j->of[s].returns)
			continue;
		j->of[s].returns = false;
		jobs_record(j, s, CT_JOB_ON, 0);
	}
}

static void jobs_auto_spent(struct jobs *j, struct jobs_auto_spent spent[JOBS_LOAD_MAX])
{
	for (uint32_t s = 0; s < j->specs->n; s++)
		spent[s] = (struct jobs_auto_spent){ .hits = jobs_callees_hits(j->callees, s),
						     .cost_ns = jobs_callees_cost(j->callees, s) };
	for (size_t i = 0; i < j->files.n; i++) {
		struct jobs_auto_spent one = jobs_file_spent(j, j->files.v[i]);

		spent[j->files.v[i]->spec_no].hits += one.hits;
		spent[j->files.v[i]->spec_no].cost_ns += one.cost_ns;
	}
}

/* Decides which frameworks lose their probes or get them back. Returns true if a scan has to attach
 * probes now. */
static bool jobs_automatic(struct jobs *j)
{
	struct jobs_auto_spent spent[JOBS_LOAD_MAX];
	struct jobs_auto automatic[JOBS_LOAD_MAX];
	uint64_t now_ns = clock_boot_ns();
	bool attach = false;
	size_t off, on;

	if (!j->specs->is_auto || now_ns < j->bucket.last_ns + JOBS_AUTO_ROUND_NS)
		return false;
	jobs_auto_spent(j, spent);
	for (uint32_t s = 0; s < j->specs->n; s++) {
		struct jobs_auto_spent sum = spent[s], *seen = &j->of[s].seen;

		/* A sum falls if a file was dropped. */
		spent[s].hits -= MIN(seen->hits, sum.hits);
		spent[s].cost_ns -= MIN(seen->cost_ns, sum.cost_ns);
		*seen = sum;
		automatic[s] = j->of[s].automatic;
	}
	j->bucket.limit_ppm = jobs_limit_ppm(j);
	j->bucket.cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	off = jobs_auto_round(&j->bucket, automatic, spent, j->specs->n, now_ns);
	on = jobs_auto_back(&j->bucket, automatic, j->specs->n, now_ns);
	for (uint32_t s = 0; s < j->specs->n; s++)
		j->of[s].automatic = automatic[s];
	if (on != SIZE_MAX) {
		jobs_attach(j, (uint32_t)on);
		attach = true;
	}
	if (off != SIZE_MAX)
		jobs_detach(j, (uint32_t)off);
	for (uint32_t s = 0; s < j->specs->n; s++)
		if (automatic[s].off && now_ns >= j->of[s].told_ns + JOBS_AUTO_TELL_NS)
			jobs_record(j, s, CT_JOB_OFF, CT_JF_AGAIN);
	return attach;
}

static uint64_t jobs_take_calls(struct jobs *j)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	jobs_probe_calls(j->probe, jobs_call, j);
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
}

/* With `frameworks = auto`, the next look may be later if no framework costs much or has only just got its
 * probes back. */
static unsigned jobs_pause_ms(const struct jobs *j)
{
	uint64_t now_ns = clock_boot_ns();

	if (!j->specs->is_auto || j->bucket.level_ns > 0)
		return JOBS_LOOK_MS;
	for (uint32_t s = 0; s < j->specs->n; s++)
		if (j->of[s].automatic.off ||
		    (j->of[s].automatic.since_ns && now_ns < j->of[s].automatic.since_ns + JOBS_AUTO_CALM_NS))
			return JOBS_LOOK_MS;
	return JOBS_CALM_MS;
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

	/* poll() skips a negative descriptor */
	for (size_t i = 0; i < j->files.n; i++)
		p[n++] = (struct pollfd){ .fd = j->files.v[i]->pidfd, .events = POLLIN };
	pthread_mutex_lock(&j->lock);
	j->since_ns = 0;
	pthread_mutex_unlock(&j->lock);
	if (!poll(p, 1, (int)(JOBS_CALLS_REST * calls_ns / NSEC_PER_MSEC)))
		poll(p, n, (int)jobs_pause_ms(j));
	while (n-- > 2)
		if (p[n].revents)
			jobs_unhold(j, n - 2);
}

static void *jobs_main(void *arg)
{
	struct jobs *j = arg;

	pthread_setname_np(pthread_self(), "ctraced-jobs");
	/* An earlier daemon may have ended while it had detached probes. */
	for (uint32_t s = 0; s < j->specs->n; s++)
		j->of[s] = (struct jobs_framework){ .off_ns = UINT64_MAX, .returns = true };
	j->changed = true;
	while (jobs_count(j)) {
		uint64_t calls_ns = jobs_take_calls(j), cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		if (jobs_automatic(j) || clock_boot_ns() >= j->next_ns) {
			jobs_scan(j);
			jobs_attached(j);
			/* The tables of symbols of a large program took many MiB. */
			if (j->changed)
				malloc_trim(0);
			cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
			j->soon_ns = clock_boot_ns() + JOBS_SOON_REST * cpu_ns;
			j->next_ns =
				clock_boot_ns() + MAX(JOBS_SCAN_MS * NSEC_PER_MSEC, JOBS_SCAN_REST * cpu_ns);
		} else {
			jobs_look(j);
		}
		/* The numbers of hits change all the time. If all probes are detached, clients still wait for
		 * the next counting. */
		if (j->changed || j->files.n || j->specs->is_auto)
			jobs_publish(j);
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
	int r;

	j->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (j->wake_fd < 0)
		return -errno;
	r = jobs_probe_new(j->opt.probe, &j->probe);
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
	j->limit_ppm = (double)opt->budget_ppm / JOBS_AUTO_SHARE;
	j->bucket.last_ns = clock_boot_ns();
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
	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	j->limit_ppm = (double)budget_ppm / JOBS_AUTO_SHARE;
	pthread_mutex_unlock(&j->lock);
}

double jobs_limit_ppm(struct jobs *j)
{
	double ppm;

	if (!j)
		return 0;
	pthread_mutex_lock(&j->lock);
	ppm = j->limit_ppm;
	pthread_mutex_unlock(&j->lock);
	return ppm;
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
