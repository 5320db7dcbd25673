// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of hangs must not depend on the order of the diagnoses, or on the number of threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/hangs/hangs.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"
#include "test/unit/trace/window_make.h"

#define FUTEX CT_OBJ_ID(CT_OBJ_FUTEX, 0x2000)

enum { VICTIMS = 24, POSTER = 10, FIRST = 100, POSTS = 400, START_MS = 410, END_MS = 60000, THREADS = 4 };

/* Makes a graph in which the task FIRST waits longest. Each diagnosis looks at all wake-ups
 * by the task POSTER. */
static struct graph *waiting(struct make *m, uint32_t victims)
{
	struct graph *g;

	make_task(m, POSTER, POSTER, 1, "gone");
	for (uint32_t i = 0; i < victims; i++)
		make_task(m, FIRST + i, FIRST + i, 1, "victim");
	for (uint64_t ms = 1; ms <= POSTS; ms++)
		make_wake(m, ms, 1, FIRST, POSTER, FUTEX);
	make_event(m, (POSTS + 1) * MS, 1, CT_EXIT, POSTER, 0);
	for (uint32_t i = 0; i < victims; i++) {
		make_switch(m, START_MS + 10 * i, 0, 0, FIRST + i, CT_W_NONE, 0);
		make_switch(m, START_MS + 10 * i + 5, 0, FIRST + i, 0, CT_W_FUTEX, FUTEX);
	}
	assert_int_equal(graph_build(make_done(m, END_MS), &g), 0);
	return g;
}

static struct hangs *candidates(const struct graph *g)
{
	struct hangs *h;

	assert_int_equal(hangs_candidates(g, 0, END_MS * MS, NULL, &h), 0);
	return h;
}

static void settle_all(const struct graph *g, struct hangs *h)
{
	for (size_t i = 0; i < h->n; i++)
		assert_int_equal(hangs_settle(g, &h->v[i]), 0);
	hangs_sort(h);
}

static void assert_same(struct hangs *a, struct hangs *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->v[i].task, b->v[i].task);
		assert_int_equal(a->v[i].from_ns, b->v[i].from_ns);
		assert_int_equal(a->v[i].to_ns, b->v[i].to_ns);
		assert_int_equal(a->v[i].alarm, b->v[i].alarm);
		assert_int_equal(a->v[i].first_row, b->v[i].first_row);
		assert_int_equal(a->v[i].refused, b->v[i].refused);
		assert_string_equal(a->v[i].diagnosis->sentence, b->v[i].diagnosis->sentence);
	}
	assert_int_equal(a->refused, b->refused);
	assert_int_equal(a->missing, b->missing);
	hangs_free(a);
	hangs_free(b);
}

static void longest_first(void **state)
{
	struct make m = { 0 };
	struct graph *g = waiting(&m, HANGS_MAX + 3);
	struct hangs *h = candidates(g);

	assert_int_equal(h->n, HANGS_MAX);
	assert_int_equal(h->refused, 3);
	for (uint32_t i = 0; i < h->n; i++) {
		assert_int_equal(g->tasks[h->v[i].task].tid, FIRST + i);
		assert_null(h->v[i].diagnosis);
	}
	hangs_free(h);
	graph_free(g);
	make_free(&m);
}

static uint64_t sleep_and_run(struct make *m, uint64_t ns, uint64_t sleep_ns, uint64_t run_ns)
{
	struct window_record *e = make_event(m, ns, 0, CT_SWITCH, FIRST, 0);

	e->r.wait = CT_W_SLEEP;
	e->r.state = CT_ST_SLEEP;
	make_event(m, ns + sleep_ns, 0, CT_WAKE, FIRST, 0)->r.state = CT_CTX_TIMER;
	make_event(m, ns + sleep_ns, 0, CT_SWITCH, 0, FIRST);
	return ns + sleep_ns + run_ns;
}

/* The task runs for 3 ms after each of its first four waits, and for 0.1 ms after each later wait.
 * Near its begin, a series of waits may have two runs of 3 ms in it, but not three
 * (HANGS_BETWEEN_NS, HANGS_BETWEEN_SHARE). So a short series goes from the first wait to the third,
 * and a long series goes from the third wait to the last. ctrace must find the long series,
 * although the two series overlap. */
static void run_begins_in_a_run(void **state)
{
	struct make m = { 0 };
	uint64_t ns = MS, third = 0;
	struct graph *g;
	struct hangs *h;

	make_task(&m, FIRST, FIRST, 1, "sleeper");
	make_switch(&m, 0, 0, 0, FIRST, CT_W_NONE, 0);
	for (int i = 0; i < 300; i++) {
		third = i == 2 ? ns : third;
		ns = sleep_and_run(&m, ns, 10 * MS, i < 4 ? 3 * MS : MS / 10);
	}
	assert_int_equal(graph_build(make_done(&m, END_MS), &g), 0);
	h = candidates(g);
	assert_true(h->n > 0);
	assert_int_equal(h->v[h->n - 1].from_ns, third);
	hangs_free(h);
	graph_free(g);
	make_free(&m);
}

/* The series has very many waits. If the code searched the rest of the series for each wait, it
 * would take quadratic time. */
