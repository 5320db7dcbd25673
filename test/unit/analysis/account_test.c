// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the time of a critical path went: each group of rows is a partition of it, and says the right thing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/account/account.h"
#include "test/unit/trace/window_random.h"

#define LOCK   CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000)
#define PIPE   CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define REMOTE CT_OBJ_ID(CT_OBJ_SOCK, 500)
#define FILE_A CT_OBJ_ID(CT_OBJ_FILE, 9)

struct scene {
	struct make m;
	struct graph *g;
	struct path *p;
	struct account *a;
};

static void play(struct scene *s, uint32_t tid, uint64_t to_ms)
{
	assert_int_equal(graph_build(make_done(&s->m, to_ms), &s->g), 0);
	assert_int_equal(path_walk(s->g, graph_task_at(s->g, tid, 0), 0, to_ms * MS, &s->p), 0);
	assert_int_equal(account_new(s->g, s->p, &s->a), 0);
}

static void end(struct scene *s)
{
	account_free(s->a);
	path_free(s->p);
	graph_free(s->g);
	make_free(&s->m);
}

static void assert_sums(const struct account *a, uint64_t ns)
{
	assert_int_equal(a->total_ns, ns);
	for (int k = 0; k < ACCOUNT_GROUPS; k++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < a->n_rows[k]; i++) {
			sum += a->rows[k][i].ns;
			assert_true(a->rows[k][i].within_ns >= a->rows[k][i].ns);
			assert_true(a->rows[k][i].within_ns <= ns);
			assert_true(!i || a->rows[k][i - 1].ns >= a->rows[k][i].ns);
		}
		assert_int_equal(sum, ns);
	}
}

/* The row of a group that has these words, in milliseconds; 0: there is none. */
static uint64_t row_ms(const struct scene *s, enum account_group group, const char *want)
{
	char words[ACCOUNT_WORDS_MAX];

	for (size_t i = 0; i < s->a->n_rows[group]; i++) {
		account_words(s->g, group, &s->a->rows[group][i], words, sizeof(words));
		if (!strcmp(words, want))
			return s->a->rows[group][i].ns / MS;
	}
	return 0;
}

/* 10 waits for a lock that 20 holds, which waits for a pipe, for 31 of another process, which sleeps. */
static void test_chain(void **state)
{
	struct scene s = { 0 };

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 10, 1, "holder");
	make_task(&s.m, 30, 30, 1, "feeder");
	make_task(&s.m, 31, 30, 1, "hand");
	make_switch(&s.m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&s.m, 0, 1, 0, 20, CT_W_NONE, 0);
	make_switch(&s.m, 0, 2, 0, 31, CT_W_NONE, 0);
	make_event(&s.m, 10 * MS, 0, CT_FUTEX, 10, 20)->r.obj = LOCK;
	make_switch(&s.m, 10, 0, 10, 0, CT_W_FUTEX, LOCK);
	make_switch(&s.m, 20, 1, 20, 0, CT_W_READ, PIPE);
	make_switch(&s.m, 30, 2, 31, 0, CT_W_SLEEP, 0);
	make_event(&s.m, 70 * MS, 2, CT_WAKE, 31, 0)->r.state = CT_CTX_TIMER;
	make_switch(&s.m, 70, 2, 0, 31, CT_W_NONE, 0);
	make_wake(&s.m, 80, 2, 20, 31, PIPE);
	make_switch(&s.m, 80, 1, 0, 20, CT_W_NONE, 0);
	make_wake(&s.m, 90, 1, 10, 20, LOCK);
	make_switch(&s.m, 95, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_sums(s.a, 100 * MS);
	assert_int_equal(row_ms(&s, ACCOUNT_WAIT, "running"), 15);
	assert_int_equal(row_ms(&s, ACCOUNT_WAIT, "waiting for a CPU"), 5);
	assert_int_equal(row_ms(&s, ACCOUNT_WAIT, "waiting for a lock that holder[20] held (futex 0x1000)"),
			 80);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "timer"), 40);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "running"), 55);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "waiting for a CPU; who had it is not known"), 5);
	assert_int_equal(row_ms(&s, ACCOUNT_TASK, "hand[31], a thread of 30"), 60);
	assert_int_equal(row_ms(&s, ACCOUNT_TASK, "holder[20], a thread of 10"), 20);
	assert_int_equal(row_ms(&s, ACCOUNT_TASK, "app[10]"), 20);
	assert_int_equal(row_ms(&s, ACCOUNT_PROCESS, "app[10]"), 40);
	/* nothing was recorded of the first thread of 30 */
	assert_int_equal(row_ms(&s, ACCOUNT_PROCESS, "process 30 of hand[31]"), 60);
	assert_int_equal(row_ms(&s, ACCOUNT_OBJECT, "pipe:[77]"), 60);
	assert_int_equal(row_ms(&s, ACCOUNT_OBJECT, "futex 0x1000"), 20);
	assert_int_equal(row_ms(&s, ACCOUNT_OBJECT, "no object"), 20);
	for (size_t i = 0; i < s.a->n_rows[ACCOUNT_OBJECT]; i++)
		if (s.a->rows[ACCOUNT_OBJECT][i].obj == LOCK)
			assert_int_equal(s.a->rows[ACCOUNT_OBJECT][i].within_ns, 80 * MS);
	end(&s);
}

