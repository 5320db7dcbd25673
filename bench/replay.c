/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay TRACE SCRATCH [RATE SECONDS [TASKS]]
 *
 * Gives the records of TRACE, except GAP and SHED, to the daemon's task table, detector of hangs
 * and writer, as if the daemon had read them from its rings. With RATE, the new trace SCRATCH lasts
 * SECONDS seconds, with RATE records in each. TASKS waiting tasks are added. Prints key=value lines.
 * record_ns and ms_a_second are CPU time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/record/recorder.h"
#include "detect/detect.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/read/reader.h"

#define CPUS_MAX    1024
#define BUSY_NS     50000000ULL
#define QUIET_NS    250000000ULL
#define PIECE_WORDS 8192
#define TASKS_FIRST 2000000U

struct ring {
	uint64_t words[PIECE_WORDS];
	size_t n;
};

static struct ring rings[CPUS_MAX];
static struct recorder *recorder;
static struct detect *detect;

static void die(const char *what, int r, const char *why)
{
	fprintf(stderr, "replay: %s: %s %s\n", what, strerror(-r), why);
	exit(1);
}

static void ignore_stack(void *arg, uint16_t cpu, const struct ct_rawstack_blob *raw)
{
}

static void ignore_access(void *arg, const struct ct_rawaccess_blob *raw)
{
}

static void ignore_hang(void *arg, const struct detect_hang *hang)
{
}

static struct window *load(const char *path)
{
	char err[READER_ERR_MAX] = "";
	struct reader *reader;
	struct window *w = NULL;
	int r = reader_open(path, &reader, err);

	if (!r)
		r = window_load(reader, 0, UINT64_MAX, 0, &w, err);
	if (r)
		die(path, r, err);
	reader_free(reader);
	return w;
}

static int compare_names(const void *a, const void *b)
{
	uint64_t x = ((const struct window_task *)a)->ts_ns, y = ((const struct window_task *)b)->ts_ns;

	return x < y ? -1 : x > y;
}

/* Passes names of tasks to the recorder: begins with w->tasks[*at], and stops at the first name
 * that is newer than until_ns. The recorder gets ts_ns as the time of each name. Moves *at to the
 * first name that was not passed. */
static void put_names(const struct window *w, size_t *at, uint64_t until_ns, uint64_t ts_ns)
{
	for (; *at < w->n_tasks && w->tasks[*at].ts_ns <= until_ns; ++*at) {
		const struct window_task *t = &w->tasks[*at];
		struct ct_task_blob b = {
			.h = { .ts = ts_ns, .kind = CT_TASK, .size = sizeof(b), .tid = t->tid },
			.tgid = t->tgid,
			.start_ns = t->start_ns
		};

		memcpy(b.comm, t->comm, sizeof(b.comm));
		recorder_take(recorder, 0, &b, sizeof(b));
	}
}

static void put_waiting_tasks(uint32_t n, uint64_t ts_ns)
{
	for (uint32_t tid = TASKS_FIRST; tid < TASKS_FIRST + n; tid++) {
		struct ct_task_blob b = {
			.h = { .ts = ts_ns, .kind = CT_TASK, .size = sizeof(b), .tid = tid },
			.tgid = tid - tid % 100,
			.start_ns = ts_ns - tid * 1000003ULL
		};
		struct ct_object_blob o = {
			.h = { .ts = ts_ns, .kind = CT_OBJECT, .size = sizeof(o), .tid = tid },
			.id = CT_OBJ_ID(CT_OBJ_SOCK, tid * 7919U),
			.ino = tid * 7919U
		};
		struct ct_rec rec = { .ts = ts_ns,
				      .kind = CT_SWITCH,
				      .state = CT_ST_SLEEP,
				      .wait = CT_W_READ,
				      .tid = tid,
				      .obj = o.id };

		snprintf(b.comm, sizeof(b.comm), "worker-%u", tid % 100);
		recorder_take(recorder, 0, &b, sizeof(b));
		recorder_take(recorder, 0, &o, sizeof(o));
		recorder_take(recorder, 0, &rec, sizeof(rec));
	}
}

static void ring_empty(unsigned cpu)
{
	if (rings[cpu].n)
		recorder_take(recorder, (uint16_t)cpu, rings[cpu].words, rings[cpu].n * 8);
	rings[cpu].n = 0;
}

static void drain_round(uint64_t now_ns)
{
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		ring_empty(cpu);
	detect_tick(detect, now_ns);
	recorder_seal(recorder, now_ns, false);
}

