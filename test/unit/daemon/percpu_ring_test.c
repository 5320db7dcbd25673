/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf/emit.h writes the ring of a CPU, and the daemon's code reads it slowly. Two threads and their
 * signal handlers write at once. Each record must arrive once, whole and in its writer's order, or
 * be counted as lost. A run of receives becomes fewer records with the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "daemon/kernel/percpu_ring.h"

/* replacements for the headers and the kernel functions that bpf/emit.h uses */
#define CTRACE_BPF_MAPS_H
#define CTRACE_BPF_CONFIG_H
#define CTRACE_BPF_GOVERN_H
#if defined(__x86_64__)
#define __TARGET_ARCH_x86
#endif
#define __noinline __attribute__((noinline))
#define __weak     static /* functions of bpf/emit.h are global only for the verifier */
#define barrier()  __asm__ volatile("" ::: "memory")

#define RING_BYTES 16384
#define SIDE_BYTES 65536

static struct percpu_ring *rings;
static atomic_uint n_pokes;
static char ct_cpus, ct_side;
static const uint64_t ct_ring_bytes = RING_BYTES;
static const struct {
	bool paused;
} ct_govern;

static uint32_t bpf_get_smp_processor_id(void)
{
	return 1;
}

static void *bpf_map_lookup_elem(void *map, const uint32_t *key)
{
	return map == &ct_cpus ? percpu_ring_cpu(rings, *key) : NULL;
}

static long bpf_ringbuf_output(void *ring, void *data, uint64_t size, uint64_t flags)
{
	if (flags == BPF_RB_FORCE_WAKEUP && size == sizeof(struct cpu_side))
		n_pokes++;
	return 0;
}

static uint64_t bpf_ringbuf_query(void *ring, uint64_t flags)
{
	return 0;
}

static void govern_ran_light(struct cpu *c)
{
	c->cost[GOVERN_LIGHT].runs++;
}

#include "bpf/emit.h"

#define THREADS  2
#define LEVELS   3 /* a thread, and two signals that may interrupt it */
#define WRITERS  (THREADS * LEVELS)
#define RECORDS  120000
#define RECEIVER WRITERS

static uint64_t written[WRITERS], refused[WRITERS];
static uint64_t next[WRITERS];
/* records of receives, and their bytes */
static struct receives {
	uint64_t n, bytes;
} received, grown, refused_receives, taken;
static uint64_t received_ns;
static atomic_uint_fast64_t n_read;
static __thread unsigned me;
static pthread_t threads[THREADS];
static atomic_uint n_done;
static atomic_bool over;

static uint64_t hash(uint64_t writer, uint64_t seq)
{
	return (seq << 8 | writer) * 0x9e3779b97f4a7c15ULL;
}

static void write_fixed(struct cpu *c, unsigned w, uint64_t seq)
{
	struct ct_rec *r = emit_rec(c, CT_SWITCH, seq + 1);

	refused[w] += !r;
	if (!r)
		return;
	r->tid = w;
	r->obj = hash(w, seq);
	emit_submit(r, seq + 1);
}

static void write_words(struct cpu *c, unsigned w, uint64_t seq)
{
	struct emit_rec2 *r = emit_rec2(c, CT_FUTEX, seq + 1);

	refused[w] += !r;
	if (!r)
		return;
	r->r.tid = w;
	r->r.obj = hash(w, seq);
	r->x[0] = seq;
	r->x[1] = ~seq;
	emit_submit(r, seq + 1);
}

static void write_blob(struct cpu *c, unsigned w, uint64_t seq)
{
	struct ct_object_blob *b = emit_reserve(c, sizeof(*b) + CPU_OBJECT_NAME, seq + 1);

	refused[w] += !b;
	if (!b)
		return;
	b->h.kind = CT_OBJECT;
	b->h.tid = w;
	b->h.size = sizeof(*b) + 8;
	b->id = hash(w, seq);
	memset(b + 1, 0xaa, CPU_OBJECT_NAME);
	emit_submit(b, seq + 1);
}

static void add(struct receives *to, uint64_t bytes)
{
	to->n++;
	to->bytes += bytes;
}

/* Only one writer receives. The other thread and the signals are its interrupts. */
static void write_receive(struct cpu *c, uint32_t bytes, uint64_t now)
{
	struct ct_rec *r = emit_growing(c, now);
	uint64_t from;

	if (r && r->tid == RECEIVER && emit_grow(c, r, bytes, now)) {
		add(&grown, bytes);
		return;
	}
	from = c->head;
	r = emit_rec(c, CT_RECV, now);
	add(r ? &received : &refused_receives, bytes);
	if (!r)
		return;
	r->tid = RECEIVER;
	r->peer = bytes;
	emit_submit(r, now);
	emit_may_grow(c, from, now);
}

