// SPDX-License-Identifier: GPL-2.0-or-later
/* whatif.txt has the other tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/whatif/whatif.h"
#include "lib/cleanup.h"
#include "test/unit/graph/random_make.h"

#define LOCK  CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000)
#define PIPE  CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define OTHER CT_OBJ_ID(CT_OBJ_PIPE, 78)

struct scene {
	struct make m;
	struct graph *g;
	struct whatif *x;
};

/* v[i] is a link to task to[i]. */
static void play_to(struct scene *s, const struct causal_link *v, const uint32_t *to, size_t n, uint32_t tid,
		    uint64_t to_ms)
{
	struct causal_links links = { 0 };

	if (!s->g)
		assert_int_equal(graph_build(make_done(&s->m, to_ms), &s->g), 0);
	links.to = calloc(s->g->n_tasks, sizeof(*links.to));
	assert_non_null(links.to);
	links.n_tasks = s->g->n_tasks;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(causal_link_add(&links.to[to[i]], &v[i]), 0);
	assert_int_equal(whatif_new(s->g, graph_task_at(s->g, tid, 0), 0, to_ms * MS, &s->x), 0);
	assert_int_equal(whatif_link(s->x, &links, NULL), 0);
	causal_links_done(&links);
}

/* All links lead to task 0. At most two links. */
static void play_with(struct scene *s, const struct causal_link *v, size_t n, uint32_t tid, uint64_t to_ms)
{
	static const uint32_t to[2];

	assert_true(n <= ARRAY_SIZE(to));
	play_to(s, v, to, n, tid, to_ms);
}

static void play(struct scene *s, uint32_t tid, uint64_t to_ms)
{
	play_with(s, NULL, 0, tid, to_ms);
}

static void end(struct scene *s)
{
	whatif_free(s->x);
	graph_free(s->g);
	make_free(&s->m);
}

static uint64_t saved_ms(struct scene *s, const struct whatif_without *v, size_t n)
{
	uint64_t ns = 12345;

	assert_int_equal(whatif_saved(s->x, v, n, &ns), 0);
	assert_int_equal(ns % MS, 0);
	return ns / MS;
}

static struct whatif_without a_task(const struct scene *s, uint32_t tid)
{
	return (struct whatif_without){ .kind = WHATIF_TASK, .task = graph_task_at(s->g, tid, 0) };
}

static struct whatif_without a_wait(const struct scene *s, uint32_t tid, uint64_t ms)
{
	return (struct whatif_without){
		.kind = WHATIF_WAIT, .interval = graph_interval_at(s->g, graph_task_at(s->g, tid, 0), ms * MS)
	};
}

static uint64_t without_task(struct scene *s, uint32_t tid)
{
	struct whatif_without v = a_task(s, tid);

	return saved_ms(s, &v, 1);
}

static uint64_t without_tasks(struct scene *s, uint32_t a, uint32_t b)
{
	struct whatif_without v[] = { a_task(s, a), a_task(s, b) };

	return saved_ms(s, v, 2);
}

static uint64_t without_wait(struct scene *s, uint32_t tid, uint64_t ms)
{
	struct whatif_without v = a_wait(s, tid, ms);

	return saved_ms(s, &v, 1);
}

static void wait_out(struct make *m, uint16_t cpu, uint32_t tid, uint64_t from_ms, uint64_t obj)
{
	make_switch(m, from_ms, cpu, tid, 0, obj == LOCK ? CT_W_FUTEX : CT_W_READ, obj);
}

static void wait_over(struct make *m, uint16_t cpu, uint32_t tid, uint64_t ms, uint32_t waker, uint64_t obj)
{
	make_wake(m, ms, cpu, tid, waker, obj);
	make_switch(m, ms, cpu, 0, tid, CT_W_NONE, 0);
}

static void runs(struct make *m, uint16_t cpu, uint32_t tid)
{
	make_switch(m, 0, cpu, 0, tid, CT_W_NONE, 0);
}

