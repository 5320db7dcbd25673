// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/thresholds.h"
#include "detect/detect.h"
#include "daemon/record/cmdline_text.h"
#include "daemon/stream.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vec.h"

struct recorder_fork {
	uint64_t ts_ns;
	uint32_t child, parent; /* tgids */
};

struct recorder {
	struct recorder_options opt;
	struct writer *writer;
	struct tasks *tasks;
	bool created;
	uint64_t sealed_ns;
	uint64_t refused, lost[CT_LOSS_CAUSES];
	VEC(struct recorder_fork) forks;
	/* gap_n: refused records that no CT_GAP reports yet; gap_first_ns, gap_last_ns: their first
	 * and last time */
	uint64_t gap_n, gap_first_ns, gap_last_ns;
};

/* Renames a trace that cannot be continued, and makes a new one. On success, err has the new name
 * of the old trace. On failure, the old trace gets its name back. */
static int recorder_replace(struct recorder *r, const char *ending, const char *why, char *err)
{
	char old[4096], how[RECORDER_ERR_MAX];
	int e;

	if (snprintf(old, sizeof(old), "%s.%s", r->opt.path, ending) >= (int)sizeof(old))
		return -ENAMETOOLONG;
	if (rename(r->opt.path, old)) {
		e = errno;
		snprintf(err, RECORDER_ERR_MAX, "Cannot set the trace %.200s aside: %s.", r->opt.path,
			 strerror(e));
		return -e;
	}
	e = writer_open(r->opt.path, &r->opt.writer, &r->writer, how);
	if (e) {
		rename(old, r->opt.path);
		snprintf(err, RECORDER_ERR_MAX, "%s", how);
	} else {
		snprintf(err, RECORDER_ERR_MAX, "%.255s; it is kept as %.200s, and a new trace begins.", why,
			 old);
	}
	return e;
}

static int recorder_open(struct recorder *r, char *err)
{
	char why[RECORDER_ERR_MAX];
	int e = writer_open(r->opt.path, &r->opt.writer, &r->writer, err);

	if (e != -EXDEV && e != -EBADMSG)
		return e;
	snprintf(why, sizeof(why), "%s", err);
	return recorder_replace(r, e == -EXDEV ? "old" : "damaged", why, err);
}

int recorder_new(const struct recorder_options *opt, struct recorder **ret, char err[RECORDER_ERR_MAX])
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct stat st;
	int e;

	*err = 0;
	if (!r)
		return -ENOMEM;
	r->opt = *opt;
	r->created = lstat(opt->path, &st) && errno == ENOENT;
	r->tasks = tasks_new(RECORDER_TASKS_MAX);
	e = r->tasks ? recorder_open(r, err) : -ENOMEM;
	if (e) {
		if (e == -ENOMEM)
			snprintf(err, RECORDER_ERR_MAX, "Cannot begin the trace %.200s: out of memory.",
				 opt->path);
		recorder_free(r);
		return e;
	}
	*ret = r;
	return 0;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	writer_free(r->writer);
	tasks_free(r->tasks);
	VEC_FREE(&r->forks);
	free(r);
}

bool recorder_created(const struct recorder *r)
{
	return r->created;
}

static void recorder_refuse(struct recorder *r, uint64_t ts_ns)
{
	if (!r->gap_n++)
		r->gap_first_ns = ts_ns;
	r->gap_last_ns = ts_ns;
	r->refused++;
}

static void recorder_write(struct recorder *r, uint16_t cpu, const uint64_t *run, size_t n_words,
			   const struct writer_run *about)
{
	if (!about->n || !writer_add_run(r->writer, cpu, run, n_words, about))
		return;
	for (uint32_t i = 0; i < about->n; i++)
		recorder_refuse(r, i ? about->max_ns : about->min_ns);
}

static bool recorder_is_limited(const struct ct_rec *rec)
{
	if (rec->kind != CT_SWITCH && rec->kind != CT_FOUND)
		return false;
	return rec->wait == CT_W_MEMORY ||
	       (rec->flags & CT_SF_THROTTLED && (rec->kind == CT_SWITCH || rec->aux == CT_FOUND_QUEUED));
}

