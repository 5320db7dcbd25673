// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/cmdlines.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/record/cmdline_text.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/vec.h"

/* bytes; the end of a longer command line is not read */
#define READ_MAX 65536
/* processes: a job hands over its results after the first process, and then after each HAND_OVER more. The
 * read of a command line may never return. Then the results that the job has not handed over are lost. */
#define HAND_OVER 64

struct cmdlines {
	struct cmdlines_options opt;
	VEC(uint32_t) wanted;
	atomic_bool reading;
};

struct cmdlines_job {
	struct cmdlines *c;
	VEC(uint32_t) tgids;
	VEC(uint64_t) out;
	char text[READ_MAX];
};

static size_t read_args(uint32_t tgid, char *buf, size_t room)
{
	char path[64];
	_cleanup_close_ int fd = -1;
	size_t n = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n < room && (got = read(fd, buf + n, room - n)) > 0)
		n += (size_t)got;
	return n;
}

static void job_hand_over(struct cmdlines_job *j)
{
	struct cmdlines *c = j->c;
	size_t bytes = j->out.n * sizeof(*j->out.v);

	if (bytes)
		c->opt.found(c->opt.arg, TAKE_PTR(j->out.v), bytes);
	VEC_FREE(&j->out);
}

static void job_put(struct cmdlines_job *j, uint32_t tgid, uint64_t ts_ns, size_t n)
{
	const size_t tail = CT_RAWCMDLINE_MAX - CT_RAWCMDLINE_HEAD;
	uint64_t blob[CMDLINE_WORDS_MAX];
	size_t words;

	if (n > CT_RAWCMDLINE_MAX)
		memmove(j->text + CT_RAWCMDLINE_HEAD, j->text + n - tail, tail);
	cmdline_text(tgid, ts_ns, j->text, n, blob);
	words = ((const struct ct_blob *)blob)->size / 8;
	if (VEC_RESERVE(&j->out, j->out.n + words))
		return;
	memcpy(j->out.v + j->out.n, blob, words * 8);
	j->out.n += words;
}

static void job_free(void *arg)
{
	struct cmdlines_job *j = arg;

	VEC_FREE(&j->tgids);
	VEC_FREE(&j->out);
	free(j);
}

static void job_done(void *arg)
{
	struct cmdlines_job *j = arg;

	atomic_store(&j->c->reading, false);
	job_free(j);
}

static void job_run(void *arg)
{
	struct cmdlines_job *j = arg;

	for (size_t i = 0; i < j->tgids.n; i++) {
		uint64_t ts_ns = clock_boot_ns();
		size_t n;

		/* The read may never return. */
		worker_leave();
		n = read_args(j->tgids.v[i], j->text, sizeof(j->text));
		if (!worker_enter())
			return;
		if (n)
			job_put(j, j->tgids.v[i], ts_ns, n);
		if (i % HAND_OVER == 0)
			job_hand_over(j);
	}
	job_hand_over(j);
}

struct cmdlines *cmdlines_new(const struct cmdlines_options *opt)
{
	struct cmdlines *c = calloc(1, sizeof(*c));

	if (c)
		c->opt = *opt;
	return c;
}

void cmdlines_free(struct cmdlines *c)
{
	if (!c)
		return;
	VEC_FREE(&c->wanted);
	free(c);
}

void cmdlines_want(struct cmdlines *c, uint32_t tgid)
{
	if (c->opt.worker && c->wanted.n < CMDLINES_WAITING_MAX)
		(void)VEC_PUSH(&c->wanted, tgid);
}

void cmdlines_round(struct cmdlines *c)
{
	struct worker_job job = { .run = job_run, .done = job_done, .drop = job_free };
	struct cmdlines_job *j;

	if (!c->wanted.n || atomic_load(&c->reading))
		return;
	j = job.arg = calloc(1, sizeof(*j));
	if (!j)
		return;
	j->c = c;
	if (VEC_RESERVE(&j->tgids, c->wanted.n)) {
		free(j);
		return;
	}
	memcpy(j->tgids.v, c->wanted.v, c->wanted.n * sizeof(*c->wanted.v));
	j->tgids.n = c->wanted.n;
	atomic_store(&c->reading, true);
	if (worker_post(c->opt.worker, &job))
		job_done(j);
	else
		c->wanted.n = 0;
}
