// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/whatif/whatif.h"
#include "test/unit/analysis/whatif/slow.h"
#include "test/unit/graph/random_make.h"

#define QUESTIONS 12

static struct whatif_without anything(const struct graph *g, uint32_t *r)
{
	struct whatif_without v = { .kind = (uint8_t)random_below(r, WHATIF_OBJECT + 1),
				    .task = random_below(r, (uint32_t)g->n_tasks),
				    .time = (uint8_t)random_below(r, TIME_KINDS),
				    .interval = random_below(r, (uint32_t)g->n_intervals) };

	v.obj = g->intervals[v.interval].obj;
	if ((v.kind == WHATIF_WAIT || v.kind == WHATIF_WAITS) &&
	    g->intervals[v.interval].state != INTERVAL_BLOCKED)
		v.kind = WHATIF_RESOURCE;
	return v;
}

/* Links between any two records: a replay does not care about their kinds. */
static void any_links(const struct graph *g, uint32_t *r, struct causal_links *ret)
{
	*ret = (struct causal_links){ .to = calloc(g->n_tasks, sizeof(*ret->to)), .n_tasks = g->n_tasks };
	assert_non_null(ret->to);
	for (size_t i = 0; i < 2 * g->w->n_events && g->n_tasks > 1; i++) {
		uint32_t to = random_below(r, (uint32_t)g->n_tasks),
			 from = random_below(r, (uint32_t)g->n_tasks),
			 event = random_below(r, (uint32_t)g->w->n_events),
			 cause = event - random_below(r, MIN(event + 1, 20));

		if (from != to)
			assert_int_equal(VEC_PUSH(&ret->to[to], (struct causal_link){ from, event, cause }),
					 0);
	}
}

static size_t n_saved, n_arrivals;

/* All questions together, of which every second one has two things, have the same answers as in the slow
 * recursion. */
static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	struct causal_links links;
	struct whatif_without v[QUESTIONS];
	struct question q[QUESTIONS];
	uint64_t saved[QUESTIONS], slow;
	struct whatif *x;

	if (!g->n_intervals)
		return;
	for (size_t i = 0; i < QUESTIONS; i++) {
		v[i] = anything(g, seed);
		q[i] = (struct question){ &v[i / 2 * 2], 1 + i % 2 };
	}
	any_links(g, seed, &links);
	assert_int_equal(whatif_new(g, task, from_ns, to_ns, &x), 0);
	assert_int_equal(whatif_link(x, &links, NULL), 0);
	assert_int_equal(replay_saved(x, q, QUESTIONS, saved), 0);
	for (size_t i = 0; i < QUESTIONS; i++)
		if (slow_saved(x, &q[i], &slow)) {
			assert_int_equal(saved[i], slow);
			n_saved += slow > 0;
		}
	n_arrivals += x->n_arrivals;
	causal_links_done(&links);
	whatif_free(x);
}

static void test_slow(void **state)
{
	random_ranges(check);
	assert_true(n_saved > 1000 && n_arrivals > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slow) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
