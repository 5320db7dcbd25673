/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal [jobs|wakes]
 *
 * Measures graph_build() and causal_build() on a window like that of a browser: 16 event loops,
 * each with a worker thread, and with a client in another process. The argument says what a loop
 * does for each request of its client:
 *
 *   jobs   It runs about 10 jobs. The causal graph of the window has 2.75 million segments and
 *          3.6 million edges. This is the default.
 *   wakes  It posts 19 pieces of work to its worker. The causal graph of the window has 1.8 million
 *          segments and 3.6 million edges.
 *
 * Prints key=value lines. Times are CPU time of one thread, in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "graph/causal/causal.h"
#include "lib/vec.h"
#include "test/unit/trace/window_fill.h"

#define LOOPS   16
#define FIRST   1000
#define STEP_NS 1000

struct mix {
	const char *name;
	uint32_t batches; /* of all loops together */
	/* How often one loop does each of the things below, in twelve of its batches. */
	uint32_t jobs;
	uint32_t queued, posts, forks;
};
static const struct mix mixes[] = { { "jobs", 120000, 93, 28, 20, 1 }, { "wakes", 88000, 0, 0, 228, 1 } };

struct make {
	struct window w;
	VEC(struct window_record) events;
	VEC(struct window_task) tasks;
	VEC(struct window_object) objects;
	uint64_t now;
	uint64_t job;
	uint32_t next_child;
};

static void die(const char *what)
{
	fprintf(stderr, "causal: %s\n", what);
	exit(1);
}

static struct window_record *put(struct make *m, uint16_t cpu, enum ct_kind kind, uint32_t tid, uint32_t peer)
{
	m->now += STEP_NS;
	if (VEC_PUSH(&m->events, (struct window_record){ .r = { .ts = m->now,
								.kind = (uint8_t)kind,
								.tid = tid,
								.peer = peer,
								.nr = CT_NR_NONE },
							 .cpu = cpu }))
		die("out of memory");
	return &m->events.v[m->events.n - 1];
}

static void put_task(struct make *m, uint32_t tid, uint32_t tgid, uint32_t ppid)
{
	struct window_task t = { .tid = tid, .tgid = tgid, .ppid = ppid, .comm = "task" };

	if (VEC_PUSH(&m->tasks, t))
		die("out of memory");
}

static uint64_t sock(uint32_t tid)
{
	return CT_OBJ_ID(CT_OBJ_SOCK, tid);
}

static void put_socket(struct make *m, uint32_t tid, uint32_t peer, const char *name)
{
	struct window_object o = {
		.id = sock(tid), .peer = sock(peer), .family = 1, .type = 1, .tid = tid, .name = name
	};

	if (VEC_PUSH(&m->objects, o))
		die("out of memory");
}

static uint16_t cpu_of(uint32_t tid)
{
	return (uint16_t)((tid - FIRST) % (4 * LOOPS));
}

static void sleeps(struct make *m, uint32_t tid, enum ct_wait wait, uint64_t obj)
{
	struct window_record *e = put(m, cpu_of(tid), CT_SWITCH, tid, 0);

	e->r.state = CT_ST_SLEEP;
	e->r.wait = wait;
	e->r.obj = obj;
}

static void wakes(struct make *m, uint32_t tid, uint32_t waker, enum ct_wait in, uint64_t obj)
{
	struct window_record *e = put(m, cpu_of(waker), CT_WAKE, tid, waker);

	e->r.obj = obj;
	e->r.aux = in;
	put(m, cpu_of(tid), CT_SWITCH, 0, tid);
}

static void sends(struct make *m, uint32_t from, uint32_t on, uint32_t to, uint32_t to_on)
{
	wakes(m, to, from, CT_W_WRITE, sock(on));
	put(m, cpu_of(from), CT_SEND, from, 100)->r.obj = sock(on);
	put(m, cpu_of(to), CT_RECV, to, 100)->r.obj = sock(to_on);
}

static void runs_job(struct make *m, uint32_t tid, bool queued)
{
	uint64_t job = 0x1000 + m->job++ * 64;

	for (uint8_t state = queued ? CT_JOB_ENQUEUE : CT_JOB_START; state <= CT_JOB_END; state++) {
		struct window_record *e = put(m, cpu_of(tid), CT_JOB, tid, 0);

		e->r.state = state;
		e->x[0] = job;
	}
}

static void posts(struct make *m, uint32_t loop, uint32_t worker)
{
	uint64_t futex = CT_OBJ_FUTEX_ID(loop, 0x1000);

	wakes(m, worker, loop, CT_W_FUTEX, futex);
	m->now += 100000;
	sleeps(m, worker, CT_W_FUTEX, futex);
}

