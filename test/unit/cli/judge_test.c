// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/delta/delta.h"
#include "cli/check/judge.h"
#include "cli/check/own.h"
#include "lib/cleanup.h"

#define MS 1000000ULL

/* Makes the runs of one side of a comparison. Traced run i takes base_ms + i ms. Untraced run i
 * takes cost_ms less. */
static void make(struct baseline *b, size_t n, uint64_t base_ms, size_t n_untraced, uint64_t cost_ms)
{
	const struct baseline_machine machine = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct profile *p = calloc(1, sizeof(*p));

		assert_non_null(p);
		p->total_ns = (base_ms + i) * MS;
		assert_int_equal(baseline_add(b, p, &machine, "x"), 0);
		assert_int_equal(baseline_clock(&b->traced, p->total_ns + MS / 2), 0);
	}
	for (size_t i = 0; i < n_untraced; i++)
		assert_int_equal(baseline_clock(&b->untraced, (base_ms + i - cost_ms) * MS + MS / 3), 0);
}

static struct tracer_cost cost(size_t n, size_t n_untraced, uint64_t cost_ms)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };
	struct tracer_cost c;

	make(&b, n, 1000, n_untraced, cost_ms);
	assert_int_equal(tracer_cost_of(&b, 0.05, &c), 0);
	return c;
}

static void unknown_cost(void **state)
{
	assert_false(cost(0, 10, 0).known);
	assert_false(cost(10, 0, 0).known);
	assert_false(cost(10, 1, 0).known);
	assert_false(cost(1, 10, 0).known);
	assert_true(cost(2, 2, 0).known);
}

static void high_cost(void **state)
{
	struct tracer_cost c = cost(10, 10, 60);

	assert_true(c.high && c.share > 0.05 && c.share < 0.07);
	assert_true(c.ns > 59 * MS && c.ns < 61 * MS);
	/* less than 5 %, but significant */
	c = cost(10, 10, 15);
	assert_true(c.high && c.share < 0.05);
	/* more than 5 %, but not significant */
	assert_true(cost(10, 2, 60).high);
	/* less than 5 %, and not significant */
	assert_false(cost(10, 2, 15).high);
	assert_false(cost(10, 10, 0).high);
}

static void negative_cost(void **state)
{
	struct tracer_cost c = cost(10, 10, (uint64_t)-60);

	assert_true(c.known && c.ns < 0 && c.p < 0.01);
	assert_false(c.high || c.unclear);
}

/* The untraced runs take 1000 ms. The traced runs take 990 ms each, or 490, 590, ... 1390 ms. */
static void unclear_cost(void **state)
{
	for (uint64_t spread_ms = 0; spread_ms <= 100; spread_ms += 100) {
		_cleanup_(baseline_done) struct baseline b = { 0 };
		struct tracer_cost c;

		for (uint64_t i = 0; i < 10; i++) {
			assert_int_equal(
				baseline_clock(&b.traced, (990 + i * spread_ms - 5 * spread_ms) * MS), 0);
			assert_int_equal(baseline_clock(&b.untraced, 1000 * MS), 0);
		}
		assert_int_equal(tracer_cost_of(&b, 0.05, &c), 0);
		assert_true(c.known && c.ns < 0 && !c.high);
		assert_int_equal(c.unclear, spread_ms > 0);
	}
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Makes n runs of random parts. slow: the part that takes longer. */
static void make_random(struct baseline *b, size_t n, int slow, uint64_t *seed)
{
	static const char *const keys[] = { "env", "lock", "disk", "run", "sleep", "rare" };
	const struct baseline_machine machine = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct profile *p = calloc(1, sizeof(*p));

		assert_non_null(p);
		p->parts = calloc(ARRAY_SIZE(keys), sizeof(*p->parts));
		assert_non_null(p->parts);
		for (int k = 0; k < (int)ARRAY_SIZE(keys); k++) {
			uint64_t ns = 1 + next(seed) % (20 * MS) + (k == slow ? 5 * MS : 0);

			if (next(seed) % 4 == 0)
				continue;
			p->parts[p->n_parts++] = (struct profile_part){ .key = strdup(keys[k]),
									.detail = strdup(""),
									.text = strdup(keys[k]),
									.ns = ns,
									.count = 1,
									.wakes = next(seed) % 3,
									.queued_ns = next(seed) % MS,
									.class = k ? PART_CLASS_DISK
										   : PART_CLASS_ENVIRONMENT };
			p->total_ns += ns;
		}
		assert_int_equal(baseline_add(b, p, &machine, "x"), 0);
	}
}

/* Returns true if the parts add up to the difference that a check measures, within 2 %. The check computes
 * with doubles, and the parts with whole ns, so a difference of some ns is allowed too. */