/* Takes fixed records, back to back. Stops at a malformed or unknown record, whose size is not
 * known. Refuses a CT_GAP, which only the daemon makes. */
static void recorder_run(struct recorder *r, uint16_t cpu, const uint64_t *p, const uint64_t *end)
{
	struct writer_run about = { .min_ns = UINT64_MAX };
	const uint64_t *run = p;

	while (p < end) {
		const struct ct_rec *rec = (const struct ct_rec *)p;
		size_t n = 4 + CT_KIND_WORDS(rec->kind);

		if (!rec->kind || rec->kind > CT_KIND_LAST || rec->kind == CT_GAP || n > (size_t)(end - p)) {
			recorder_refuse(r, clock_boot_ns());
			break;
		}
		tasks_record(r->tasks, cpu, rec);
		if (r->opt.detect)
			detect_record(r->opt.detect, rec, p + 4);
		if (recorder_is_limited(rec) && r->opt.limited)
			r->opt.limited(r->opt.arg, rec->tid, rec->ts);
		about.n++;
		about.kinds[rec->kind]++;
		about.min_ns = MIN(about.min_ns, rec->ts);
		about.max_ns = MAX(about.max_ns, rec->ts);
		p += n;
	}
	recorder_write(r, cpu, run, (size_t)(p - run), &about);
}

static bool is_of_daemon(const struct recorder *r, const struct ct_task_blob *task)
{
	const struct task *parent = tasks_get(r->tasks, task->ppid);
	uint32_t daemon = r->opt.daemon_tgid;

	return daemon &&
	       (task->tgid == daemon || task->ppid == daemon || (parent && parent->flags & TASK_OF_DAEMON));
}

static bool is_tracer(const struct recorder *r, const struct ct_task_blob *task)
{
	return is_of_daemon(r, task) || (r->opt.starter_tgid && task->tgid == r->opt.starter_tgid);
}

static int recorder_put(struct recorder *r, const struct ct_blob *b)
{
	struct ct_task_blob task;

	if (b->kind != CT_TASK || b->size != sizeof(task) || !is_tracer(r, (const struct ct_task_blob *)b))
		return writer_blob(r->writer, b);
	memcpy(&task, b, sizeof(task));
	task.h.flags |= CT_TF_TRACER;
	return writer_blob(r->writer, &task.h);
}

static void recorder_ask_cmdline(struct recorder *r, uint32_t tgid)
{
	if (r->opt.cmdline)
		r->opt.cmdline(r->opt.arg, tgid);
}

static void recorder_put_cmdline(struct recorder *r, const uint64_t *blob)
{
	if (writer_blob(r->writer, (const struct ct_blob *)blob))
		recorder_refuse(r, ((const struct ct_blob *)blob)->ts);
}

static void recorder_exec(struct recorder *r, const struct ct_rawcmdline_blob *raw)
{
	struct task *task = tasks_get(r->tasks, raw->h.tid);
	uint64_t blob[CMDLINE_WORDS_MAX];

	if (raw->h.size != sizeof(*raw)) {
		recorder_refuse(r, raw->h.ts);
		return;
	}
	if (task)
		task->exec_id = raw->exec_id;
	cmdline_text(raw->h.tid, raw->h.ts, raw->args, raw->bytes, blob);
	recorder_put_cmdline(r, blob);
}

static void recorder_fork(struct recorder *r, const struct ct_task_blob *b)
{
	const struct recorder_fork f = { .ts_ns = b->h.ts, .child = b->tgid, .parent = b->ppid };

	/* if there is no memory, the child has no command line until its exec */
	if (b->h.flags & CT_TF_FORK && !(b->h.flags & CT_TF_KTHREAD) && b->h.tid == b->tgid)
		(void)VEC_PUSH(&r->forks, f);
}

/* Gives forked processes the command lines of their parents, unless the parent has executed another
 * program since. Called when all rings have been read, because a parent's exec may be in another
 * ring. */