static void forks(struct make *m, uint32_t loop)
{
	uint32_t child = m->next_child++;
	struct window_record *e = put(m, cpu_of(loop), CT_FORK, loop, child);

	e->r.obj = child;
	put_task(m, child, child, loop);
	put(m, cpu_of(child), CT_SWITCH, 0, child);
	put(m, cpu_of(child), CT_EXIT, child, 0);
	e = put(m, cpu_of(child), CT_SWITCH, child, 0);
	e->r.state = CT_ST_DEAD;
	e->r.wait = CT_W_EXITED;
}

static uint32_t share(uint32_t n, uint32_t round)
{
	return n * (round + 1) / 12 - n * round / 12;
}

static void batch(struct make *m, const struct mix *mix, uint32_t i)
{
	uint32_t loop = FIRST + i % LOOPS * 4, worker = loop + 1, client = loop + 2, r = i / LOOPS % 12;

	sends(m, client, client, loop, loop);
	sleeps(m, client, CT_W_READ, sock(client));
	for (uint32_t k = 0; k < share(mix->jobs, r); k++)
		runs_job(m, loop, false);
	for (uint32_t k = 0; k < share(mix->queued, r); k++)
		runs_job(m, loop, true);
	for (uint32_t k = 0; k < share(mix->posts, r); k++)
		posts(m, loop, worker);
	for (uint32_t k = 0; k < share(mix->forks, r); k++)
		forks(m, loop);
	sends(m, loop, loop, client, client);
	sleeps(m, loop, CT_W_EPOLL, CT_OBJ_ID(CT_OBJ_EPOLL, loop));
}

static int by_tid(const void *a, const void *b)
{
	const struct window_task *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void make(struct make *m, const struct mix *mix)
{
	m->next_child = FIRST + 4 * LOOPS;
	for (uint32_t i = 0; i < LOOPS; i++) {
		uint32_t loop = FIRST + i * 4;

		put_task(m, loop, loop, 1);
		put_task(m, loop + 1, loop, 1);
		put_task(m, loop + 2, loop + 2, 1);
		put_socket(m, loop, loop + 2, "/run/loop");
		put_socket(m, loop + 2, loop, "");
		for (uint32_t t = loop; t < loop + 3; t++)
			put(m, cpu_of(t), CT_SWITCH, 0, t);
		sleeps(m, loop, CT_W_EPOLL, CT_OBJ_ID(CT_OBJ_EPOLL, loop));
		sleeps(m, loop + 1, CT_W_FUTEX, CT_OBJ_FUTEX_ID(loop, 0x1000));
	}
	for (uint32_t i = 0; i < mix->batches; i++)
		batch(m, mix, i);
	qsort(m->tasks.v, m->tasks.n, sizeof(*m->tasks.v), by_tid);
	m->w = (struct window){ .to_ns = m->now + 1,
				.file_to_ns = m->now + 1,
				.n_cpus = 4 * LOOPS,
				.tasks = m->tasks.v,
				.n_tasks = m->tasks.n,
				.objects = m->objects.v,
				.n_objects = m->objects.n };
	window_fill(&m->w, m->events.v, m->events.n);
	VEC_FREE(&m->events);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long peak_rss_kib(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return ru.ru_maxrss;
}

int main(int argc, char **argv)
{
	const struct mix *mix = argc > 1 && !strcmp(argv[1], mixes[1].name) ? &mixes[1] : &mixes[0];
	struct make m = { 0 };
	struct causal *c;
	struct graph *g;
	double t0, t1, t2;
	long before;

	if (argc > 2 || (argc > 1 && strcmp(argv[1], mix->name))) {
		fprintf(stderr, "usage: causal [jobs|wakes]\n");
		return 2;
	}
	make(&m, mix);
	before = peak_rss_kib();
	t0 = cpu_seconds();
	if (graph_build(&m.w, &g))
		die("graph_build failed");
	t1 = cpu_seconds();
	if (causal_build(g, NULL, &c))
		die("causal_build failed");
	t2 = cpu_seconds();
	printf("records=%zu\nintervals=%zu\nsegments=%zu\nedges=%zu\n", m.w.n_events, g->n_intervals,
	       c->n_segments, c->n_edges);
	printf("graph_s=%.6f\ncausal_s=%.6f\nbuild_s=%.6f\n", t1 - t0, t2 - t1, t2 - t0);
	printf("window_bytes=%zu\npeak_rss_kib=%ld\nbuild_rss_kib=%ld\n",
	       m.w.n_events * (sizeof(*m.w.events) + sizeof(*m.w.cpus)) + m.w.n_words * sizeof(*m.w.words) +
		       RANK_BLOCKS(m.w.n_events) * sizeof(struct rank) + m.tasks.n * sizeof(*m.tasks.v),
	       peak_rss_kib(), peak_rss_kib() - before);
	causal_free(c);
	graph_free(g);
	VEC_FREE(&m.events);
	VEC_FREE(&m.tasks);
	VEC_FREE(&m.objects);
	return 0;
}