static bool parts_add_up(const struct baseline *old, const struct baseline *new, enum delta_metric metric)
{
	const struct decide_rule rule = { .metric = metric, .max_regress = 0.05, .looks = 1 };
	struct decision d;
	struct delta *delta;
	double sum = 0, difference;

	assert_int_equal(judge(&rule, old, new, CHECK_TRACED, &d), 0);
	assert_int_equal(delta_new((const struct profile *const *)old->runs, old->n_runs,
				   (const struct profile *const *)new->runs, new->n_runs, metric, &delta),
			 0);
	for (size_t i = 0; i < delta->n_rows; i++)
		sum += (double)delta->rows[i].difference_ns;
	delta_free(delta);
	difference = d.new_ns - d.old_ns;
	return fabs(sum - difference) <= 0.02 * fabs(difference) + 10;
}

static void parts_add_up_in_random_checks(void **state)
{
	uint64_t seed = 1;

	for (int round = 0; round < 300; round++) {
		_cleanup_(baseline_done) struct baseline old = { 0 }, new = { 0 }, own_old = { 0 },
							 own_new = { 0 };
		struct own_queue queue;

		make_random(&old, 1 + next(&seed) % 30, -1, &seed);
		make_random(&new, 1 + next(&seed) % 30, (int)(next(&seed) % 6), &seed);
		assert_int_equal(own_sides(&old, &new, round % 2, 1, &own_old, &own_new, &queue), 0);
		for (enum delta_metric m = 0; m < DELTA_METRICS; m++) {
			assert_true(parts_add_up(&old, &new, m));
			assert_true(parts_add_up(&own_old, &own_new, m));
		}
	}
}

static void judged_by_kind(void **state)
{
	_cleanup_(baseline_done) struct baseline old = { 0 };
	_cleanup_(baseline_done) struct baseline new = { 0 };
	const struct decide_rule rule = { .metric = DELTA_P50, .max_regress = 0.05, .looks = 1 };
	struct decision d;
	double ns;

	make(&old, 10, 1000, 6, 0);
	make(&new, 10, 1000, 6, 0);
	for (size_t i = 0; i < new.untraced.n; i++)
		new.untraced.v[i] += 200 * MS;
	assert_int_equal(judge(&rule, &old, &new, CHECK_TRACED, &d), 0);
	assert_int_equal(d.kind, DECIDE_OK);
	assert_int_equal(judge(&rule, &old, &new, CHECK_UNTRACED, &d), 0);
	assert_int_equal(d.kind, DECIDE_REGRESSION);
	assert_int_equal(judge_metric(DELTA_MAX, &new, CHECK_TRACED, &ns), 0);
	assert_true(ns > 1008.9 * MS && ns < 1009.1 * MS);
	assert_int_equal(check_count(&new, CHECK_TRACED), 10);
	assert_int_equal(check_count(&new, CHECK_UNTRACED), 6);
}

static void no_runs(void **state)
{
	_cleanup_(baseline_done) struct baseline old = { 0 };
	_cleanup_(baseline_done) struct baseline new = { 0 };
	const struct decide_rule rule = { .looks = 1 };
	struct decision d;
	double ns;

	make(&new, 3, 1000, 0, 0);
	assert_int_equal(judge(&rule, &old, &new, CHECK_TRACED, &d), -EINVAL);
	assert_int_equal(judge(&rule, &new, &new, CHECK_UNTRACED, &d), -EINVAL);
	assert_int_equal(judge_metric(DELTA_P50, &old, CHECK_TRACED, &ns), -EINVAL);
}

static void too_many_times(void **state)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };

	for (size_t i = 0; i < BASELINE_RUNS_MAX; i++)
		assert_int_equal(baseline_clock(&b.untraced, 1), 0);
	assert_int_equal(baseline_clock(&b.untraced, 1), -E2BIG);
}

static void own_time(void **state)
{
	_cleanup_(baseline_done) struct baseline b = { 0 };
	_cleanup_(baseline_done) struct baseline own = { 0 };
	_cleanup_(baseline_done) struct baseline own_none = { 0 };
	const struct baseline none = { 0 };
	struct own_queue queue;
	static const char text[] =
		"{\"schema\":\"ctrace.baseline/1\",\"command\":\"x\",\"machine\":{\"cpus\":2},"
		"\"total_ns\":[30,25],\"parts\":["
		"{\"key\":\"a\",\"detail\":\"\",\"text\":\"A\",\"kind\":\"disk\",\"ns\":[10,25],"
		"\"count\":[1,2]},{\"key\":\"b\",\"detail\":\"\",\"text\":\"B\","
		"\"kind\":\"environment\",\"ns\":[20,0],\"count\":[3,0]}]}";
	char err[BASELINE_ERR_MAX];

	assert_int_equal(baseline_parse(&b, text, strlen(text), err), 0);
	assert_int_equal(own_sides(&none, &b, false, 1, &own_none, &own, &queue), 0);
	assert_false(queue.counted);
	assert_int_equal(own_none.n_runs, 0);
	assert_int_equal(own.n_runs, 2);
	assert_int_equal(own.runs[0]->total_ns, 10);
	assert_int_equal(own.runs[0]->n_parts, 1);
	assert_int_equal(own.runs[1]->total_ns, 25);
	assert_string_equal(own.command, "x");
	assert_int_equal(b.runs[0]->total_ns, 30);
}

/* A run computes for `ns`, and waits for the disk `wakes` times. Each time the disk is ready, the run still
 * waits for a CPU, for `queue` ns. Other programs also take the CPU from it for `taken` ns. */
