/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/governor/governor.h"
#include "daemon/governor/governor_caps.h"
#include "daemon/governor/governor_groups.h"
#include "daemon/governor/governor_most.h"
#include "daemon/thresholds.h"
#include "lib/clock.h"

#define MS   1000000ULL
#define CPUS 2

struct machine {
	struct governor g;
	uint64_t now_ns;
	double total; /* ns of CPU time for tracing since the test set this to 0 */
	/* the cost of tracing in each step, in millionths of the time of all CPUs */
	double ppm[CT_SHED_STEPS];
	double other_ppm;
	uint64_t resume_ns;
	unsigned n_up, n_down, n_pauses;
	/* group_ppm: the cost of the largest group. passed_ppm: the cost of this group while it is
	 * capped. */
	double group_ppm, passed_ppm, share;
	bool capped;
	uint64_t capped_ns;
	uint64_t uncap_ns; /* cost of the end of a cap */
	uint64_t step_ns;  /* cost of a change of the step */
	struct governor_spent by;
};

static void machine_init(struct machine *m, uint32_t budget_ppm)
{
	*m = (struct machine){ .now_ns = 1000 * NSEC_PER_SEC, .resume_ns = MS, .share = 0.9 };
	governor_init(&m->g, budget_ppm, m->now_ns, &m->by, CPUS);
	m->g.coarse = true;
}

static void machine_load(struct machine *m, double ppm, enum ct_shed step, double after_ppm)
{
	for (unsigned i = 0; i < CT_SHED_STEPS; i++)
		m->ppm[i] = i < (unsigned)step ? ppm : after_ppm;
}

static void machine_tick(struct machine *m, uint64_t dt)
{
	enum ct_shed before = m->g.step;
	double passed_ppm = m->capped && !m->g.paused ? m->passed_ppm : 0;
	double ppm = m->g.paused ? 0 : m->ppm[m->g.step] + (m->capped ? 0 : m->group_ppm) + passed_ppm;
	uint64_t cost = (uint64_t)(ppm * 1e-6 * CPUS * (double)dt);
	uint64_t passed = (uint64_t)(passed_ppm * 1e-6 * CPUS * (double)dt);
	uint64_t other = m->g.blind ? 0 : (uint64_t)(m->other_ppm * 1e-6 * CPUS * (double)dt);

	m->now_ns += dt;
	m->by.capture_ns += cost;
	m->by.programs_ns += (cost - passed) / 2 + passed;
	m->by.passed_ns += passed;
	m->capped_ns += m->capped ? dt : 0;
	m->g.share = m->group_ppm > 0 && !m->capped ? m->share : 0;
	m->by.other_ns += other;
	m->total += (double)(cost + other);
	switch (governor_tick(&m->g, m->now_ns, &m->by, CPUS)) {
	case GOVERNOR_STEP:
		m->n_up += m->g.step > before;
		m->n_down += m->g.step < before;
		m->by.capture_ns += m->step_ns;
		governor_stepped(&m->g, m->now_ns, &m->by);
		break;
	case GOVERNOR_PAUSE:
		m->n_pauses++;
		break;
	case GOVERNOR_RESUME:
		m->by.capture_ns += m->resume_ns;
		m->total += (double)m->resume_ns;
		governor_resumed(&m->g, m->now_ns, &m->by);
		break;
	case GOVERNOR_CAP:
		m->capped = true;
		break;
	case GOVERNOR_UNCAP:
		m->capped = false;
		m->by.capture_ns += m->uncap_ns;
		m->total += (double)m->uncap_ns;
		governor_uncapped(&m->g, m->now_ns, m->uncap_ns);
		break;
	case GOVERNOR_STAY:
		break;
	}
}

static void machine_run(struct machine *m, double seconds)
{
	for (uint64_t end = m->now_ns + (uint64_t)(seconds * 1e9); m->now_ns < end;)
		machine_tick(m, 50 * MS);
}

/* Returns the cost of tracing in percent of the machine. */
static double machine_cost(struct machine *m, double seconds)
{
	m->total = 0;
	machine_run(m, seconds);
	return m->total / (seconds * 1e9 * CPUS) * 100;
}

static void within_the_budget_nothing_is_shed(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 9000, CT_SHED_STEPS, 0);
	machine_run(&m, 600);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	assert_int_equal(m.n_up, 0);
}