static void put(const struct window *w, const struct window_event *e, uint64_t ts_ns)
{
	unsigned cpu = window_cpu(w, e) % CPUS_MAX;
	struct ring *ring = &rings[cpu];
	unsigned n = CT_KIND_WORDS(e->r.kind);
	struct ct_rec rec = e->r;

	rec.ts = ts_ns;
	if (rec.kind == CT_GAP || rec.kind == CT_SHED)
		return;
	if (ring->n + 4 + n > PIECE_WORDS)
		ring_empty(cpu);
	memcpy(ring->words + ring->n, &rec, sizeof(rec));
	memcpy(ring->words + ring->n + 4, window_words(w, e), n * 8);
	ring->n += 4 + n;
}

static uint64_t replay_all(const struct window *w)
{
	uint64_t next_ns = w->events[0].r.ts + BUSY_NS;
	size_t names = 0;

	for (size_t i = 0; i < w->n_events; i++) {
		for (; w->events[i].r.ts >= next_ns; next_ns += BUSY_NS)
			drain_round(next_ns);
		put_names(w, &names, w->events[i].r.ts, w->events[i].r.ts);
		put(w, &w->events[i], w->events[i].r.ts);
	}
	drain_round(next_ns);
	return w->n_events;
}

static uint64_t replay_rate(const struct window *w, uint64_t rate, uint64_t seconds)
{
	uint64_t begin_ns = w->events[0].r.ts, n = 0;
	size_t names = 0;

	for (uint64_t at_ns = QUIET_NS; at_ns <= seconds * NSEC_PER_SEC; at_ns += QUIET_NS) {
		for (; n < at_ns / 1000 * rate / 1000000; n++) {
			const struct window_event *e = &w->events[n % w->n_events];
			uint64_t ts_ns = begin_ns + n * NSEC_PER_SEC / rate;

			put_names(w, &names, e->r.ts, ts_ns);
			put(w, e, ts_ns);
		}
		drain_round(begin_ns + at_ns);
	}
	return n;
}

/* Does not count the slots of FORMAT_SEGMENT_SAVED, which are copies. */
static uint64_t slots_used(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct format_segment h;
	uint64_t n = 0;

	for (off_t at = FORMAT_SLOT_BYTES; pread(fd, &h, sizeof(h), at) == sizeof(h); at += FORMAT_SLOT_BYTES)
		if (!memcmp(h.magic, FORMAT_SEGMENT_MAGIC, sizeof(h.magic)) &&
		    !(h.flags & FORMAT_SEGMENT_SAVED))
			n += h.n_slots;
	close(fd);
	return n;
}

int main(int argc, char **argv)
{
	struct recorder_options opt = {
		.rawstack = ignore_stack,
		.rawaccess = ignore_access,
		.writer = { .size_bytes = 2ULL << 30, .hooks = "", .host = "bench", .kernel = "" }
	};
	struct detect_settings settings;
	const struct detect_options hangs = { .settings = &settings, .messages = true, .hang = ignore_hang };
	uint64_t rate = argc > 4 ? strtoull(argv[3], NULL, 10) : 0, n, ns, slots;
	uint64_t seconds = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	char err[RECORDER_ERR_MAX] = "";
	struct recorder_stats stats;
	struct window *w;
	int r;

	if ((argc != 3 && argc != 5 && argc != 6) || (argc > 3 && (!rate || !seconds))) {
		fprintf(stderr, "usage: replay TRACE SCRATCH [RATE SECONDS [TASKS]]\n");
		return 2;
	}
	w = load(argv[1]);
	if (!w->n_events)
		die(argv[1], -ENODATA, "");
	detect_defaults(&settings);
	opt.path = argv[2];
	opt.writer.n_cpus = w->n_cpus;
	opt.detect = detect = detect_new(&hangs);
	(void)unlink(argv[2]);
	r = detect ? recorder_new(&opt, &recorder, err) : -ENOMEM;
	if (r)
		die(argv[2], r, err);
	qsort(w->tasks, w->n_tasks, sizeof(*w->tasks), compare_names);
	recorder_begin(recorder, w->events[0].r.ts);
	if (argc > 5)
		put_waiting_tasks((uint32_t)atoi(argv[5]), w->events[0].r.ts);
	ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	n = rate ? replay_rate(w, rate, seconds) : replay_all(w);
	ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - ns;
	stats = recorder_stats(recorder);
	slots = slots_used(argv[2]);
	printf("records=%llu\nrefused=%llu\nrecord_ns=%.1f\nbytes_a_record=%.3f\nslots=%llu\ntasks=%llu\n",
	       (unsigned long long)n, (unsigned long long)stats.refused, (double)ns / (double)n,
	       (double)stats.writer.file_bytes / (double)n, (unsigned long long)slots,
	       (unsigned long long)stats.tasks);
	if (rate && slots)
		printf("hours_in_2_gib=%.1f\nms_a_second=%.3f\n",
		       (double)(32640 * seconds) / (double)slots / 3600, (double)ns / 1e6 / (double)seconds);
	recorder_free(recorder);
	detect_free(detect);
	window_free(w);
	(void)unlink(argv[2]);
	return 0;
}