struct waiting {
	uint64_t ns, wakes, queue, taken;
};

/* Adds run i. The numbers differ a little from run to run. */
static void add_waiting(struct baseline *b, const struct waiting *w, uint64_t i)
{
	const struct baseline_machine machine = { 0 };
	uint64_t wakes = w->wakes + i % 3, queued_ns = wakes * w->queue * (10 + i) / 10;
	struct profile *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->parts = calloc(3, sizeof(*p->parts));
	assert_non_null(p->parts);
	p->n_parts = 3;
	p->parts[0] = (struct profile_part){
		.ns = wakes * 1000, .wakes = wakes, .queued_ns = queued_ns, .class = PART_CLASS_DISK
	};
	p->parts[1] =
		(struct profile_part){ .ns = queued_ns + w->taken + i * MS, .class = PART_CLASS_ENVIRONMENT };
	p->parts[2] = (struct profile_part){ .ns = w->ns + i * 1000, .class = PART_CLASS_RUNNING };
	for (size_t k = 0; k < p->n_parts; k++) {
		p->parts[k].key = strdup((const char *[]){ "disk", "environment", "run" }[k]);
		p->parts[k].detail = strdup("");
		p->parts[k].text = strdup("");
		p->total_ns += p->parts[k].ns;
	}
	assert_int_equal(baseline_add(b, p, &machine, "x"), 0);
}

/* Judges 10 runs of each side. The runs of a side differ a little (add_waiting()). A new command that takes
 * at most 5 % longer is no regression. */
static enum decision_kind judge_waiting(const struct waiting *old, const struct waiting *new, bool in_turn,
					struct own_queue *ret)
{
	_cleanup_(baseline_done) struct baseline old_side = { 0 };
	_cleanup_(baseline_done) struct baseline new_side = { 0 };
	_cleanup_(baseline_done) struct baseline own_old = { 0 };
	_cleanup_(baseline_done) struct baseline own_new = { 0 };
	const struct decide_rule rule = { .metric = DELTA_P50, .max_regress = 0.05, .looks = 1 };
	struct decision d;

	for (size_t i = 0; i < 10; i++) {
		add_waiting(&old_side, old, i);
		add_waiting(&new_side, new, i);
	}
	assert_int_equal(own_sides(&old_side, &new_side, in_turn, 1, &own_old, &own_new, ret), 0);
	assert_int_equal(judge(&rule, &own_old, &own_new, CHECK_TRACED, &d), 0);
	return d.kind;
}

/* The old command waits some 50 times for the disk, the new one some 150 times. After each of these waits,
 * both commands wait 0.1 to 0.2 ms for a CPU. */
static void more_waits(void **state)
{
	const struct waiting old = { 80 * MS, 50, MS / 10, 0 }, new = { 80 * MS, 150, MS / 10, 0 };
	struct own_queue q;

	assert_int_equal(judge_waiting(&old, &new, true, &q), DECIDE_REGRESSION);
	assert_true(q.counted);
	assert_true(q.new_ns > 2.9 * q.old_ns && q.new_ns < 3.1 * q.old_ns);
	/* the old and the new runs were not made in turn */
	assert_int_equal(judge_waiting(&old, &new, false, &q), DECIDE_OK);
	assert_false(q.counted);
	/* fewer waits are no improvement */
	assert_int_equal(judge_waiting(&new, &old, true, &q), DECIDE_OK);
	assert_false(q.counted);
}

/* Other programs take far more time from the new command than from the old one. */
static void noisy_neighbour(void **state)
{
	const struct waiting old = { 80 * MS, 50, MS / 10, 0 }, longer = { 80 * MS, 50, 10 * MS, 0 },
			     preempted = { 80 * MS, 50, MS / 10, 500 * MS };
	struct own_queue q;

	assert_int_equal(judge_waiting(&old, &longer, true, &q), DECIDE_OK);
	assert_false(q.counted);
	assert_int_equal(judge_waiting(&old, &preempted, true, &q), DECIDE_OK);
	assert_false(q.counted);
	assert_int_equal(judge_waiting(&longer, &old, true, &q), DECIDE_OK);
}

/* One more wait does not count, because the numbers of waits vary by as much. */
static void waits_that_vary(void **state)
{
	const struct waiting old = { 80 * MS, 50, 10 * MS, 0 }, new = { 80 * MS, 51, 10 * MS, 0 };
	struct own_queue q;

	assert_int_equal(judge_waiting(&old, &new, true, &q), DECIDE_OK);
	assert_false(q.counted);
	assert_true(q.new_ns > q.old_ns + 5 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_cost),
		cmocka_unit_test(high_cost),
		cmocka_unit_test(negative_cost),
		cmocka_unit_test(unclear_cost),
		cmocka_unit_test(judged_by_kind),
		cmocka_unit_test(no_runs),
		cmocka_unit_test(too_many_times),
		cmocka_unit_test(own_time),
		cmocka_unit_test(more_waits),
		cmocka_unit_test(noisy_neighbour),
		cmocka_unit_test(waits_that_vary),
		cmocka_unit_test(parts_add_up_in_random_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