static void a_burst_is_paid_for(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 1000, CT_SHED_STEPS, 0);
	machine_run(&m, 60);
	m.by.capture_ns += 15 * MS; /* three quarters of the budget of a second */
	machine_run(&m, 10);
	assert_int_equal(m.n_up, 0);
}

static void takes_no_more_steps_than_it_needs(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 15000, CT_SHED_HOOKS, 8000);
	machine_run(&m, 60);
	assert_int_equal(m.g.step, CT_SHED_HOOKS);
	assert_int_equal(m.n_up, 1);
	machine_load(&m, 90000, CT_SHED_COARSE, 8000);
	machine_run(&m, 60);
	assert_int_equal(m.g.step, CT_SHED_COARSE);
	assert_int_equal(m.n_up, 2);
	assert_int_equal(m.n_pauses, 0);
}

/* A change of the step costs twice the budget of a second. */
static void the_cost_of_a_step_leads_to_no_other(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	m.step_ns = 40 * MS;
	machine_load(&m, 30000, CT_SHED_COARSE, 5000);
	machine_run(&m, 20);
	assert_int_equal(m.g.step, CT_SHED_COARSE);
	assert_int_equal(m.n_pauses, 0);
}

static void does_not_go_back_to_what_costs_too_much(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 30000, CT_SHED_COARSE, 1000);
	/* After a step back to CT_SHED_HOOKS, the capture would cost 2.8 %. */
	m.g.back_ppm = 28000;
	machine_run(&m, 60);
	assert_int_equal(m.g.step, CT_SHED_COARSE);
	assert_int_equal(m.n_down, 0);
	m.g.back_ppm = 3000;
	machine_load(&m, 3000, CT_SHED_STEPS, 0);
	machine_run(&m, 10);
	assert_int_equal(m.g.step, CT_SHED_NONE);
}

static void pauses_without_the_coarse_step(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	m.g.coarse = false;
	machine_load(&m, 100000, CT_SHED_STEPS, 0);
	machine_run(&m, 30);
	assert_int_equal(m.g.step, CT_SHED_HOOKS);
	assert_true(m.n_pauses > 0);
	assert_true(machine_cost(&m, 60) < 1.25);
}

static void a_storm_is_held_to_the_budget(void **state)
{
	for (double ppm = 20000; ppm <= 500000; ppm *= 5) {
		struct machine m;

		machine_init(&m, 10000);
		machine_load(&m, 2000, CT_SHED_STEPS, 0);
		machine_run(&m, 30);
		machine_load(&m, ppm, CT_SHED_STEPS, 0);
		machine_run(&m, ppm > 100000 ? 0.5 : 2);
		assert_true(m.g.step >= CT_SHED_HOOKS);
		machine_run(&m, 10);
		for (int i = 0; i < 10; i++) {
			double percent = machine_cost(&m, 10);

			assert_true(percent < 1.25);
			assert_true(percent > 0.5);
		}
		assert_int_equal(m.g.step, CT_SHED_PAUSES);
	}
}

static void comes_back_step_by_step(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 200000, CT_SHED_STEPS, 0);
	machine_run(&m, 30);
	assert_int_equal(m.g.step, CT_SHED_PAUSES);
	machine_load(&m, 1000, CT_SHED_STEPS, 0);
	m.n_down = 0;
	machine_run(&m, 30);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	assert_false(m.g.paused);
	assert_int_equal(m.n_down, 3);
}

static void does_not_flap(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 30000, CT_SHED_HOOKS, 3000);
	machine_run(&m, 120);
	m.n_up = m.n_down = 0;
	machine_run(&m, 600);
	assert_true(m.n_up <= 40);
	assert_int_equal(m.n_up, m.n_down);
	assert_true(machine_cost(&m, 60) < 1.25);
}

static void inspections_are_no_reason_to_pause(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 1000, CT_SHED_STEPS, 0);
	machine_run(&m, 30);
	m.other_ppm = 100000;
	machine_run(&m, 30);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	assert_true(machine_cost(&m, 60) < 1.25);
	m.other_ppm = 0;
	machine_run(&m, 120);
	assert_false(m.g.blind);
}