static void recorder_inherit(struct recorder *r)
{
	for (size_t i = 0; i < r->forks.n; i++) {
		const struct recorder_fork *f = &r->forks.v[i];
		const struct ct_cmdline_blob *from = writer_cmdline(r->writer, f->parent);
		const struct task *parent = tasks_get(r->tasks, f->parent);
		struct task *child = tasks_get(r->tasks, f->child);
		uint64_t blob[CMDLINE_WORDS_MAX];

		if (!child || child->exec_id)
			continue;
		if (!from || from->h.ts > f->ts_ns || !from->len || !parent || !parent->exec_id) {
			recorder_ask_cmdline(r, f->child);
			continue;
		}
		memcpy(blob, from, from->h.size);
		((struct ct_blob *)blob)->tid = f->child;
		((struct ct_blob *)blob)->ts = f->ts_ns;
		recorder_put_cmdline(r, blob);
		child->exec_id = parent->exec_id;
	}
	r->forks.n = 0;
}

void recorder_found(struct recorder *r, uint32_t tgid, uint32_t exec_id, uint64_t now_ns)
{
	const struct ct_cmdline_blob *was = writer_cmdline(r->writer, tgid);
	struct task *task = tasks_get(r->tasks, tgid);
	uint64_t blob[CMDLINE_WORDS_MAX];

	if (!task || !exec_id || task->exec_id == exec_id)
		return;
	/* The exec of exec_id was not recorded. Clears the old command line until /proc is read. */
	if (was && was->len) {
		cmdline_text(tgid, now_ns, NULL, 0, blob);
		recorder_put_cmdline(r, blob);
	}
	task->exec_id = exec_id;
	recorder_ask_cmdline(r, tgid);
}

static void recorder_identity(struct recorder *r, const struct ct_task_blob *b)
{
	struct task *task;

	tasks_identity(r->tasks, b);
	task = tasks_get(r->tasks, b->h.tid);
	if (task && is_of_daemon(r, b))
		task->flags |= TASK_OF_DAEMON;
	else if (task)
		task->flags &= ~TASK_OF_DAEMON;
	recorder_fork(r, b);
	if (r->opt.cgroup)
		r->opt.cgroup(r->opt.arg, b->cgroup_id);
}

static void recorder_blob(struct recorder *r, uint16_t cpu, const struct ct_blob *b)
{
	const struct ct_rawstack_blob *raw = (const void *)b;
	const struct ct_rawaccess_blob *access = (const void *)b;
	const struct ct_rawjob_blob *job = (const void *)b;

	if (b->kind == CT_RAWSTACK) {
		if (b->size < sizeof(*raw) || b->size < sizeof(*raw) + 8u * (raw->n_kernel + raw->n_user))
			recorder_refuse(r, b->ts);
		else {
			if (r->opt.detect)
				detect_blob(r->opt.detect, b);
			r->opt.rawstack(r->opt.arg, cpu, raw);
		}
		return;
	}
	if (b->kind == CT_RAWACCESS) {
		if (b->size < sizeof(*access) || b->size < sizeof(*access) + 8u * access->n_user)
			recorder_refuse(r, b->ts);
		else
			r->opt.rawaccess(r->opt.arg, access);
		return;
	}
	if (b->kind == CT_RAWCRASH) {
		if (b->size != sizeof(struct ct_rawcrash_blob))
			recorder_refuse(r, b->ts);
		else if (r->opt.rawcrash)
			r->opt.rawcrash(r->opt.arg, (const void *)b);
		return;
	}
	if (b->kind == CT_RAWJOB) {
		if (b->size < sizeof(*job) || b->size < sizeof(*job) + job->n_stack)
			recorder_refuse(r, b->ts);
		else if (r->opt.rawjob)
			r->opt.rawjob(r->opt.arg, job);
		return;
	}
	if (b->kind == CT_RAWCMDLINE) {
		recorder_exec(r, (const void *)b);
		return;
	}
	if (recorder_put(r, b)) {
		recorder_refuse(r, b->ts);
		return;
	}
	if (r->opt.detect)
		detect_blob(r->opt.detect, b);
	if (b->kind == CT_TASK)
		recorder_identity(r, (const struct ct_task_blob *)b);
}

