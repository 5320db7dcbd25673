// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/socket.h>

#include "graph/path/path.h"
#include "graph/thresholds.h"
#include "lib/cleanup.h"
#include "test/unit/graph/both_in_threads.h"
#include "test/unit/graph/random_make.h"

static void assert_partition(const struct path *p, uint64_t from, uint64_t to)
{
	uint64_t at = from;

	for (size_t i = 0; i < p->n_pieces; i++) {
		assert_int_equal(p->pieces[i].from_ns, at);
		assert_true(p->pieces[i].to_ns > p->pieces[i].from_ns);
		at = p->pieces[i].to_ns;
	}
	assert_int_equal(at, to);
}

static struct graph *build(struct make *m, uint64_t to_ms)
{
	struct graph *g;

	assert_int_equal(graph_build(make_done(m, to_ms), &g), 0);
	return g;
}

static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	const struct graph_task *t = &g->tasks[task];
	struct path *p;

	assert_int_equal(path_walk(g, task, from_ns, to_ns, &p), 0);
	assert_partition(p, from_ns, to_ns);
	path_free(p);
	for (uint32_t i = t->first_interval; i + 1 < t->first_interval + t->n_intervals; i++)
		assert_true(g->intervals[i].to_ns == g->intervals[i + 1].from_ns);
}

static void test_random_partition(void **state)
{
	random_ranges(check);
}

/* Like graph_task_at(), but looks at each task. */
static uint32_t task_slow(const struct graph *g, uint32_t tid, uint64_t ts_ns)
{
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (g->tasks[i].tid == tid && (found == GRAPH_NONE || g->tasks[i].from_ns <= ts_ns))
			found = i;
	return found;
}

static uint64_t run_slow(const struct graph *g, uint32_t cpu, uint64_t ts_ns)
{
	size_t i = 0;

	while (cpu < g->n_cpus && i < g->n_runs[cpu] && graph_run(g, cpu, i)->to_ns <= ts_ns)
		i++;
	return i;
}

static void check_looks(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
			uint32_t *seed)
{
	uint32_t tid = g->tasks[task].tid;

	for (uint32_t near_tid = tid ? tid - 1 : 0; near_tid <= tid + 1; near_tid++) {
		assert_int_equal(graph_task_at(g, near_tid, from_ns), task_slow(g, near_tid, from_ns));
		assert_int_equal(graph_task_at(g, near_tid, to_ns), task_slow(g, near_tid, to_ns));
	}
	for (uint32_t cpu = 0; cpu <= g->n_cpus; cpu++) {
		size_t near = cpu < g->n_cpus ? random_below(seed, (uint32_t)g->n_runs[cpu] + 2) : 0;

		assert_int_equal(path_run_near(g, cpu, from_ns, near), run_slow(g, cpu, from_ns));
		assert_int_equal(path_run_near(g, cpu, to_ns, near), run_slow(g, cpu, to_ns));
	}
}

static void test_random_looks(void **state)
{
	random_ranges(check_looks);
}

/* Several tasks have the same tid, and some tids are larger than any tid of the kernel. */
static void test_same_tid(void **state)
{
	static const uint32_t tids[] = { 5, 1023, 1024, TIDS_MAX - 1, TIDS_MAX, UINT32_MAX };
	struct make m = { 0 };
	struct graph *g;
	uint64_t ms = 0;

	for (uint32_t i = 0; i < ARRAY_SIZE(tids); i++)
		for (uint32_t life = 0; life < 1 + 4 * i; life++, ms += 10) {
			make_event(&m, ms * MS, 0, CT_FORK, 1, tids[i]);
			make_switch(&m, ms + 2, 0, 0, tids[i], CT_W_NONE, 0);
			make_switch(&m, ms + 5, 0, tids[i], 0, CT_W_NONE, 0)->r.state = CT_ST_DEAD;
		}
	g = build(&m, ms);
	assert_int_equal(g->n_tasks, 1 + ms / 10);
	for (uint32_t i = 0; i < ARRAY_SIZE(tids); i++)
		for (uint64_t at = 0; at < ms; at++)
			assert_int_equal(graph_task_at(g, tids[i], at * MS), task_slow(g, tids[i], at * MS));
	graph_free(g);
	make_free(&m);
}

/* The intervals of each task lie side by side, and the runs of the CPU are in order, however many intervals
 * the tasks have. Task 10 + t takes every (t + 1)th turn. */