/* In the step `coarse`, the capture costs 80 % of the budget, and the inspections 50 %. So the inspections
 * stop, but not for ever. */
static void inspections_stop_before_a_pause(void **state)
{
	struct machine m;
	unsigned blind = 0;

	machine_init(&m, 10000);
	machine_load(&m, 100000, CT_SHED_COARSE, 8000);
	m.other_ppm = 5000;
	machine_run(&m, 60);
	for (unsigned i = 0; i < 600; i++) {
		machine_run(&m, 0.2);
		blind += m.g.blind;
	}
	assert_int_equal(m.g.step, CT_SHED_COARSE);
	assert_in_range(blind, 400, 570);
	assert_int_equal(m.n_pauses, 0);
	assert_true(machine_cost(&m, 120) < 1.05);
	machine_load(&m, 100000, CT_SHED_COARSE, 12000);
	machine_run(&m, 30);
	assert_int_equal(m.g.step, CT_SHED_PAUSES);
	assert_true(m.n_pauses > 0);
}

/* With 100 000 tasks, a resume costs ten times the budget of a second. */
static void a_dear_resume_makes_long_pauses(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	m.resume_ns = 200 * MS;
	machine_load(&m, 100000, CT_SHED_STEPS, 0);
	machine_run(&m, 120);
	m.n_pauses = 0;
	assert_true(machine_cost(&m, 300) < 1.25);
	assert_in_range(m.n_pauses, 10, 30);
}

static void no_budget_no_governor(void **state)
{
	struct machine m;

	machine_init(&m, 0);
	machine_load(&m, 900000, CT_SHED_STEPS, 0);
	machine_run(&m, 60);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	assert_true(m.g.cost_ppm > 800000);
}

static void a_larger_budget_leads_back_while_the_storm_goes_on(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 100000, CT_SHED_STEPS, 0);
	machine_run(&m, 120);
	assert_int_equal(m.g.step, CT_SHED_PAUSES);
	m.g.patience = GOVERNOR_PATIENCE;
	governor_budget(&m.g, 500000);
	machine_run(&m, 10);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	assert_false(m.g.paused);
	machine_run(&m, 60);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	governor_budget(&m.g, 10000);
	machine_run(&m, 30);
	assert_int_equal(m.g.step, CT_SHED_PAUSES);
}

static void a_new_budget_begins_with_a_full_bucket(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 100000, CT_SHED_STEPS, 0);
	machine_run(&m, 120);
	governor_budget(&m.g, 20000);
	assert_true(m.g.bucket_ns > 0.02 * CPUS * 0.99e9);
}

static void without_a_budget_everything_comes_back_at_once(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 100000, CT_SHED_STEPS, 0);
	m.other_ppm = 30000;
	for (unsigned i = 0; i < 10000 && !m.g.paused; i++)
		machine_tick(&m, 50 * MS);
	assert_true(m.g.paused);
	m.g.blind = true;
	governor_budget(&m.g, 0);
	machine_run(&m, 1);
	assert_int_equal(m.g.step, CT_SHED_NONE);
	assert_false(m.g.paused || m.g.blind);
	machine_run(&m, 60);
	assert_int_equal(m.g.step, CT_SHED_NONE);
}

static void without_a_budget_caps_end(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 2000, CT_SHED_STEPS, 0);
	m.group_ppm = 100000;
	for (unsigned i = 0; i < 10000 && !m.capped; i++)
		machine_tick(&m, 50 * MS);
	assert_true(m.capped);
	governor_budget(&m.g, 0);
	machine_run(&m, 1);
	assert_false(m.capped);
	assert_int_equal(m.g.step, CT_SHED_NONE);
}

static void survives_a_long_silence(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 5000, CT_SHED_STEPS, 0);
	machine_run(&m, 20);
	machine_tick(&m, 3600 * NSEC_PER_SEC);
	machine_run(&m, 20);
	assert_int_equal(m.n_up, 0);
}