static void write_some(unsigned level)
{
	unsigned w = me * LEVELS + level;
	struct cpu *c = emit_cpu();

	for (unsigned n = 1 + (written[w] & 3); n; n--) {
		uint64_t seq = written[w]++;

		if (seq % 7 == 3)
			write_blob(c, w, seq);
		else if (seq % 3)
			write_fixed(c, w, seq);
		else
			write_words(c, w, seq);
	}
}

static void on_signal(int sig)
{
	write_some(sig == SIGUSR1 ? 1 : 2);
}

static void *writer(void *arg)
{
	sigset_t set;

	me = (unsigned)(uintptr_t)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	for (unsigned i = 0; n_read < RECORDS; i++) {
		struct cpu *c = emit_cpu();

		while (i % 4096 < 3072 && c->head - *(volatile uint64_t *)&c->tail > RING_BYTES / 4)
			sched_yield();
		write_some(0);
		for (unsigned n = me == 0 ? i % 16 : 0; n; n--)
			write_receive(c, n * 1000 + i % 1000, 1 + i * (CPU_RECV_NS / 64));
	}
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	n_done++;
	return NULL;
}

static void *pester(void *arg)
{
	for (unsigned i = 0; !over; i++) {
		pthread_kill(threads[i % THREADS], i % 3 ? SIGUSR1 : SIGUSR2);
		if (i % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static void take(uint32_t w, uint64_t ts, uint64_t id)
{
	assert_true(w < WRITERS);
	assert_true(ts > next[w]);
	assert_int_equal(id, hash(w, ts - 1));
	next[w] = ts;
	n_read++;
}

static void on_record(void *arg, uint16_t cpu, const void *data, size_t size)
{
	const struct ct_object_blob *b = data;
	const uint8_t *p = data, *end = p + size;

	assert_int_equal(cpu, 1);
	if (b->h.kind == CT_OBJECT) {
		assert_int_equal(size, sizeof(*b) + 8);
		assert_int_equal(*(const uint64_t *)(b + 1), 0xaaaaaaaaaaaaaaaaULL);
		take(b->h.tid, b->h.ts, b->id);
		return;
	}
	while (p < end) {
		const struct ct_rec *r = (const void *)p;
		const uint64_t *x = (const void *)(r + 1);

		if (r->kind == CT_RECV) {
			assert_int_equal(r->tid, RECEIVER);
			assert_true(r->peer > 0 && r->peer < CPU_RECV_BUSY);
			assert_true(r->ts > 0 && r->ts >= received_ns);
			received_ns = r->ts;
			add(&taken, r->peer);
			p += sizeof(*r);
			continue;
		}
		assert_true(r->kind == CT_SWITCH || r->kind == CT_FUTEX);
		if (r->kind == CT_FUTEX) {
			assert_int_equal(x[0], r->ts - 1);
			assert_int_equal(x[1], ~(r->ts - 1));
		}
		take(r->tid, r->ts, r->obj);
		p += sizeof(*r) + CT_KIND_WORDS(r->kind) * 8;
	}
	assert_ptr_equal(p, end);
}

static int memory(size_t bytes)
{
	int fd = memfd_create("rings", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	return fd;
}

static void map_rings(void)
{
	int cpus = memory(2 * CPU_ENTRY_BYTES(RING_BYTES)), side = memory(2 * 4096 + 2 * SIDE_BYTES);

	assert_int_equal(percpu_ring_new(cpus, 2, RING_BYTES, side, SIDE_BYTES, &rings), 0);
	assert_int_equal(percpu_ring_cpu(rings, 1)->id, 1);
	close(cpus);
	close(side);
}

static void read_all(void)
{
	const struct timespec lag = { .tv_nsec = 50000 };

	for (unsigned i = 0; n_done < THREADS; i++) {
		percpu_ring_consume(rings, on_record, NULL);
		if (i % 16 == 0)
			nanosleep(&lag, NULL);
	}
	percpu_ring_consume(rings, on_record, NULL);
}

static void nothing_is_lost_unsaid(void **state)
{
	struct sigaction act = { .sa_handler = on_signal };
	uint64_t all = 0, lost = 0;
	pthread_t pesterer;
	sigset_t set;

	map_rings();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, writer, (void *)i), 0);
	assert_int_equal(pthread_create(&pesterer, NULL, pester, NULL), 0);
	read_all();
	over = true;
	pthread_join(pesterer, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);

	for (unsigned w = 0; w < WRITERS; w++) {
		assert_true(written[w] > 0);
		all += written[w];
		lost += refused[w];
	}
	assert_int_equal(percpu_ring_cpu(rings, 1)->stats.lost[CT_LOSS_RING_FULL], lost + refused_receives.n);
	assert_true(received.n > 0 && grown.n > 0);
	assert_int_equal(taken.n, received.n);
	assert_int_equal(taken.bytes, received.bytes + grown.bytes);
	assert_int_equal(n_read + lost, all);
	assert_true(lost > 0);
	assert_true(percpu_ring_high_water(rings) > RING_BYTES / 2 &&
		    percpu_ring_high_water(rings) <= RING_BYTES);
	assert_true(n_pokes > 0);
	assert_int_equal(percpu_ring_cpu(rings, 1)->head, percpu_ring_cpu(rings, 1)->tail);
	for (size_t i = 0; i < RING_BYTES + CPU_RING_SLACK; i++)
		assert_int_equal(((const uint8_t *)percpu_ring_cpu(rings, 1))[CPU_RING_AT + i], 0);
	percpu_ring_free(rings);
}

/* Begins a run of receives of 100 bytes, at the time 1000. Returns its record. */
static struct ct_rec *begin_run(struct cpu *c)
{
	uint64_t from = c->head;
	struct ct_rec *r = emit_rec(c, CT_RECV, 1000);

	assert_non_null(r);
	r->tid = RECEIVER;
	r->peer = 100;
	emit_submit(r, 1000);
	emit_may_grow(c, from, 1000);
	return r;
}

static bool grow(struct cpu *c, uint32_t bytes, uint64_t now)
{
	struct ct_rec *r = emit_growing(c, now);

	return r && emit_grow(c, r, bytes, now);
}

static void interrupt(struct cpu *c)
{
	struct ct_rec *r = emit_rec(c, CT_SWITCH, 2000);

	assert_non_null(r);
	emit_submit(r, 2000);
}

static struct ct_rec got; /* the last CT_RECV */
static bool grows_when_taken;

/* The record is still in the ring when this function gets it. */
static void on_run(void *arg, uint16_t cpu, const void *data, size_t size)
{
	const struct ct_rec *r = data;

	for (; size; size -= sizeof(*r), r++)
		if (r->kind == CT_RECV)
			got = *r;
	grows_when_taken = grow(percpu_ring_cpu(rings, cpu), 1, 1001);
}

static void expect_run(uint32_t bytes, uint64_t ts)
{
	memset(&got, 0, sizeof(got));
	percpu_ring_consume(rings, on_run, NULL);
	assert_int_equal(got.peer, bytes);
	assert_int_equal(got.ts, ts);
	assert_false(grows_when_taken);
	assert_false(grow(percpu_ring_cpu(rings, 1), 1, 1001));
}

static void a_run_grows(void **state)
{
	struct cpu *c;

	map_rings();
	c = percpu_ring_cpu(rings, 1);
	begin_run(c);
	assert_true(grow(c, 50, 1000 + CPU_RECV_NS));
	assert_true(grow(c, 7, 1000 + CPU_RECV_NS));
	assert_false(grow(c, 7, 1001 + CPU_RECV_NS));
	assert_false(grow(c, CPU_RECV_BUSY - 157, 1002));
	expect_run(157, 1000 + CPU_RECV_NS);
	percpu_ring_free(rings);
}

static void other_records_end_a_run(void **state)
{
	struct cpu_side side;
	struct ct_rec *r;
	struct cpu *c;
	uint64_t from;

	map_rings();
	c = percpu_ring_cpu(rings, 1);
	begin_run(c);
	interrupt(c);
	assert_false(grow(c, 1, 1001));
	expect_run(100, 1000);

	begin_run(c);
	emit_side(c, &side, sizeof(side), 1001);
	assert_false(grow(c, 1, 1001));
	expect_run(100, 1000);

	begin_run(c);
	r = emit_growing(c, 1001);
	interrupt(c);
	assert_false(emit_grow(c, r, 1, 1001));
	expect_run(100, 1000);

	from = c->head;
	interrupt(c);
	begin_run(c);
	emit_may_grow(c, from, 1000);
	assert_false(grow(c, 1, 1001));
	expect_run(100, 1000);
	percpu_ring_free(rings);
}

/* The daemon waits for a program that adds bytes, also if an interrupt adds a record meanwhile. */
static void a_busy_run_is_not_taken(void **state)
{
	struct ct_rec *r;
	struct cpu *c;

	map_rings();
	c = percpu_ring_cpu(rings, 1);
	for (unsigned interrupted = 0; interrupted < 2; interrupted++) {
		r = begin_run(c);
		r->peer |= CPU_RECV_BUSY;
		if (interrupted)
			interrupt(c);
		assert_int_equal(percpu_ring_consume(rings, on_run, NULL), 0);
		r->ts = 1001;
		emit_set_bytes(r, 120);
		expect_run(120, 1001);
	}
	percpu_ring_free(rings);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_is_lost_unsaid),
					    cmocka_unit_test(a_run_grows),
					    cmocka_unit_test(other_records_end_a_run),
					    cmocka_unit_test(a_busy_run_is_not_taken) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