static void check_places(uint32_t turns, graph_both_fn both)
{
	struct make m = { 0 };
	struct graph *g;
	uint32_t was = 0, tasks = 0;
	size_t n = 0;

	for (uint32_t turn = 0; turn < turns; turn++)
		for (uint32_t t = 0; t < 5; t++)
			if (turn % (t + 1) == 0) {
				make_switch(&m, n++, 0, was, 10 + t, CT_W_NONE, 0);
				was = 10 + t;
				tasks = MAX(tasks, t + 1);
			}
	assert_int_equal(graph_build_both(make_done(&m, n), both, &g), 0);
	assert_int_equal(g->n_tasks, tasks);
	assert_int_equal(g->n_runs[0], n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(graph_run(g, 0, i)->from_ns, i * MS);
		assert_int_equal(graph_run(g, 0, i)->state, INTERVAL_RUNNING);
	}
	for (uint32_t i = 0, at = 0; i < g->n_tasks; i++) {
		assert_int_equal(g->tasks[i].first_interval, at);
		for (uint32_t end = at + g->tasks[i].n_intervals; at < end; at++)
			assert_int_equal(g->intervals[at].task, i);
	}
	graph_free(g);
	make_free(&m);
}

static void test_places(void **state)
{
	for (uint32_t turns = 0; turns < 50; turns++) {
		check_places(turns, NULL);
		check_places(turns, both_in_threads);
	}
}

static void test_bad_range(void **state)
{
	struct make m = { 0 };
	struct graph *g;
	struct path *p;

	make_switch(&m, 0, 0, 0, 10, CT_W_NONE, 0);
	g = build(&m, 100);
	assert_int_equal(path_walk(g, 0, 5, 5, &p), -EINVAL);
	assert_int_equal(path_walk(g, GRAPH_NONE, 0, 5, &p), -EINVAL);
	graph_free(g);
	make_free(&m);
}

static void test_empty(void **state)
{
	struct make m = { 0 };
	struct graph *g = build(&m, 0);

	assert_int_equal(g->n_tasks, 0);
	graph_free(g);
	graph_free(NULL);
	path_free(NULL);
	make_free(&m);
}

#define LEAN_KEPT    140000 /* more records than fit into two large pages */
#define LEAN_RECORDS 700000 /* graph_build_lean() gives memory back more than once */

/* Two tasks take turns on CPU 1: first slowly, so that the lean graph keeps the switches, then quickly. */
static void many_switches(struct make *m)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < LEAN_RECORDS; i++) {
		struct window_record *e;

		ns += i < LEAN_KEPT ? 5000 * MS : 1000;
		if (i % 1000 == 999) {
			e = make_event(m, ns, 0, CT_FUTEX, 10, i);
			e->x[0] = e->r.obj = i;
		} else {
			e = make_event(m, ns, 1, CT_SWITCH, i % 2 ? 10 : 20, i % 2 ? 20 : 10);
			e->r.state = CT_ST_RUNNING;
		}
	}
}

static void check_kept(const struct make *m, const struct graph *g)
{
	const struct window *w = &m->w;
	size_t n = 0;

	assert_int_equal(w->n_events + g->n_dropped, LEAN_RECORDS);
	assert_in_range(w->n_events, LEAN_KEPT, LEAN_KEPT + LEAN_RECORDS / 1000);
	for (size_t i = 0; i < LEAN_RECORDS; i++) {
		const struct window_record *was = &m->events.v[i];
		struct window_record is;

		if (was->r.kind == CT_SWITCH && i >= LEAN_KEPT)
			continue;
		is = window_record(w, &w->events[n++]);
		assert_memory_equal(&is, was, sizeof(is));
	}
	assert_int_equal(n, w->n_events);
}

/* The lean graph gives memory back while it is built, in large pages. */
static void test_lean_is_the_same(void **state)
{
	struct make whole = { 0 }, less = { 0 };
	struct graph *g, *lean;

	many_switches(&whole);
	many_switches(&less);
	g = build(&whole, (uint64_t)LEAN_KEPT * 5000 + 1000);
	make_done(&less, (uint64_t)LEAN_KEPT * 5000 + 1000);
	assert_int_equal(graph_build_lean(&less.w, &lean), 0);
	check_kept(&less, lean);
	assert_int_equal(g->n_intervals, lean->n_intervals);
	for (size_t i = 0; i < g->n_intervals; i++) {
		assert_int_equal(g->intervals[i].state, lean->intervals[i].state);
		assert_int_equal(g->intervals[i].task, lean->intervals[i].task);
		assert_int_equal(g->intervals[i].from_ns, lean->intervals[i].from_ns);
		assert_int_equal(g->intervals[i].to_ns, lean->intervals[i].to_ns);
	}
	graph_free(g);
	graph_free(lean);
	make_free(&whole);
	make_free(&less);
}