static void a_storm_of_one_group_costs_that_group(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_load(&m, 2000, CT_SHED_STEPS, 0);
	machine_run(&m, 15);
	m.group_ppm = 200000;
	m.passed_ppm = 40000;
	machine_run(&m, 60);
	assert_int_equal(m.n_up, 2); /* the two steps that lose no long waits come before the cap */
	assert_int_equal(m.n_pauses, 0);
	assert_true(m.capped_ns > 45 * NSEC_PER_SEC && m.capped_ns < 60 * NSEC_PER_SEC);
	/* The budget is 1 %. The group costs 4 % even while it is capped (passed_ppm). */
	assert_true(machine_cost(&m, 60) < 1.1 + 4);
	m.group_ppm = 0;
	machine_run(&m, 60);
	assert_false(m.capped);
	assert_int_equal(m.g.step, CT_SHED_NONE);
}

static void a_group_of_very_many_tasks_is_capped_for_longer(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_run(&m, 15);
	m.group_ppm = 200000;
	m.uncap_ns = 200 * MS;
	machine_run(&m, 60);
	assert_true(machine_cost(&m, 60) < 1.3);
	assert_int_equal(m.n_pauses, 0);
}

static void what_remains_of_a_group_is_held_to_the_budget(void **state)
{
	struct machine m;

	machine_init(&m, 10000);
	machine_run(&m, 15);
	m.group_ppm = 400000;
	m.passed_ppm = 300000;
	machine_run(&m, 30);
	assert_true(m.n_pauses > 0);
	assert_true(machine_cost(&m, 60) < 1.5 + 20);
}

static void a_quarter_of_a_storm_is_capped_half_of_less(void **state)
{
	struct machine m;

	for (int storm = 0; storm < 2; storm++) {
		machine_init(&m, 10000);
		machine_run(&m, 15);
		m.group_ppm = storm ? 200000 : 20000;
		m.share = 0.3;
		machine_run(&m, 20);
		assert_true(storm == (m.capped_ns > 0));
	}
}

static void assert_most(const struct groups *g, uint64_t group, double least, double most)
{
	double share;

	assert_true(groups_most(g, &share) == group);
	assert_true(share >= least && share <= most);
}

static void the_group_that_makes_most_is_found(void **state)
{
	struct groups g;

	groups_init(&g, 0);
	for (unsigned i = 0; i < GROUPS_LEAST / 2; i++)
		groups_add(&g, 1000);
	assert_most(&g, 0, 0, 0);
	for (unsigned i = 0; i < 10000; i++) {
		groups_add(&g, 1000);
		groups_add(&g, 2000 + i % 500);
	}
	assert_most(&g, 1000, 0.44, 0.57);
	for (unsigned i = 0; i < 20000; i++)
		groups_add(&g, 0);
	/* tasks in no group lower the share of each group */
	assert_most(&g, 1000, 0.22, 0.29);
	groups_init(&g, 0);
	for (unsigned i = 0; i < 1000; i++)
		groups_add(&g, GOVERN_CGROUP | 77);
	assert_most(&g, GOVERN_CGROUP | 77, 1, 1);
	for (unsigned i = 1; i < 20; i++)
		groups_age(&g, i * GROUPS_HALF_NS);
	assert_most(&g, 0, 0, 0);
}

static void who_belongs_to_which_group(void **state)
{
	assert_int_equal(govern_group(1000, 55), 1000);
	assert_int_equal(govern_group(0, 1), 0);
	assert_int_equal(govern_group(0, 0), 0);
	assert_true(govern_group(0, 55) == (GOVERN_CGROUP | 55));
}

struct capped {
	uint32_t tid[8];
	unsigned n_capped, n_uncapped;
	uint64_t since_ns;
};

static void on_cap(void *arg, uint32_t tid)
{
	struct capped *c = arg;

	c->tid[c->n_capped++ % 8] = tid;
}

static void on_uncap(void *arg, uint32_t tid, uint64_t since_ns)
{
	struct capped *c = arg;

	c->n_uncapped++;
	c->since_ns = since_ns;
}

static void note_switches(struct caps *c, uint32_t tid, uint32_t peer, unsigned n)
{
	const struct ct_rec r = { .kind = CT_SWITCH, .tid = tid, .peer = peer };

	while (n--)
		caps_note(c, &r);
}

