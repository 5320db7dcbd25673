// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "daemon/jobs/jobs_auto.h"
#include "daemon/jobs/jobs_tell.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define ROUND_NS (250 * NSEC_PER_MSEC)
#define LIMIT_NS 1000000.0 /* per round: 2 CPUs, 2000 ppm */

struct auto_case {
	struct jobs_auto_bucket bucket;
	struct jobs_auto v[2];
	uint64_t now_ns;
};

static struct auto_case fresh(void)
{
	return (struct auto_case){ .bucket = { .limit_ppm = 2000, .cpus = 2, .last_ns = NSEC_PER_SEC },
				   .now_ns = NSEC_PER_SEC };
}

/* One round in which the frameworks cost this many times what the limit allows. */
static size_t spend(struct auto_case *c, double first, double second)
{
	struct jobs_auto_spent spent[2] = { { 100, (uint64_t)(first * LIMIT_NS) },
					    { 200, (uint64_t)(second * LIMIT_NS) } };

	c->now_ns += ROUND_NS;
	return jobs_auto_round(&c->bucket, c->v, spent, 2, c->now_ns);
}

/* Spends the same for up to n rounds. Returns how many rounds passed before the probes went away. */
static unsigned rounds_until_off(struct auto_case *c, double times, unsigned n)
{
	unsigned i = 1;

	while (i < n && spend(c, times, 0) == SIZE_MAX)
		i++;
	return i;
}

/* Just below the limit the probes stay; above, they go away. */
static void limit(void **state)
{
	struct auto_case c = fresh();

	assert_int_equal(rounds_until_off(&c, 0.99, 10000), 10000);
	assert_false(c.v[0].off);
	c = fresh();
	assert_in_range(rounds_until_off(&c, 1.1, 10000), 75, 85);
	assert_true(c.v[0].off);
	assert_false(c.v[1].off);
	assert_true(c.v[0].hits_per_s > 399 && c.v[0].hits_per_s < 401);
	assert_true(c.v[0].cost_ppm > 2199 && c.v[0].cost_ppm < 2201);
}

/* At once, the probes may cost what the limit allows in JOBS_AUTO_BURST_NS. */
static void burst(void **state)
{
	const double all = JOBS_AUTO_BURST_NS / ROUND_NS;
	struct auto_case c = fresh();

	assert_true(spend(&c, all + 0.9, 0) == SIZE_MAX);
	c = fresh();
	assert_int_equal(spend(&c, all + 1.1, 0), 0);
	c = fresh();
	for (unsigned i = 0; i < 100; i++) {
		assert_true(spend(&c, all, 0) == SIZE_MAX);
		for (unsigned k = 0; k < all; k++)
			assert_true(spend(&c, 0, 0) == SIZE_MAX);
	}
}

/* The most expensive framework goes first. The other one stays if its cost is within the limit. */
static void most_expensive(void **state)
{
	struct auto_case c = fresh();

	assert_int_equal(spend(&c, 0.5, 50), 1);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(spend(&c, 0.9, 0) == SIZE_MAX);
	c = fresh();
	assert_int_equal(spend(&c, 40, 50), 1);
	assert_int_equal(spend(&c, 40, 0), 0);
	assert_true(spend(&c, 40, 50) == SIZE_MAX);
}

/* Two frameworks that cost 0.6 of the limit each are too much together. */
static void together(void **state)
{
	struct auto_case c = fresh();
	size_t off = SIZE_MAX;

	for (unsigned i = 0; i < 1000 && off == SIZE_MAX; i++)
		off = spend(&c, 0.6, 0.61);
	assert_int_equal(off, 1);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(spend(&c, 0.6, 0) == SIZE_MAX);
}

static uint64_t pause_after_flood(struct auto_case *c)
{
	uint64_t pause_ns;

	assert_int_equal(spend(c, 100, 0), 0);
	pause_ns = c->v[0].again_ns - c->now_ns;
	c->now_ns = c->v[0].again_ns - 1;
	assert_true(jobs_auto_back(&c->bucket, c->v, 2, c->now_ns) == SIZE_MAX);
	c->now_ns++;
	assert_int_equal(jobs_auto_back(&c->bucket, c->v, 2, c->now_ns), 0);
	assert_false(c->v[0].off);
	c->bucket.last_ns = c->now_ns;
	return pause_ns;
}