/* The wake at 9 ms comes while task 10 is still on its way into the wait that begins at 10 ms, and ends this
 * wait. Without the wait from 0 to 5 ms, the later wait begins at 5 ms, and lasts until the wake at 9 ms. So
 * only 1 ms is saved. Nothing is known of task 20 before 60 ms. If task 20 is taken away, this unknown time
 * is taken away too. */
static void test_edges_of_knowledge(void **state)
{
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 30);
	wait_out(&s.m, 0, 10, 0, OTHER);
	wait_over(&s.m, 0, 10, 5, 30, OTHER);
	make_wake(&s.m, 9, 1, 10, 30, PIPE);
	wait_out(&s.m, 0, 10, 10, PIPE);
	make_switch(&s.m, 30, 0, 0, 10, CT_W_NONE, 0);
	wait_out(&s.m, 0, 10, 50, PIPE);
	make_switch(&s.m, 60, 2, 0, 20, CT_W_NONE, 0);
	wait_over(&s.m, 0, 10, 90, 20, PIPE);
	play(&s, 10, 50);
	assert_int_equal(without_wait(&s, 10, 3), 1);
	whatif_free(s.x);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 20), 40);
	whatif_free(s.x);
	play(&s, 20, 50);
	assert_int_equal(without_task(&s, 20), 50);
	end(&s);
}

static void test_arrival(void **state)
{
	struct causal_link link = { .from = 2 };
	struct scene s = { 0 };

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 50, 20, PIPE);
	/* a wake of a running task changes nothing */
	make_wake(&s.m, 60, 2, 10, 30, OTHER);
	link.cause = (uint32_t)s.m.events.n;
	make_event(&s.m, 70 * MS, 2, CT_SEND, 30, 1)->r.obj = OTHER;
	link.event = (uint32_t)s.m.events.n;
	make_event(&s.m, 80 * MS, 0, CT_RECV, 10, 1)->r.obj = OTHER;
	play(&s, 10, 100);
	assert_int_equal(s.g->tasks[0].tid, 10);
	assert_int_equal(s.g->tasks[2].tid, 30);
	assert_int_equal(without_task(&s, 20), 40);
	whatif_free(s.x);
	play_with(&s, &link, 1, 10, 100);
	assert_int_equal(without_task(&s, 20), 10);
	assert_int_equal(without_task(&s, 30), 0);
	assert_int_equal(without_tasks(&s, 20, 30), 40);
	assert_int_equal(without_tasks(&s, 10, 20), 40 + 10 - 40 + 20);
	end(&s);
}

/* Without the wait from 10 to 50 ms, the receive at 75 ms still has to wait for the send at 70 ms.
 * So only 5 ms are saved. */
static void test_awaited(void **state)
{
	struct causal_link links[] = { { .from = 1 }, { .from = 1 } };
	struct scene s = { 0 };
	struct whatif_without v;

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 50, 20, PIPE);
	/* the receive is recorded before the send */
	links[0].event = (uint32_t)s.m.events.n;
	make_event(&s.m, 60 * MS, 0, CT_RECV, 10, 1)->r.obj = PIPE;
	links[0].cause = links[1].cause = (uint32_t)s.m.events.n;
	make_event(&s.m, 70 * MS, 1, CT_SEND, 20, 1)->r.obj = PIPE;
	links[1].event = (uint32_t)s.m.events.n;
	make_event(&s.m, 75 * MS, 0, CT_RECV, 10, 1)->r.obj = PIPE;
	play_with(&s, links, 1, 10, 100);
	assert_int_equal(without_wait(&s, 10, 20), 40);
	assert_int_equal(without_task(&s, 20), 40);
	whatif_free(s.x);
	play_with(&s, links, 2, 10, 100);
	v = a_wait(&s, 10, 20);
	assert_int_equal(saved_ms(&s, &v, 1), 5);
	v.kind = WHATIF_WAITS;
	assert_int_equal(saved_ms(&s, &v, 1), 40);
	assert_int_equal(without_task(&s, 20), 40);
	end(&s);
}