static void in_order(void (*a)(void *arg), void (*b)(void *arg), void *arg)
{
	a(arg);
	b(arg);
}

static void in_reverse(void (*a)(void *arg), void (*b)(void *arg), void *arg)
{
	b(arg);
	a(arg);
}

/* Returns the number of references. */
static size_t assert_same_index(const struct graph_index *a, const struct graph_index *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->n_keys, b->n_keys);
	for (size_t k = 0; k < a->n_keys; k++) {
		size_t n_a, n_b;
		const struct graph_ref *of_a = graph_refs(a, a->keys[k], &n_a);
		const struct graph_ref *of_b = graph_refs(b, a->keys[k], &n_b);

		assert_int_equal(a->keys[k], b->keys[k]);
		assert_int_equal(n_a, n_b);
		assert_memory_equal(of_a, of_b, n_a * sizeof(*of_a));
	}
	return a->n;
}

/* All struct graph_index of struct graph. */
static const size_t index_at[] = {
#define AT(index) offsetof(struct graph, index)
	AT(sends),    AT(recvs),  AT(flocks),    AT(fds),       AT(members),   AT(waitfds), AT(samples),
	AT(signals),  AT(owned),  AT(locktries), AT(joins),     AT(own_locks), AT(polled),  AT(hangs),
	AT(accesses), AT(wakes),  AT(gaps),      AT(sheds),     AT(caps),      AT(groups),  AT(children),
	AT(threads),  AT(tuples), AT(accepted),  AT(addresses), AT(listening), AT(reads),
#undef AT
};
static size_t n_refs[ARRAY_SIZE(index_at)], n_looks;

static void assert_same_graph(const struct graph *a, const struct graph *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(index_at); i++)
		n_refs[i] += assert_same_index((const void *)((const char *)a + index_at[i]),
					       (const void *)((const char *)b + index_at[i]));
	assert_int_equal(a->lacks_first, b->lacks_first);
	assert_int_equal(a->n_tasks, b->n_tasks);
	assert_memory_equal(a->tasks, b->tasks, a->n_tasks * sizeof(*a->tasks));
	assert_int_equal(a->n_intervals, b->n_intervals);
	assert_memory_equal(a->intervals, b->intervals, a->n_intervals * sizeof(*a->intervals));
	assert_int_equal(a->n_looks, b->n_looks);
	assert_memory_equal(a->looks, b->looks, a->n_looks * sizeof(*a->looks));
	n_looks += a->n_looks;
	assert_int_equal(a->n_disk_waits, b->n_disk_waits);
	for (size_t i = 0; i < a->n_disk_waits; i++)
		assert_int_equal(a->disk_waits[i], b->disk_waits[i]);
	assert_int_equal(a->n_cpus, b->n_cpus);
	for (uint32_t c = 0; c < a->n_cpus; c++) {
		assert_int_equal(a->n_runs[c], b->n_runs[c]);
		assert_memory_equal(a->runs[c], b->runs[c], a->n_runs[c] * sizeof(**a->runs));
	}
}

/* Each task has its intervals in order of time, and each CPU its runs. */
static void assert_in_order(const struct graph *g)
{
	uint32_t at = 0;

	for (size_t t = 0; t < g->n_tasks; t++) {
		assert_int_equal(g->tasks[t].first_interval, at);
		for (uint32_t i = 0; i < g->tasks[t].n_intervals; i++, at++) {
			assert_int_equal(g->intervals[at].task, t);
			assert_true(!i || g->intervals[at - 1].from_ns <= g->intervals[at].from_ns);
		}
	}
	assert_int_equal(at, g->n_intervals);
	for (uint32_t c = 0; c < g->n_cpus; c++)
		for (size_t i = 0; i < g->n_runs[c]; i++) {
			assert_int_equal(graph_run(g, c, i)->cpu, c);
			assert_int_equal(graph_run(g, c, i)->state, INTERVAL_RUNNING);
			assert_true(!i || graph_run(g, c, i - 1)->from_ns <= graph_run(g, c, i)->from_ns);
		}
	for (size_t i = 0; i < g->n_looks; i++)
		assert_true(!i || g->looks[i - 1].interval < g->looks[i].interval);
}