/* Two had the CPU that it wanted, one after the other, and for a while nobody that is known. */
static void test_cpu(void **state)
{
	struct scene s = { 0 };

	make_task(&s.m, 10, 10, 1, "app");
	make_task(&s.m, 20, 20, 1, "hog");
	make_task(&s.m, 30, 30, 1, "pig");
	make_switch(&s.m, 0, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&s.m, 10, 0, 10, 20, CT_W_NONE, 0);
	make_switch(&s.m, 50, 0, 20, 30, CT_W_NONE, 0);
	make_switch(&s.m, 80, 0, 30, 0, CT_W_SLEEP, 0);
	make_switch(&s.m, 90, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_sums(s.a, 100 * MS);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "running"), 20);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "waiting for a CPU that hog[20] had"), 40);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "waiting for a CPU that pig[30] had"), 30);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "waiting for a CPU; who had it is not known"), 10);
	end(&s);
}

/* Two connections to one address are one; a disk is named by its device. */
static void test_outside(void **state)
{
	const uint8_t address[4] = { 10, 0, 0, 9 };
	struct scene s = { 0 };
	struct window_object *o;

	make_task(&s.m, 10, 10, 1, "app");
	for (uint64_t i = 0; i < 2; i++) {
		o = make_object(&s.m, REMOTE + i);
		o->family = 2;
		o->type = 1;
		o->protocol = 6;
		o->lport = (uint16_t)(4000 + i);
		o->rport = 443;
		memcpy(o->raddr, address, sizeof(address));
		memcpy(o->laddr, address, 3);
	}
	make_object(&s.m, FILE_A)->dev = 8 << 20 | 1;
	o = make_object(&s.m, CT_OBJ_ID(CT_OBJ_BLOCKDEV, 8 << 20 | 1));
	o->name = "sda1";
	make_switch(&s.m, 0, 0, 0, 10, CT_W_NONE, 0);
	for (uint64_t i = 0; i < 2; i++) {
		struct window_event *e;

		make_switch(&s.m, 10 + 20 * i, 0, 10, 0, CT_W_READ, REMOTE + i);
		e = make_event(&s.m, (20 + 20 * i) * MS, 0, CT_WAKE, 10, 0);
		e->r.state = CT_CTX_SOFTIRQ;
		e->r.wait = 3;
		e->r.flags = CT_WF_READY;
		e->r.obj = REMOTE + i;
		make_switch(&s.m, 20 + 20 * i, 0, 0, 10, CT_W_NONE, 0);
	}
	make_switch(&s.m, 50, 0, 10, 0, CT_W_READ, FILE_A)->r.flags = CT_SF_IOWAIT;
	make_event(&s.m, 80 * MS, 0, CT_WAKE, 10, 0)->r.state = CT_CTX_SOFTIRQ;
	make_switch(&s.m, 80, 0, 0, 10, CT_W_NONE, 0);
	play(&s, 10, 100);
	assert_sums(s.a, 100 * MS);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "network 10.0.0.9:443"), 20);
	assert_int_equal(row_ms(&s, ACCOUNT_RESOURCE, "disk sda1"), 30);
	end(&s);
}

/* Events that need not make sense: each group adds up to the range all the same. */
static void test_random(void **state)
{
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct make m = { 0 };
		uint32_t r = seed;
		uint64_t ms = random_window(&m, &r);
		struct graph *g;

		assert_int_equal(graph_build(make_done(&m, ms), &g), 0);
		for (uint32_t t = 0; t < g->n_tasks; t++) {
			uint64_t from = random_below(&r, (uint32_t)ms) * MS;
			uint64_t to = from + 1 + random_below(&r, 1000) * MS;
			struct account *a;
			struct path *p;

			assert_int_equal(path_walk(g, t, from, to, &p), 0);
			assert_int_equal(account_new(g, p, &a), 0);
			assert_sums(a, to - from);
			account_free(a);
			path_free(p);
		}
		graph_free(g);
		make_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