/* A flood that lasts makes the pauses longer. Each calm time halves them. */
static void pauses(void **state)
{
	struct auto_case c = fresh();
	uint64_t want_ns = JOBS_AUTO_PAUSE_NS;

	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(pause_after_flood(&c), want_ns);
		want_ns = MIN(2 * want_ns, JOBS_AUTO_PAUSE_MAX_NS);
	}
	assert_int_equal(c.v[0].times, 10);
	/* just shorter than the last pause */
	c.now_ns += JOBS_AUTO_PAUSE_MAX_NS - 2 * ROUND_NS;
	c.bucket.last_ns = c.now_ns;
	assert_int_equal(pause_after_flood(&c), JOBS_AUTO_PAUSE_MAX_NS);
	c.now_ns += JOBS_AUTO_PAUSE_MAX_NS;
	c.bucket.last_ns = c.now_ns;
	assert_int_equal(pause_after_flood(&c), JOBS_AUTO_PAUSE_MAX_NS / 2);
	/* two calm times, of which the second one is shorter */
	c.now_ns += JOBS_AUTO_PAUSE_MAX_NS / 2 + JOBS_AUTO_PAUSE_MAX_NS / 4;
	c.bucket.last_ns = c.now_ns;
	assert_int_equal(pause_after_flood(&c), JOBS_AUTO_PAUSE_MAX_NS / 8);
	c.now_ns += 10 * JOBS_AUTO_PAUSE_MAX_NS;
	c.bucket.last_ns = c.now_ns;
	assert_int_equal(pause_after_flood(&c), JOBS_AUTO_PAUSE_NS);
	c.now_ns += JOBS_AUTO_CALM_NS - 2 * ROUND_NS;
	c.bucket.last_ns = c.now_ns;
	assert_int_equal(pause_after_flood(&c), 2 * JOBS_AUTO_PAUSE_NS);
}

/* Stacks are left out before a framework loses its probes, and are back when the cost has fallen. */
static void stacks(void **state)
{
	const double all = JOBS_AUTO_BURST_NS / ROUND_NS;
	struct auto_case c = fresh();

	assert_true(spend(&c, all / 2 + 0.9, 0) == SIZE_MAX);
	assert_true(jobs_auto_stacks(&c.bucket));
	assert_true(spend(&c, 1.3, 0) == SIZE_MAX);
	assert_false(jobs_auto_stacks(&c.bucket));
	assert_true(spend(&c, 0, 0) == SIZE_MAX);
	assert_true(jobs_auto_stacks(&c.bucket));
	c.bucket.limit_ppm = 0;
	assert_true(jobs_auto_stacks(&c.bucket));
}

/* Without a budget nothing is detached, and what was detached comes back. A budget that is set later does
 * not count what was spent without one. */
static void no_limit(void **state)
{
	struct auto_case c = fresh();

	assert_int_equal(spend(&c, 100, 0), 0);
	c.bucket.limit_ppm = 0;
	assert_int_equal(jobs_auto_back(&c.bucket, c.v, 2, c.now_ns), 0);
	assert_true(jobs_auto_back(&c.bucket, c.v, 2, c.now_ns) == SIZE_MAX);
	for (unsigned i = 0; i < 100; i++)
		assert_true(spend(&c, 100, 100) == SIZE_MAX);
	c.bucket.limit_ppm = 2000;
	for (unsigned i = 0; i < 100; i++)
		assert_true(spend(&c, 0, 0.9) == SIZE_MAX);
}

static void no_time_passed(void **state)
{
	const struct jobs_auto_spent spent[2] = { { 1, UINT32_MAX }, { 1, UINT32_MAX } };
	struct auto_case c = fresh();

	assert_true(jobs_auto_round(&c.bucket, c.v, spent, 2, c.bucket.last_ns) == SIZE_MAX);
	assert_true(jobs_auto_round(&c.bucket, c.v, spent, 0, c.now_ns + ROUND_NS) == SIZE_MAX);
}

/* The stream has the name and the record, with the number that the records of jobs have. */
static void told(void **state)
{
	struct jobs_spec spec = { .name = "glib" }, other = { .name = "libuv" };
	const struct ct_object_blob *name;
	const struct ct_rec *r;
	const uint64_t *x;
	void *data;
	size_t size;

	assert_int_equal(jobs_tell(&spec, CT_JOB_OFF, CT_JF_AGAIN, 70, 50, &data, &size), 0);
	name = data;
	assert_int_equal(name->h.kind, CT_OBJECT);
	assert_memory_equal(name + 1, "glib", name->name_len);
	r = (const void *)((const char *)data + name->h.size);
	x = (const void *)(r + 1);
	assert_ptr_equal((const char *)data + size, x + 2);
	assert_int_equal(r->kind, CT_JOB);
	assert_int_equal(r->state, CT_JOB_OFF);
	assert_int_equal(r->flags, CT_JF_AGAIN);
	assert_int_equal(r->ts, 70);
	assert_int_equal(r->obj, name->id);
	assert_int_equal(r->aux, jobs_spec_number(&spec));
	assert_int_equal(x[0], 50);
	assert_int_not_equal(r->aux, 0);
	assert_int_not_equal(r->aux, jobs_spec_number(&other));
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit),          cmocka_unit_test(burst),
		cmocka_unit_test(most_expensive), cmocka_unit_test(together),
		cmocka_unit_test(pauses),         cmocka_unit_test(stacks),
		cmocka_unit_test(no_limit),       cmocka_unit_test(no_time_passed),
		cmocka_unit_test(told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