static void assert_finds_objects(const struct graph *g)
{
	for (size_t i = 0; i < g->w->n_objects; i++) {
		uint64_t id = g->w->objects[i].id;

		for (uint64_t near = id - 1; near != id + 2; near++)
			assert_ptr_equal(graph_object(g, near), window_object(g->w, near));
	}
	assert_ptr_equal(graph_object(g, 0), window_object(g->w, 0));
}

/* Adds records of all kinds, and sockets. */
static uint64_t window_of_all_kinds(struct make *m, uint32_t *s)
{
	uint64_t ms = random_window(m, s);
	uint32_t n_objects = random_below(s, 40);

	for (uint32_t i = 0; i < 300; i++) {
		struct window_record *e =
			make_event(m, ++ms * MS, 0, (enum ct_kind)(1 + random_below(s, CT_KIND_LAST)),
				   1 + random_below(s, RANDOM_TASKS), random_below(s, RANDOM_TASKS + 1));

		e->r.obj = CT_OBJ_ID(CT_OBJ_SOCK, 1 + random_below(s, 40));
		e->r.flags = (uint8_t)random_below(s, 256);
		e->x[0] = e->r.obj;
		e->x[1] = (uint64_t)random_below(s, 16) << 32 | random_below(s, 16);
	}
	for (uint32_t i = 1; i <= n_objects; i++) {
		struct window_object *o = make_object(m, CT_OBJ_ID(CT_OBJ_SOCK, i * i));

		o->family = random_below(s, 2) ? AF_UNIX : AF_INET;
		o->name = o->family == AF_UNIX ? "/run/server" : "";
		o->peer = random_below(s, 2) ? CT_OBJ_ID(CT_OBJ_SOCK, 1 + random_below(s, 40)) : 0;
		o->lport = (uint16_t)random_below(s, 4);
		o->rport = (uint16_t)random_below(s, 2);
		o->laddr[0] = (uint8_t)random_below(s, 4);
	}
	return ms + 10;
}

static void test_both(void **state)
{
	static const graph_both_fn both[] = { in_order, in_reverse, both_in_threads };

	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct make m = { 0 };
		uint32_t r = seed;
		struct graph *g = build(&m, window_of_all_kinds(&m, &r)), *other;

		assert_finds_objects(g);
		assert_in_order(g);
		for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
			assert_int_equal(graph_build_both(&m.w, both[i], &other), 0);
			assert_same_graph(g, other);
			graph_free(other);
		}
		graph_free(g);
		make_free(&m);
	}
	/* no index was empty in all windows */
	for (size_t i = 0; i < ARRAY_SIZE(index_at); i++)
		assert_true(n_refs[i] > 0);
	assert_true(n_looks > 0);
}

/* Finds the same spans as a scan of all. Half of the gaps lie in others. */
static void test_random_spans(void **state)
{
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct make m = { 0 };
		uint32_t s = seed, n = random_below(&s, 20);
		struct graph *g;

		for (uint64_t i = 1; i <= n; i++)
			make_event(&m, i * 4, 0, CT_GAP, 0, 0)->x[0] =
				i * 4 - random_below(&s, random_below(&s, 2) ? 4 : (uint32_t)i * 4);
		g = build(&m, 1);
		assert_int_equal(g->lost.n, n);
		for (uint64_t from = 0; from < 84; from += 1 + random_below(&s, 5)) {
			uint64_t to = from + random_below(&s, 9);
			size_t at = 0;

			for (size_t i = 0; i < n; i++)
				if (g->lost.v[i].to_ns >= from && g->lost.v[i].from_ns <= to) {
					at = graph_span_within(&g->lost, at, from, to);
					assert_int_equal(at++, i);
				}
			assert_int_equal(graph_span_within(&g->lost, at, from, to), n);
			assert_int_equal(graph_may_lack(g, 0, from, to), at > 0);
		}
		graph_free(g);
		make_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_partition),
		cmocka_unit_test(test_random_looks),
		cmocka_unit_test(test_same_tid),
		cmocka_unit_test(test_lean_is_the_same),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_bad_range),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_random_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