static void a_storm_among_many_is_capped(void **state)
{
	struct capped k = { 0 };
	const struct caps_ops ops = { on_cap, on_uncap, &k };
	struct caps c;

	caps_init(&c, 50000, 0);
	for (unsigned i = 0; i < 1000; i++) {
		note_switches(&c, 4242, 0, 100);
		note_switches(&c, 5000 + i, 0, 16);
		caps_round(&c, 1 + i * MS / 2, &ops);
	}
	assert_int_equal(k.n_capped, 1);
	assert_int_equal(k.tid[0], 4242);
	assert_int_equal(k.n_uncapped, 0);
	caps_round(&c, NSEC_PER_SEC, &ops);
	assert_int_equal(k.n_uncapped, 1);
	assert_true(k.since_ns > 0 && k.since_ns < NSEC_PER_SEC);
	caps_round(&c, NSEC_PER_SEC + MS, &ops);
	assert_int_equal(k.n_capped, 1);
}

static void many_tasks_are_no_storm(void **state)
{
	struct capped k = { 0 };
	const struct caps_ops ops = { on_cap, on_uncap, &k };
	struct caps c;

	caps_init(&c, 50000, 0);
	for (unsigned i = 0; i < 1000000; i++)
		note_switches(&c, 1000 + i * 7919 % 800, 0, 1);
	caps_round(&c, MS, &ops);
	assert_int_equal(k.n_capped, 0);
}

static void caps_are_limited_and_refusals_counted(void **state)
{
	struct capped k = { 0 };
	const struct caps_ops ops = { on_cap, on_uncap, &k };
	struct caps c;

	caps_init(&c, 1000, 0);
	for (unsigned tid = 100; tid < 100 + CAPS_MAX + 3; tid++)
		note_switches(&c, tid, 0, 2000);
	caps_round(&c, MS, &ops);
	assert_int_equal(k.n_capped, CAPS_MAX);
	assert_int_equal(c.refused, 3);
	caps_end(&c, &ops);
	assert_int_equal(k.n_uncapped, CAPS_MAX);
	assert_int_equal(c.n_capped, 0);
}

static void without_a_limit_nobody_is_capped(void **state)
{
	struct capped k = { 0 };
	const struct caps_ops ops = { on_cap, on_uncap, &k };
	struct caps c;

	caps_init(&c, 0, 0);
	note_switches(&c, 7, 8, 1000000);
	caps_round(&c, MS, &ops);
	caps_round(&c, 2 * NSEC_PER_SEC, &ops);
	assert_int_equal(k.n_capped, 0);
}

static void the_task_that_makes_the_most_records_is_found(void **state)
{
	struct capped k = { 0 };
	const struct caps_ops ops = { on_cap, on_uncap, &k };
	struct caps c;
	struct most m;

	caps_init(&c, 0, 0);
	note_switches(&c, 7, 0, 60000);
	note_switches(&c, 8, 9, 20000);
	m = most_task(&c, 5);
	assert_int_equal(m.kind, MOST_TASK);
	assert_int_equal(m.id, 7);
	assert_int_equal(m.ts_ns, 5);
	assert_true(m.share > 0.59 && m.share < 0.61); /* 60000 of 60000 + 2 * 20000 */
	caps_round(&c, NSEC_PER_SEC, &ops);
	assert_int_equal(most_task(&c, 6).kind, MOST_NONE);
	note_switches(&c, 8, 0, 8000);
	assert_true(most_task(&c, 7).share > 0.99);
}

static void other_records_lower_the_share(void **state)
{
	const struct ct_rec fork = { .kind = CT_FORK, .tid = 9 };
	struct caps c;

	caps_init(&c, 0, 0);
	note_switches(&c, 7, 0, 10000);
	for (unsigned i = 0; i < 30000; i++)
		caps_note(&c, &fork);
	assert_int_equal(most_task(&c, 1).kind, MOST_NONE);
}

/* Task 64 makes half of the records. It and 50 other tasks have the same slot of the table. A record of
 * another task lowers the count of the task in the slot, so caps_most() gives a share of at
 * most one half. */
static void tasks_that_share_a_place_are_not_blamed(void **state)
{
	struct caps c;
	double share;

	caps_init(&c, 0, 0);
	for (unsigned i = 0; i < 10000; i++) {
		note_switches(&c, 64, 0, CAPS_SAMPLE);
		note_switches(&c, 64 + GOVERN_CAPS * (1 + i % 50), 0, CAPS_SAMPLE);
	}
	caps_most(&c, &share);
	assert_true(share <= 0.5);
	assert_int_equal(most_task(&c, 1).kind, MOST_NONE);
}