static void many_short_waits(void **state)
{
	enum { WAITS = 400000, RUN = 15000 };
	struct make m = { 0 };
	uint64_t ns = MS;
	struct graph *g;
	struct hangs *h;

	make_task(&m, FIRST, FIRST, 1, "sleeper");
	make_task(&m, POSTER, POSTER, 1, "waker");
	make_switch(&m, 0, 0, 0, FIRST, CT_W_NONE, 0);
	for (int i = 1; i <= WAITS; i++) {
		ns = sleep_and_run(&m, ns, 60000, 1000);
		if (i % RUN == 0) {
			struct window_record *e = &m.events.v[m.events.n - 2];

			e->r.state = CT_CTX_TASK;
			e->r.peer = POSTER;
		}
	}
	assert_int_equal(graph_build(make_done(&m, ns / MS + 1), &g), 0);
	h = candidates(g);
	for (size_t i = 0; i < h->n; i++)
		assert_true(h->v[i].to_ns - h->v[i].from_ns >= 2000 * MS);
	hangs_free(h);
	graph_free(g);
	make_free(&m);
}

/* The order in which hangs are diagnosed does not change the results. A budget limits the steps that all
 * diagnoses together may take (graph/timeline/scan.h). The first budget here is enough for all diagnoses. The
 * second is spent in the middle of a diagnosis, and the third at the end of one. The fourth is 0. */
static void any_order(void **state)
{
	struct make m = { 0 };
	struct graph *g = waiting(&m, VICTIMS);
	struct hangs *h = candidates(g), *found;
	uint64_t each, budgets[4];

	assert_int_equal(hangs_diagnose(g, &h->v[0]), 0);
	each = h->v[0].steps;
	assert_true(each >= POSTS);
	hangs_free(h);
	budgets[0] = scan_left(g);
	budgets[1] = VICTIMS * each / 2 + 7;
	budgets[2] = 2 * each;
	budgets[3] = 0;
	for (size_t b = 0; b < ARRAY_SIZE(budgets); b++) {
		uint64_t left, refused;

		*g->scans = (struct graph_scans){ .left = budgets[b] };
		assert_int_equal(hangs_find(g, 0, END_MS * MS, NULL, &found), 0);
		left = scan_left(g);
		refused = graph_scans_refused(g);
		assert_true(b ? refused > 0 : refused == 0);

		*g->scans = (struct graph_scans){ .left = budgets[b] };
		h = candidates(g);
		for (size_t i = h->n; i-- > 0;)
			assert_int_equal(hangs_diagnose(g, &h->v[i]), 0);
		settle_all(g, h);
		assert_int_equal(scan_left(g), left);
		assert_int_equal(graph_scans_refused(g), refused);
		assert_same(h, found);
	}
	graph_free(g);
	make_free(&m);
}

struct share {
	const struct graph *g;
	struct hangs *h;
	size_t first;
	pthread_t thread;
};

static void *diagnose_share(void *arg)
{
	const struct share *s = arg;

	for (size_t i = s->first; i < s->h->n; i += THREADS)
		if (hangs_diagnose(s->g, &s->h->v[i]))
			return arg;
	return NULL;
}

static void several_threads(void **state)
{
	struct make m = { 0 };
	struct graph *g = waiting(&m, VICTIMS);
	struct share shares[THREADS];
	struct hangs *h, *found;
	void *failed;

	g->scans->left = (uint64_t)VICTIMS * POSTS / 2;
	assert_int_equal(hangs_find(g, 0, END_MS * MS, NULL, &found), 0);
	*g->scans = (struct graph_scans){ .left = (uint64_t)VICTIMS * POSTS / 2 };
	h = candidates(g);
	for (size_t i = 0; i < THREADS; i++) {
		shares[i] = (struct share){ .g = g, .h = h, .first = i };
		assert_int_equal(pthread_create(&shares[i].thread, NULL, diagnose_share, &shares[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(shares[i].thread, &failed), 0);
		assert_null(failed);
	}
	settle_all(g, h);
	assert_same(h, found);
	graph_free(g);
	make_free(&m);
}

static void ended_early(void **state)
{
	struct make m = { 0 };
	struct graph *g = waiting(&m, VICTIMS);
	struct hangs *h = candidates(g);

	assert_int_equal(hangs_diagnose(g, &h->v[5]), 0);
	assert_int_equal(hangs_diagnose(g, &h->v[2]), 0);
	hangs_sort(h);
	assert_int_equal(h->n, 2);
	assert_int_equal(h->missing, VICTIMS - 2);
	assert_int_equal(g->tasks[h->v[0].task].tid, FIRST + 2);
	assert_int_equal(g->tasks[h->v[1].task].tid, FIRST + 5);
	hangs_free(h);
	h = candidates(g);
	hangs_sort(h);
	assert_int_equal(h->n, 0);
	assert_int_equal(h->missing, VICTIMS);
	hangs_free(h);
	graph_free(g);
	make_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_first),    cmocka_unit_test(run_begins_in_a_run),
		cmocka_unit_test(many_short_waits), cmocka_unit_test(any_order),
		cmocka_unit_test(several_threads),  cmocka_unit_test(ended_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
