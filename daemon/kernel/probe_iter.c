/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/kernel/probe_private.h"
#include "daemon/stream.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/vec.h"

/* About 50 000 descriptors. The rest of a larger table is not read, because it takes much memory
 * and time. */
#define FILES_BYTES_MAX (8u << 20)

typedef VEC(uint8_t) bytes_vec;

static int iter_read(struct bpf_link *link, size_t max, bytes_vec *out)
{
	_cleanup_close_ int fd = bpf_iter_create(bpf_link__fd(link));

	if (fd < 0)
		return fd;
	while (out->n < max) {
		ssize_t n;

		if (VEC_RESERVE(out, out->n + 32768))
			return -ENOMEM;
		n = read(fd, out->v + out->n, 32768);
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->n += n;
	}
	return 0;
}

/*
 * What to read: the task tid, or the files of the process pid, or all tasks if both are 0.
 * - brief: without registers and stacks
 * - obj: only the unread data of this socket of the process; 0: all files
 */
struct iter_of {
	uint32_t tid, pid;
	bool brief;
	uint64_t obj;
};

/* id: read only this task or process; 0: all that the iterator visits */
static void iter_tell(struct probe *p, const struct iter_of *of, uint32_t id)
{
	if (of->pid) {
		p->skel->bss->ct_iter_tgid = id;
		p->skel->bss->ct_iter_obj = of->obj;
	} else {
		p->skel->bss->ct_iter_tid = id;
		p->skel->bss->ct_iter_brief = of->brief;
	}
}

/* Before kernel 6.1, an iterator cannot visit a single task or process: the program visits all
 * tasks, and skips most. This takes too long for a read of one socket (of->obj). So such a read
 * fails before 6.1. It also fails while another thread reads descriptors. */
static int iter_run(struct probe *p, struct bpf_program *prog, const struct iter_of *of, bytes_vec *out)
{
	union bpf_iter_link_info info = { .task = { .tid = of->tid, .pid = of->pid } };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	/* A large descriptor table takes long. The separate lock lets the drain thread read tasks
	 * meanwhile. */
	pthread_mutex_t *lock = of->pid ? &p->iter_files_lock : &p->iter_tasks_lock;
	struct bpf_link *link = NULL;
	int r;

	if (bpf_program__fd(prog) < 0)
		return -EOPNOTSUPP;
	if (of->obj ? pthread_mutex_trylock(lock) : pthread_mutex_lock(lock))
		return -EBUSY;
	iter_tell(p, of, 0);
	if (of->tid || of->pid)
		link = bpf_program__attach_iter(prog, &opts);
	if (!link && !of->obj && (!(of->tid || of->pid) || errno == EINVAL || errno == E2BIG)) {
		iter_tell(p, of, of->tid + of->pid);
		link = bpf_program__attach_iter(prog, NULL);
	}
	r = link ? iter_read(link, of->pid ? FILES_BYTES_MAX : SIZE_MAX, out) : -errno;
	bpf_link__destroy(link);
	pthread_mutex_unlock(lock);
	return r;
}

/* The BPF program has set the elements after the last frame to 0. */
static void iter_count_frames(struct ct_iter_task *t)
{
	while (t->n_kstack < CT_ITER_KSTACK && t->kstack[t->n_kstack])
		t->n_kstack++;
}

int probe_read_tasks(struct probe *p, probe_task_fn fn, void *arg)
{
	const size_t size = offsetof(struct ct_iter_task, args);
	struct ct_iter_task t = {};
	bytes_vec out = {};
	int r = iter_run(p, p->skel->progs.ct_iter_tasks, &(struct iter_of){ .brief = true }, &out);

	for (size_t at = 0; !r && at + size <= out.n; at += size) {
		memcpy(&t, out.v + at, size);
		fn(arg, &t);
	}
	VEC_FREE(&out);
	return r;
}

int probe_read_task(struct probe *p, uint32_t tid, struct ct_iter_task *ret)
{
	bytes_vec out = {};
	int r = tid ? iter_run(p, p->skel->progs.ct_iter_tasks, &(struct iter_of){ .tid = tid }, &out)
		    : -ESRCH;

	if (!r && out.n < sizeof(*ret))
		r = -ESRCH;
	if (!r) {
		memcpy(ret, out.v, sizeof(*ret));
		iter_count_frames(ret);
		if (ret->task.h.tid != tid)
			r = -ESRCH;
	}
	VEC_FREE(&out);
	return r;
}

int probe_measure_clock(struct probe *p)
{
	uint64_t off = UINT64_MAX, ticks = 0;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		struct timespec moment = { .tv_nsec = 1000 };
		struct ct_iter_task self;
		int r;

		nanosleep(&moment, NULL);
		r = probe_read_task(p, (uint32_t)gettid(), &self);
		if (r)
			return r;
		if (!self.sched_left)
			continue;
		off = MIN(off, self.task.h.ts - self.sched_left);
		ticks = MAX(ticks, self.jiffies * p->skel->rodata->ct_tick_ns - self.sched_left);
	}
	if (off != UINT64_MAX)
		probe_govern_clock(p, off, ticks);
	return 0;
}

static size_t files_whole(const bytes_vec *v)
{
	size_t at = 0;

	for (size_t n; (n = stream_first(v->v + at, v->n - at));)
		at += n;
	return at;
}

int probe_read_files(struct probe *p, uint32_t tgid, void **ret, size_t *ret_bytes)
{
	bytes_vec out = {};
	int r = tgid ? iter_run(p, p->skel->progs.ct_iter_files, &(struct iter_of){ .pid = tgid }, &out)
		     : -ESRCH;

	out.n = files_whole(&out);
	if (!r && !out.n)
		r = -ESRCH;
	if (r) {
		VEC_FREE(&out);
		return r;
	}
	*ret = out.v;
	*ret_bytes = out.n;
	return 0;
}

int probe_read_unread(struct probe *p, uint32_t tgid, uint64_t sock, uint64_t *ret)
{
	const struct iter_of of = { .pid = tgid, .obj = sock };
	bytes_vec out = {};
	int r = tgid && sock ? iter_run(p, p->skel->progs.ct_iter_files, &of, &out) : -ESRCH;

	if (!r && out.n < sizeof(*ret))
		r = -ENOENT;
	if (!r)
		memcpy(ret, out.v, sizeof(*ret));
	VEC_FREE(&out);
	return r;
}