void recorder_take(struct recorder *r, uint16_t cpu, const void *data, size_t size)
{
	const struct ct_blob *b = data;

	if (!stream_first(data, size))
		recorder_refuse(r, clock_boot_ns());
	else if (CT_KIND_IS_BLOB(b->kind))
		recorder_blob(r, cpu, b);
	else
		recorder_run(r, cpu, data, (const uint64_t *)data + size / 8);
}

void recorder_take_stream(struct recorder *r, const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t n; size; p += n, size -= n) {
		n = stream_first(p, size);
		if (!n) {
			recorder_refuse(r, clock_boot_ns());
			return;
		}
		recorder_take(r, 0, p, n);
	}
}

void recorder_add(struct recorder *r, const struct ct_rec *rec, const uint64_t *words)
{
	if (r->opt.detect)
		detect_record(r->opt.detect, rec, words);
	if (writer_add(r->writer, 0, rec, words))
		recorder_refuse(r, rec->ts);
}

void recorder_stack(struct recorder *r, const struct ct_stack_blob *stack)
{
	if (writer_blob(r->writer, &stack->h))
		recorder_refuse(r, stack->h.ts);
}

void recorder_lost(struct recorder *r, uint16_t cpu, enum ct_loss cause, uint64_t n, uint64_t first_ns,
		   uint64_t last_ns)
{
	const bool side = (unsigned)cause == CT_LOSS_SIDE;
	const struct ct_rec rec = { .ts = last_ns,
				    .kind = CT_GAP,
				    .tid = cpu,
				    .peer = (uint32_t)MIN(n, (uint64_t)UINT32_MAX),
				    .state = (uint8_t)(side ? CT_LOSS_RING_FULL : cause),
				    .flags = side ? CT_GF_SIDE : 0,
				    .nr = CT_NR_NONE };
	const uint64_t words[2] = { first_ns, last_ns };

	r->lost[rec.state] += n;
	recorder_add(r, &rec, words);
}

struct tasks *recorder_tasks(struct recorder *r)
{
	return r->tasks;
}

static void recorder_task_gone(void *arg, uint32_t tid)
{
	struct recorder *r = arg;

	writer_forget_task(r->writer, tid);
}

void recorder_begin(struct recorder *r, uint64_t now_ns)
{
	const struct window_state *states = NULL;
	size_t n = 0;

	tasks_states(r->tasks, &states, &n);
	writer_begin(r->writer, now_ns, states, n);
	r->sealed_ns = now_ns;
}

void recorder_seal(struct recorder *r, uint64_t now_ns, bool force)
{
	const struct window_state *states = NULL;
	size_t n = 0;

	if (!force && writer_pending(r->writer) < RECORDER_SEAL_BYTES &&
	    now_ns < r->sealed_ns + RECORDER_SEAL_NS)
		return;
	recorder_inherit(r);
	if (r->gap_n) {
		recorder_lost(r, 0, CT_LOSS_DAEMON, r->gap_n, r->gap_first_ns, r->gap_last_ns);
		r->gap_n = 0;
	}
	if (!force && !writer_save(r->writer, now_ns)) {
		r->sealed_ns = now_ns;
		return;
	}
	tasks_states(r->tasks, &states, &n);
	/* the writer counts the error, and the next file segment reports it */
	(void)writer_seal(r->writer, now_ns, states, n);
	tasks_purge(r->tasks, now_ns, recorder_task_gone, r);
	r->sealed_ns = now_ns;
}

bool recorder_flush(struct recorder *r, uint64_t timeout_ns)
{
	return writer_flush(r->writer, timeout_ns);
}

struct writer_storage recorder_storage(const struct recorder *r)
{
	return writer_storage(r->writer);
}

struct recorder_stats recorder_stats(const struct recorder *r)
{
	struct recorder_stats s = {
		.writer = writer_stats(r->writer),
		.tasks = tasks_count(r->tasks),
		.tasks_refused = tasks_refused(r->tasks),
		.refused = r->refused,
	};

	memcpy(s.lost, r->lost, sizeof(s.lost));
	s.lost[CT_LOSS_DISK] += s.writer.lost_disk;
	return s;
}
