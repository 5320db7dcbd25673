/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rings CPUS RECORDS
 *
 * Measures the CPU time that the daemon's drain thread takes to empty CPUS rings once (a round). The
 * rings are in plain memory. Prints key=value lines. Each time is the median of 15 rounds:
 *
 *   empty_ns        the rings are empty
 *   one_each_ns     each ring has one record
 *   read_record_ns  each ring has RECORDS records; the time for one record
 *   record_ns       as read_record_ns, but the records are also written into a trace
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "daemon/record/recorder.h"
#include "daemon/kernel/percpu_ring.h"
#include "lib/clock.h"

#define ROUNDS     15
#define RING_BYTES (4U << 20)
#define SIDE_BYTES 65536U

static struct recorder *recorder;
static struct percpu_ring *rings;
static unsigned n_cpus;

static void die(const char *what, int r)
{
	fprintf(stderr, "rings: %s: %s\n", what, strerror(-r));
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void fill(unsigned cpu, unsigned n, uint64_t now)
{
	struct cpu *c = percpu_ring_cpu(rings, cpu);

	for (unsigned i = 0; i < n; i++) {
		uint32_t base = 1000 + cpu * 16;
		struct ct_rec *r = (void *)((uint8_t *)c + CPU_RING_AT + (c->head & (RING_BYTES - 1)));

		*r = (struct ct_rec){ .ts = now + i,
				      .kind = CT_SWITCH,
				      .state = CT_ST_SLEEP,
				      .wait = CT_W_READ,
				      .tid = base + i % 16,
				      .peer = base + (i + 1) % 16,
				      .obj = CT_OBJ_ID(CT_OBJ_PIPE, base + i % 16) };
		c->head += sizeof(*r);
	}
}

static void ignore(void *arg, uint16_t cpu, const void *data, size_t size)
{
}

static void record(void *arg, uint16_t cpu, const void *data, size_t size)
{
	recorder_take(recorder, cpu, data, size);
}

static double rounds(unsigned n, percpu_ring_record_fn fn)
{
	uint64_t took[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t now = clock_boot_ns(), begin;

		for (unsigned cpu = 0; cpu < n_cpus; cpu++)
			fill(cpu, n, now);
		begin = cpu_ns();
		percpu_ring_consume(rings, fn, NULL);
		if (fn == record)
			recorder_seal(recorder, clock_boot_ns(), true);
		took[i] = cpu_ns() - begin;
	}
	qsort(took, ROUNDS, sizeof(*took), compare);
	return (double)took[ROUNDS / 2];
}

static int memory(size_t bytes)
{
	int fd = memfd_create("rings", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		die("memory", -errno);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	struct recorder_options opt = {
		.path = "rings.ctr",
		.writer = { .size_bytes = 256U << 20, .hooks = "", .host = "", .kernel = "" }
	};
	char err[RECORDER_ERR_MAX] = "";
	struct rusage ru;
	double full;
	int r;

	n_cpus = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	if (!n_cpus || n_cpus > 4096 || !n || n > RING_BYTES / sizeof(struct ct_rec)) {
		fprintf(stderr, "usage: rings CPUS RECORDS\n");
		return 2;
	}
	opt.writer.n_cpus = n_cpus;
	r = percpu_ring_new(memory(n_cpus * CPU_ENTRY_BYTES((size_t)RING_BYTES)), n_cpus, RING_BYTES,
			    memory(2 * 4096 + 2 * SIDE_BYTES), SIDE_BYTES, &rings);
	if (r)
		die("rings", r);
	r = recorder_new(&opt, &recorder, err);
	if (r)
		die(err, r);
	recorder_begin(recorder, clock_boot_ns());
	printf("cpus=%u\nempty_ns=%.0f\n", n_cpus, rounds(0, ignore));
	printf("one_each_ns=%.0f\n", rounds(1, ignore));
	printf("read_record_ns=%.1f\n", rounds(n, ignore) / ((double)n * n_cpus));
	full = rounds(n, record) / ((double)n * n_cpus);
	getrusage(RUSAGE_SELF, &ru);
	printf("record_ns=%.1f\nrefused=%llu\nrss_mib=%ld\n", full,
	       (unsigned long long)recorder_stats(recorder).refused, ru.ru_maxrss >> 10);
	recorder_free(recorder);
	percpu_ring_free(rings);
	unlink(opt.path);
	return 0;
}
