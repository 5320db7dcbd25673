/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random_make.h - graphs of random windows. */
#ifndef CTRACE_TEST_RANDOM_MAKE_H
#define CTRACE_TEST_RANDOM_MAKE_H

#include "graph/timeline/graph.h"
#include "test/unit/trace/window_random.h"

static inline void random_ranges(void (*check)(const struct graph *g, uint32_t task, uint64_t from_ns,
					       uint64_t to_ns, uint32_t *seed))
{
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct make m = { 0 };
		uint32_t r = seed;
		uint64_t ms = random_window(&m, &r);
		struct graph *g;

		assert_int_equal(graph_build(make_done(&m, ms), &g), 0);
		for (uint32_t t = 0; t < g->n_tasks; t++) {
			uint64_t from = random_below(&r, (uint32_t)ms) * MS;

			check(g, t, from, from + 1 + random_below(&r, 1000) * MS, &r);
		}
		graph_free(g);
		make_free(&m);
	}
}

#endif
