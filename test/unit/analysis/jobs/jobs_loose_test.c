// SPDX-License-Identifier: GPL-2.0-or-later
/* How many steps it takes to find the ends of many jobs that have no exact end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/jobs/jobs.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "test/unit/trace/window_make.h"

enum { MAIN = 10, WORKER = 11, OTHER = 20, ROUNDS = 300, JOBS = 5, STEPS_EACH = 8 };

static void make_job(struct make *m, uint64_t ns, enum ct_job state, uint32_t tid, uint64_t job,
		     uint8_t flags)
{
	struct window_record *e = make_event(m, ns, 0, CT_JOB, tid, 0);

	e->r.state = (uint8_t)state;
	e->r.flags = flags;
	e->x[0] = job;
}

/* The worker never waits. In each round, it does some jobs, and another task preempts it. */
static void add_rounds(struct make *m)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < JOBS; k++) {
			uint64_t ns = (1 + i) * MS + k * 1000, job = 1 + i * JOBS + k;

			make_job(m, ns, CT_JOB_ENQUEUE, MAIN, job, 0);
			make_job(m, ns + 100, CT_JOB_START, WORKER, job, 0);
			make_job(m, ns + 200, CT_JOB_END, WORKER, job, CT_JF_LOOSE);
		}
		make_event(m, (1 + i) * MS + 100000, 0, CT_SWITCH, WORKER, OTHER);
		make_event(m, (1 + i) * MS + 200000, 0, CT_SWITCH, OTHER, WORKER);
	}
}

static void steps_are_linear(void **state)
{
	struct make m = { 0 };
	job_list jobs = { 0 };
	struct graph *g;
	uint64_t before;

	make_task(&m, MAIN, MAIN, 1, "main");
	make_task(&m, WORKER, MAIN, 1, "worker");
	make_task(&m, OTHER, OTHER, 1, "other");
	make_switch(&m, 1, 0, 0, WORKER, CT_W_NONE, 0);
	make_switch(&m, 1, 1, 0, MAIN, CT_W_NONE, 0);
	add_rounds(&m);
	assert_int_equal(graph_build(make_done(&m, ROUNDS + 10), &g), 0);
	before = scan_left(g);
	assert_int_equal(jobs_find(g, 0, UINT64_MAX, &jobs), 0);
	assert_int_equal(jobs.n, ROUNDS * JOBS);
	/* The end of a job is the start of the next one, and the last job lasts until the end. */
	for (size_t i = 0; i + 1 < jobs.n; i++)
		assert_int_equal(jobs.v[i].end_ns, jobs.v[i + 1].start_ns);
	assert_int_equal(jobs.v[jobs.n - 1].end_ns, (ROUNDS + 10) * MS);
	assert_true(before - scan_left(g) < ROUNDS * JOBS * STEPS_EACH);
	VEC_FREE(&jobs);
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(steps_are_linear) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