static struct causal_link sent(struct make *m, uint32_t tid, uint64_t left_ms, uint32_t to_tid,
			       uint64_t at_ms)
{
	struct causal_link l = { .from = tid / 10 - 1, .cause = (uint32_t)m->events.n };

	make_event(m, left_ms * MS, 1, CT_SEND, tid, 1)->r.obj = OTHER;
	l.event = (uint32_t)m->events.n;
	make_event(m, at_ms * MS, 1, CT_RECV, to_tid, 1)->r.obj = OTHER;
	return l;
}

/* Task 10 sends to task 20, task 20 to task 30, and task 30 to task 10. No task begins to wait meanwhile.
 * This is no cycle, because each message is later than the one before. */
static void test_round(void **state)
{
	static const uint32_t to[] = { 1, 2, 0 };
	struct causal_link links[3];
	struct scene s = { 0 };
	struct whatif_without v[3];

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	runs(&s.m, 3, 40);
	wait_out(&s.m, 0, 10, 0, PIPE);
	wait_over(&s.m, 0, 10, 40, 40, PIPE);
	links[0] = sent(&s.m, 10, 50, 20, 55);
	links[1] = sent(&s.m, 20, 60, 30, 65);
	links[2] = sent(&s.m, 30, 70, 10, 80);
	play_to(&s, links, to, ARRAY_SIZE(links), 10, 100);
	v[0] = a_wait(&s, 10, 20);
	v[1] = a_task(&s, 30);
	v[2] = a_task(&s, 20);
	/* The send at 70 ms is not earlier. So the receive at 80 ms can be earlier by 10 ms. */
	assert_int_equal(saved_ms(&s, v, 1), 10);
	/* Task 30 still receives at 60 ms what task 20 sends. */
	assert_int_equal(saved_ms(&s, v, 2), 10 + 65 - 60 + 70 - 65);
	/* Only task 10 takes time. */
	assert_int_equal(saved_ms(&s, v, 3), 40);
	v[1] = v[2];
	assert_int_equal(saved_ms(&s, v, 2), 10);
	whatif_free(s.x);
	/* Task 20 has no wait, so it is not earlier. */
	play_to(&s, links, to, ARRAY_SIZE(links), 20, 100);
	assert_int_equal(saved_ms(&s, v, 1), 0);
	end(&s);
}

static void locks_up(struct make *m, uint16_t cpu, uint32_t tid, uint32_t owner)
{
	runs(m, cpu, tid);
	make_event(m, 10 * MS, cpu, CT_FUTEX, tid, owner)->r.obj = LOCK + 8 * tid;
	make_switch(m, 10, cpu, tid, 0, CT_W_FUTEX, LOCK + 8 * tid);
}

/* Tasks 10 and 20 wait for each other. If one of them or its wait is taken away, there is no
 * cycle. */
static void test_deadlock(void **state)
{
	struct scene s = { 0 };

	locks_up(&s.m, 0, 10, 20);
	locks_up(&s.m, 1, 20, 10);
	runs(&s.m, 2, 30);
	play(&s, 10, 100);
	assert_int_equal(without_task(&s, 30), 0);
	assert_int_equal(without_task(&s, 20), 90);
	assert_int_equal(without_wait(&s, 10, 50), 90);
	assert_int_equal(without_wait(&s, 20, 50), 90);
	assert_int_equal(without_tasks(&s, 10, 20), 100);
	whatif_free(s.x);
	play(&s, 20, 100);
	assert_int_equal(without_wait(&s, 10, 50), 90);
	assert_int_equal(without_wait(&s, 20, 50), 90);
	end(&s);
}