static void assert_group(uint64_t group, enum most_kind kind, uint64_t id, const char *text)
{
	char buf[MOST_TEXT_MAX];
	struct groups g;
	struct most m;

	groups_init(&g, 0);
	for (unsigned i = 0; i < 1000; i++)
		groups_add(&g, group);
	m = most_group(&g, 1);
	assert_int_equal(m.kind, kind);
	assert_int_equal(m.id, id);
	assert_string_equal(most_text(&m, buf), text);
}

static void groups_that_make_the_most_records_are_found(void **state)
{
	struct groups g;
	double share;

	assert_group(1000, MOST_USER, 1000, " The tasks of user 1000 make the most records (100 %).");
	assert_group(GOVERN_CGROUP | 77, MOST_CGROUP, 77,
		     " The tasks of control group 77 make the most records (100 %).");
	assert_group(0, MOST_NONE, 0, "");
	groups_init(&g, 0);
	for (unsigned i = 0; i < 10000; i++) {
		groups_add(&g, 1000);
		for (unsigned n = 0; n < 3; n++)
			groups_add(&g, 2000 + (i * 3 + n) % 500);
	}
	groups_most(&g, &share);
	/* Group 1000 makes 25 % of the records. groups_most() may return more, but never less. */
	assert_true(share >= 0.25);
	assert_int_equal(most_group(&g, 1).kind, MOST_NONE);
}

static void a_name_of_full_length_is_shown(void **state)
{
	struct most m = { .kind = MOST_TASK, .id = 4194304, .share = 0.414 };
	char buf[MOST_TEXT_MAX];

	memset(m.comm, 'x', sizeof(m.comm));
	assert_string_equal(most_text(&m, buf),
			    " Task xxxxxxxxxxxxxxxx[4194304] makes the most records (41 %).");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(within_the_budget_nothing_is_shed),
		cmocka_unit_test(a_burst_is_paid_for),
		cmocka_unit_test(takes_no_more_steps_than_it_needs),
		cmocka_unit_test(pauses_without_the_coarse_step),
		cmocka_unit_test(does_not_go_back_to_what_costs_too_much),
		cmocka_unit_test(the_cost_of_a_step_leads_to_no_other),
		cmocka_unit_test(a_storm_is_held_to_the_budget),
		cmocka_unit_test(comes_back_step_by_step),
		cmocka_unit_test(does_not_flap),
		cmocka_unit_test(inspections_are_no_reason_to_pause),
		cmocka_unit_test(inspections_stop_before_a_pause),
		cmocka_unit_test(a_dear_resume_makes_long_pauses),
		cmocka_unit_test(no_budget_no_governor),
		cmocka_unit_test(a_larger_budget_leads_back_while_the_storm_goes_on),
		cmocka_unit_test(a_new_budget_begins_with_a_full_bucket),
		cmocka_unit_test(without_a_budget_everything_comes_back_at_once),
		cmocka_unit_test(without_a_budget_caps_end),
		cmocka_unit_test(survives_a_long_silence),
		cmocka_unit_test(a_storm_of_one_group_costs_that_group),
		cmocka_unit_test(a_group_of_very_many_tasks_is_capped_for_longer),
		cmocka_unit_test(what_remains_of_a_group_is_held_to_the_budget),
		cmocka_unit_test(a_quarter_of_a_storm_is_capped_half_of_less),
		cmocka_unit_test(the_group_that_makes_most_is_found),
		cmocka_unit_test(who_belongs_to_which_group),
		cmocka_unit_test(a_storm_among_many_is_capped),
		cmocka_unit_test(many_tasks_are_no_storm),
		cmocka_unit_test(caps_are_limited_and_refusals_counted),
		cmocka_unit_test(without_a_limit_nobody_is_capped),
		cmocka_unit_test(the_task_that_makes_the_most_records_is_found),
		cmocka_unit_test(other_records_lower_the_share),
		cmocka_unit_test(tasks_that_share_a_place_are_not_blamed),
		cmocka_unit_test(groups_that_make_the_most_records_are_found),
		cmocka_unit_test(a_name_of_full_length_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
