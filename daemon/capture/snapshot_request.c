// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/capture/snapshot_request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/capture/drain.h"
#include "daemon/record/heldlocks.h"
#include "daemon/kernel/probe.h"
#include "daemon/stream.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "trace/read/reader.h"
#include "trace/snapshot/cut.h"

#define SNAPSHOT_REQUEST_TRY_BYTES 4096

struct snapshot_request_prep {
	uint64_t since_ns, deadline_ns;
	VEC(uint32_t) tgids;
	VEC(uint8_t) tables;
	struct heldlocks locks;
};

static void add_processes(struct snapshot_request_prep *p, struct tasks *tasks, struct map *seen,
			  bool blocked)
{
	for (struct task *t = tasks_next(tasks, 1); t; t = tasks_next(tasks, t->st.last.tid + 1)) {
		if (t->flags & TASK_KTHREAD || (t->st.run == WINDOW_RUN_BLOCKED) != blocked || !t->tgid ||
		    map_get(seen, t->tgid, NULL))
			continue;
		if (map_set(seen, t->tgid, 1) || VEC_PUSH(&p->tgids, t->tgid))
			break;
	}
}

/* Runs on the drain thread. */
static void prepare_begin(struct drain *d, void *arg)
{
	struct tasks *tasks = recorder_tasks(drain_recorder(d));
	struct snapshot_request_prep *p = arg;
	struct map seen = { 0 };

	drain_inspect_all(d, p->since_ns, SNAPSHOT_REQUEST_INSPECTIONS_MAX);
	/* First the processes with a task that is not blocked: they are few, and others may wait
	 * for them. */
	add_processes(p, tasks, &seen, false);
	add_processes(p, tasks, &seen, true);
	map_done(&seen);
}

/* Runs on the drain thread. */
static void prepare_end(struct drain *d, void *arg)
{
	struct snapshot_request_prep *p = arg;
	struct recorder *r = drain_recorder(d);

	for (size_t i = 0; i < p->locks.n; i++)
		recorder_add(r, &p->locks.v[i].rec, p->locks.v[i].words);
	recorder_take_stream(r, p->tables.v, p->tables.n);
	drain_seal(d);
}

static size_t count_fds(const uint8_t *p, size_t size)
{
	size_t count = 0;

	for (size_t n; (n = stream_first(p, size)); p += n, size -= n)
		count += ((const struct ct_blob *)p)->kind == CT_FD;
	return count;
}

static void prepare_tables(const struct snapshot_request_source *src, struct snapshot_request_prep *p)
{
	size_t fds = 0;

	for (size_t i = 0;
	     i < p->tgids.n && fds < SNAPSHOT_REQUEST_FDS_MAX && clock_boot_ns() < p->deadline_ns; i++) {
		_cleanup_free_ void *table = NULL;
		size_t size;

		if (probe_read_files(src->probe, p->tgids.v[i], &table, &size))
			continue;
		if (VEC_RESERVE(&p->tables, p->tables.n + size))
			return;
		if (size)
			memcpy(p->tables.v + p->tables.n, table, size);
		p->tables.n += size;
		fds += count_fds(table, size);
	}
}

bool snapshot_request_prepare(const struct snapshot_request_source *src, uint64_t since_ns)
{
	struct snapshot_request_prep p = { .since_ns = since_ns,
					   .deadline_ns = clock_boot_ns() + SNAPSHOT_REQUEST_PREPARE_NS };
	const struct timespec pause = { .tv_nsec = SNAPSHOT_REQUEST_PAUSE_NS };
	bool flushed;

	if (!drain_call(src->drain, prepare_begin, &p)) {
		heldlocks_read(NULL, clock_boot_ns(), &p.locks);
		prepare_tables(src, &p);
		heldlocks_mark(&p.locks, p.tables.v, p.tables.n, SNAPSHOT_REQUEST_MARKS_MAX,
			       clock_boot_ns() + SNAPSHOT_REQUEST_MARKS_NS);
		while (drain_inspections_open(src->drain) && clock_boot_ns() < p.deadline_ns)
			nanosleep(&pause, NULL);
		drain_call(src->drain, prepare_end, &p);
	}
	flushed = drain_flush(src->drain, SNAPSHOT_REQUEST_FLUSH_NS);
	VEC_FREE(&p.tgids);
	VEC_FREE(&p.tables);
	heldlocks_done(&p.locks);
	return flushed;
}