static uint64_t saved_with_record_after(uint64_t late_us)
{
	struct causal_link link = { .from = 1 };
	struct whatif_without v;
	struct scene s = { 0 };
	uint64_t ns = 0;

	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	wait_out(&s.m, 0, 10, 10, PIPE);
	wait_over(&s.m, 0, 10, 50, 20, PIPE);
	link.cause = (uint32_t)s.m.events.n;
	make_event(&s.m, 50 * MS + late_us * 1000, 1, CT_SEND, 20, 1)->r.obj = PIPE;
	link.event = (uint32_t)s.m.events.n;
	make_event(&s.m, 60 * MS, 0, CT_RECV, 10, 1)->r.obj = PIPE;
	play_with(&s, &link, 1, 10, 100);
	v = a_wait(&s, 10, 20);
	assert_int_equal(whatif_saved(s.x, &v, 1, &ns), 0);
	end(&s);
	return ns;
}

/* If a send is recorded 150 us after the wait, this send ended the wait. If a send is recorded 300 us
 * after the wait, it did not. */
static void test_record_after_the_wait(void **state)
{
	assert_int_equal(saved_with_record_after(150), 40 * MS);
	assert_int_equal(saved_with_record_after(300), 60 * MS - 50 * MS - 300000);
}

static void test_depth(void **state)
{
	struct scene s = { 0 };
	uint32_t n = WHATIF_MAX_DEPTH + 10;

	for (uint32_t i = 1; i <= n; i++) {
		make_switch(&s.m, 1, 0, 0, i, CT_W_NONE, 0);
		make_event(&s.m, 1 * MS, 0, CT_FUTEX, i, i + 1)->r.obj = LOCK + 8 * i;
		make_switch(&s.m, 1, 0, i, 0, CT_W_FUTEX, LOCK + 8 * i);
	}
	make_switch(&s.m, 1, 0, 0, n + 1, CT_W_NONE, 0);
	play(&s, 1, 100);
	assert_int_equal(without_task(&s, n + 1), 0);
	assert_true(whatif_refused(s.x) > 0);
	end(&s);
}

static void test_table(void **state)
{
	struct whatif_row *rows;
	struct scene s = { 0 };
	char words[ACCOUNT_WORDS_MAX];
	struct account *a;
	struct path *p;
	size_t n;

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 20, 1, "long");
	make_task(&s.m, 30, 30, 1, "late");
	runs(&s.m, 0, 10);
	runs(&s.m, 1, 20);
	runs(&s.m, 2, 30);
	wait_out(&s.m, 0, 10, 0, PIPE);
	wait_over(&s.m, 0, 10, 80, 20, PIPE);
	wait_out(&s.m, 0, 10, 80, OTHER);
	wait_over(&s.m, 0, 10, 100, 30, OTHER);
	play(&s, 10, 110);
	assert_int_equal(path_walk(s.g, graph_task_at(s.g, 10, 0), 0, 110 * MS, &p), 0);
	assert_int_equal(account_new(s.g, p, &a), 0);
	assert_int_equal(whatif_table(s.x, p, a, NULL, &rows, &n), 0);
	/* An object with one wait has no row of its own, nor has the only task of a process. */
	assert_int_equal(n, 5);
	whatif_words(s.x, &rows[0].without, words, sizeof(words));
	assert_string_equal(words, "waiting for late[30] (pipe:[78])");
	assert_int_equal(rows[0].saved_ns, 20 * MS);
	assert_int_equal(rows[0].path_ns, 20 * MS);
	whatif_words(s.x, &rows[1].without, words, sizeof(words));
	assert_string_equal(words, "all that process late[30] did");
	for (size_t i = 0; i < n; i++) {
		whatif_words(s.x, &rows[i].without, words, sizeof(words));
		if (strcmp(words, "all that process long[20] did"))
			continue;
		assert_int_equal(rows[i].saved_ns, 0);
		assert_int_equal(rows[i].path_ns, 80 * MS);
	}
	free(rows);
	account_free(a);
	path_free(p);
	end(&s);
}

static bool is_asked(const struct scene *s, const struct whatif_row *rows, size_t n, const char *question)
{
	char words[ACCOUNT_WORDS_MAX];

	for (size_t i = 0; i < n; i++) {
		whatif_words(s->x, &rows[i].without, words, sizeof(words));
		if (!strcmp(words, question))
			return true;
	}
	return false;
}

