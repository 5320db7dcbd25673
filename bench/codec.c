/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codec TRACE SCRATCH [REPEAT]
 *
 * Measures three things with a real trace: to load TRACE, to write its records to the file SCRATCH,
 * and graph_build(). Prints key=value lines. Each time is the median of REPEAT runs (default: 5),
 * in seconds of CPU time of one thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "graph/timeline/graph.h"
#include "trace/read/reader.h"
#include "trace/write/writer.h"

#define REPEAT_MAX   25
#define SEGMENT_SIZE (4U << 20)

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void die(const char *what, int r, const char *why)
{
	fprintf(stderr, "codec: %s: %s %s\n", what, strerror(-r), why);
	exit(1);
}

static struct window *load(const char *path, double *ret_s)
{
	char err[READER_ERR_MAX] = "";
	struct reader *reader;
	struct window *w;
	double t = cpu_seconds();
	int r = reader_open(path, &reader, err);

	if (r < 0)
		die(path, r, err);
	r = window_load(reader, 0, UINT64_MAX, 0, &w, err);
	if (r < 0)
		die(path, r, err);
	*ret_s = cpu_seconds() - t;
	reader_free(reader);
	return w;
}

static void put_names(struct writer *out, const struct window *w)
{
	for (size_t i = 0; i < w->n_tasks; i++) {
		const struct window_task *t = &w->tasks[i];
		struct ct_task_blob b = {
			.h = { .ts = t->ts_ns, .kind = CT_TASK, .size = sizeof(b), .tid = t->tid },
			.tgid = t->tgid,
			.start_ns = t->start_ns
		};
		int r;

		memcpy(b.comm, t->comm, sizeof(b.comm));
		r = writer_blob(out, &b.h);
		if (r < 0)
			die("writer_blob", r, "");
	}
	for (size_t i = 0; i < w->n_objects; i++) {
		const struct window_object *o = &w->objects[i];
		struct ct_object_blob b = {
			.h = { .ts = o->ts_ns, .kind = CT_OBJECT, .size = sizeof(b), .tid = o->tid },
			.id = o->id,
			.ino = o->ino
		};
		int r = writer_blob(out, &b.h);

		if (r < 0)
			die("writer_blob", r, "");
	}
}

/* Returns CPU seconds. *ret_bytes: the size of the file segments. */
static double encode(const struct window *w, const char *path, uint64_t *ret_bytes)
{
	struct writer_options opt = {
		.size_bytes = 1ULL << 30, .hooks = "", .host = "bench", .kernel = "", .n_cpus = w->n_cpus
	};
	char err[READER_ERR_MAX] = "";
	struct writer *out;
	uint64_t now = w->n_events ? w->events[0].r.ts : 0;
	double t;
	int r;

	(void)unlink(path);
	r = writer_open(path, &opt, &out, err);
	if (r < 0)
		die(path, r, err);
	put_names(out, w);
	t = cpu_seconds();
	r = writer_begin(out, now, w->states, w->n_states);
	for (size_t i = 0; r >= 0 && i < w->n_events; i++) {
		r = writer_add(out, w->cpus[i], &w->events[i].r, window_words(w, &w->events[i]));
		now = w->events[i].r.ts;
		if (r >= 0 && writer_pending(out) >= SEGMENT_SIZE)
			r = writer_seal(out, now, w->states, w->n_states);
	}
	if (r >= 0)
		r = writer_seal(out, now, w->states, w->n_states);
	if (r < 0)
		die("write", r, "");
	t = cpu_seconds() - t;
	*ret_bytes = writer_stats(out).file_bytes;
	writer_free(out);
	(void)unlink(path);
	return t;
}

static double build(const struct window *w, size_t *ret_intervals)
{
	double t = cpu_seconds();
	struct graph *g;
	int r = graph_build(w, &g);

	if (r < 0)
		die("graph_build", r, "");
	t = cpu_seconds() - t;
	*ret_intervals = g->n_intervals;
	graph_free(g);
	return t;
}

int main(int argc, char **argv)
{
	int repeat = argc > 3 ? atoi(argv[3]) : 5;
	double decode_s[REPEAT_MAX], encode_s[REPEAT_MAX], graph_s[REPEAT_MAX];
	size_t n = 0, intervals = 0;
	uint64_t bytes = 0;
	struct rusage ru;

	if (argc < 3 || repeat < 1 || repeat > REPEAT_MAX) {
		fprintf(stderr, "usage: codec TRACE SCRATCH [REPEAT], at most %d times\n", REPEAT_MAX);
		return 2;
	}
	for (int i = 0; i < repeat; i++) {
		struct window *w = load(argv[1], &decode_s[i]);

		n = w->n_events;
		encode_s[i] = encode(w, argv[2], &bytes);
		graph_s[i] = build(w, &intervals);
		window_free(w);
	}
	getrusage(RUSAGE_SELF, &ru);
	printf("records=%zu\ndecode_s=%.6f\nencode_s=%.6f\nencoded_bytes=%llu\n", n, median(decode_s, repeat),
	       median(encode_s, repeat), (unsigned long long)bytes);
	printf("graph_s=%.6f\nintervals=%zu\nmax_rss_kib=%ld\n", median(graph_s, repeat), intervals,
	       ru.ru_maxrss);
	return 0;
}