void snapshot_request_begin(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns,
			    struct snapshot_request *ret)
{
	struct snapshot_request s = {
		.trace = src->trace, .from_ns = from_ns, .to_ns = to_ns, .begin_ns = clock_boot_ns()
	};
	bool flushed = snapshot_request_prepare(src, from_ns);
	struct writer_stats w = drain_stats(src->drain).recorder.writer;

	s.storage = w.storage;
	/* The preparation writes records after begin_ns. A window that ends about now gets them
	 * too. */
	if (to_ns > s.begin_ns || s.begin_ns - to_ns < SNAPSHOT_REQUEST_NOW_NS)
		s.to_ns = UINT64_MAX;
	s.missing_ns = w.storage.untold_ns;
	if (!flushed)
		s.missing_ns = s.missing_ns ? MIN(s.missing_ns, w.newest_ns) : w.newest_ns;
	if (s.missing_ns >= s.to_ns)
		s.missing_ns = 0;
	*ret = s;
}

int snapshot_request_finish(struct snapshot_request *s, int fd, bool (*step)(void *arg),
			    char err[SNAPSHOT_REQUEST_ERR_MAX])
{
	const struct cut_options opt = { .from_ns = s->from_ns, .to_ns = s->to_ns, .step = step };
	struct reader *reader;
	struct stat st;
	int r = reader_open(s->trace, &reader, err);

	if (r)
		return r;
	r = cut_window(reader, &opt, fd, &s->segments, err);
	if (!r) {
		const struct reader_info *info = reader_info(reader);

		s->from_ns = MAX(s->from_ns, info->from_ns);
		s->to_ns = MIN(s->to_ns, info->to_ns);
		s->bytes = fstat(fd, &st) ? 0 : (uint64_t)st.st_size;
		s->took_ns = clock_boot_ns() - s->begin_ns;
	}
	reader_free(reader);
	if (r)
		(void)!ftruncate(fd, 0);
	return r;
}

int snapshot_request_take(const struct snapshot_request_source *src, uint64_t from_ns, uint64_t to_ns, int fd,
			  struct snapshot_request *ret, char err[SNAPSHOT_REQUEST_ERR_MAX])
{
	snapshot_request_begin(src, from_ns, to_ns, ret);
	return snapshot_request_finish(ret, fd, NULL, err);
}

/* A sealed file in memory (memfd) refuses writes or a new size, although its mode allows writes. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals > 0 && seals & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_FUTURE_WRITE);
}

/* A file of /proc or /sys looks regular, but has no size to set, and a write changes the system. */
static bool takes_a_size(int fd)
{
	struct stat st;
	bool taken = !ftruncate(fd, SNAPSHOT_REQUEST_TRY_BYTES) && !fstat(fd, &st) &&
		     st.st_size == SNAPSHOT_REQUEST_TRY_BYTES;

	return !ftruncate(fd, 0) && taken;
}

int snapshot_request_check_fd(int fd, char err[SNAPSHOT_REQUEST_ERR_MAX])
{
	const char *why = NULL;
	struct stat st;
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	if (fd < 0)
		why = "no descriptor came with the request";
	else if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || flags & O_PATH)
		why = "the descriptor is not open for writing";
	else if (flags & O_APPEND)
		why = "the descriptor is open for appending (O_APPEND, the >> of a shell)";
	else if (flags & O_DIRECT)
		why = "the descriptor is open for direct writes (O_DIRECT)";
	else if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		why = "the descriptor is not of a regular file";
	else if (st.st_size)
		why = "the file is not empty";
	else if (is_sealed(fd))
		why = "the file is sealed";
	else if (!takes_a_size(fd))
		why = "the file cannot be made larger";
	if (!why)
		return 0;
	snprintf(
		err, SNAPSHOT_REQUEST_ERR_MAX,
		"Cannot write a snapshot: %s; send an empty regular file, open for writing, with the request.",
		why);
	return -EINVAL;
}