/* Process 20 had the CPU for 30 ms of a second, and process 30 for 15 ms. */
static void test_rivals(void **state)
{
	struct whatif_row *rows;
	struct scene s = { 0 };
	struct account *a;
	struct path *p;
	size_t n;

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 20, 1, "some");
	make_task(&s.m, 30, 30, 1, "hardly");
	runs(&s.m, 0, 10);
	make_switch(&s.m, 100, 0, 10, 20, CT_W_NONE, 0);
	make_switch(&s.m, 130, 0, 20, 10, CT_W_READ, PIPE);
	make_switch(&s.m, 200, 0, 10, 30, CT_W_NONE, 0);
	make_switch(&s.m, 215, 0, 30, 10, CT_W_READ, PIPE);
	play(&s, 10, 1000);
	assert_int_equal(path_walk(s.g, graph_task_at(s.g, 10, 0), 0, 1000 * MS, &p), 0);
	assert_int_equal(account_new(s.g, p, &a), 0);
	assert_int_equal(whatif_table(s.x, p, a, NULL, &rows, &n), 0);
	assert_true(is_asked(&s, rows, n, "all that process some[20] did"));
	assert_false(is_asked(&s, rows, n, "all that process hardly[30] did"));
	free(rows);
	account_free(a);
	path_free(p);
	end(&s);
}

static struct whatif_without anything(const struct graph *g, uint32_t *r)
{
	struct whatif_without v = { .kind = (uint8_t)random_below(r, WHATIF_OBJECT + 1),
				    .task = random_below(r, (uint32_t)g->n_tasks),
				    .time = (uint8_t)random_below(r, TIME_KINDS) };

	do
		v.interval = random_below(r, (uint32_t)g->n_intervals);
	while ((v.kind == WHATIF_WAIT || v.kind == WHATIF_WAITS) &&
	       g->intervals[v.interval].state != INTERVAL_BLOCKED);
	v.obj = g->intervals[v.interval].obj;
	return v;
}

static bool has_wait(const struct graph *g)
{
	for (size_t i = 0; i < g->n_intervals; i++)
		if (g->intervals[i].state == INTERVAL_BLOCKED)
			return true;
	return false;
}

static void check(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, uint32_t *seed)
{
	struct whatif_without v[2];
	uint64_t none, one, two, again;
	struct whatif *x;

	if (!has_wait(g))
		return;
	v[0] = anything(g, seed);
	v[1] = anything(g, seed);
	assert_int_equal(whatif_new(g, task, from_ns, to_ns, &x), 0);
	assert_int_equal(whatif_link(x, NULL, NULL), 0);
	assert_int_equal(whatif_saved(x, v, 0, &none), 0);
	assert_int_equal(whatif_saved(x, v, 1, &one), 0);
	assert_int_equal(whatif_saved(x, v, 2, &two), 0);
	assert_int_equal(whatif_saved(x, v, 1, &again), 0);
	assert_int_equal(none, 0);
	assert_int_equal(one, again);
	assert_true(one <= to_ns - from_ns);
	assert_true(two <= to_ns - from_ns);
	assert_true(two >= one);
	whatif_free(x);
}

static void test_random(void **state)
{
	random_ranges(check);
}

static void test_bad_arguments(void **state)
{
	struct scene s = { 0 };
	struct whatif *x;

	runs(&s.m, 0, 10);
	play(&s, 10, 10);
	assert_int_equal(whatif_new(s.g, 0, 5, 5, &x), -EINVAL);
	assert_int_equal(whatif_new(s.g, GRAPH_NONE, 0, 5, &x), -EINVAL);
	assert_int_equal(whatif_new(s.g, 1, 0, 5, &x), -EINVAL);
	whatif_free(NULL);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrival),
		cmocka_unit_test(test_awaited),
		cmocka_unit_test(test_round),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_edges_of_knowledge),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_record_after_the_wait),
		cmocka_unit_test(test_rivals),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_bad_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
