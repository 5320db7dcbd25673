// SPDX-License-Identifier: GPL-2.0-or-later
/* A task polls a variable: which one, who writes it, and what kept that one from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/diagnose/diagnose.h"
#include "analysis/diagnose/flag.h"
#include "test/unit/trace/window_make.h"

#define VICTIM 10
#define SETTER 11
#define OTHER  12
#define FLAG   CT_OBJ_USER_ID(CT_OBJ_DATA, VICTIM, 0x5000)
#define MUTEX  CT_OBJ_FUTEX_ID(VICTIM, 0x4000)

struct made {
	struct make m;
	struct graph *g;
	struct diagnosis *d;
};

static void polled(struct make *m, uint64_t ms, uint8_t flags)
{
	struct window_event *e = make_event(m, ms * MS, 0, CT_POLLED, VICTIM, 0);

	e->r.obj = FLAG;
	e->r.flags = flags;
	e->x[1] = 0x5000;
}

static void wrote(struct make *m, uint64_t ms, uint32_t tid, uint64_t value)
{
	struct window_event *e = make_event(m, ms * MS, 1, CT_ACCESS, tid, 0);

	e->r.obj = FLAG;
	e->r.aux = 4;
	e->x[0] = value;
}

static void begin(struct made *t, const char *name)
{
	*t = (struct made){ 0 };
	make_task(&t->m, VICTIM, VICTIM, 1, "victim");
	make_task(&t->m, SETTER, VICTIM, 1, "setter");
	make_task(&t->m, OTHER, VICTIM, 1, "other");
	if (name)
		make_object(&t->m, FLAG)->name = name;
	make_switch(&t->m, 1, 1, 0, SETTER, CT_W_NONE, 0);
}

/* The victim yields from 3 to about to_ms, alone on its CPU. */
static void spin(struct made *t, uint64_t from_ms, uint64_t to_ms)
{
	for (uint64_t at = from_ms; at < to_ms; at += 4) {
		make_switch(&t->m, at, 0, 0, VICTIM, CT_W_NONE, 0);
		make_switch(&t->m, at + 3, 0, VICTIM, 0, CT_W_YIELD, 0);
	}
}

static void look(struct made *t, uint64_t from_ms, uint64_t to_ms)
{
	const struct window *w = make_done(&t->m, to_ms);

	assert_int_equal(graph_build(w, &t->g), 0);
	assert_int_equal(diagnose(t->g, graph_task_at(t->g, VICTIM, to_ms * MS), from_ms * MS, to_ms * MS,
				  NULL, &t->d),
			 0);
}

static void end(struct made *t)
{
	diagnosis_free(t->d);
	graph_free(t->g);
	make_free(&t->m);
}

static void assert_ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	if (n < k || strcmp(s + n - k, tail) != 0)
		fail_msg("\"%s\" does not end with \"%s\"", s, tail);
}

static void test_named(void **state)
{
	struct made t;

	begin(&t, "flag (prog)");
	make_switch(&t.m, 2, 1, SETTER, 0, CT_W_SLEEP, 0);
	spin(&t, 3, 1000);
	polled(&t.m, 1003, CT_QF_CODE);
	spin(&t, 1003, 2000);
	look(&t, 3, 2000);
	assert_int_equal(t.d->verdict, VERDICT_REPEATED_YIELD);
	assert_int_equal(t.d->chain[0].kind, RESOURCE_DATA_FLAG);
	assert_string_equal(t.d->chain[0].resource, "flag (prog)");
	assert_string_equal(t.d->watch, "ctrace watch --pid 10 --var flag");
	assert_ends_with(t.d->sentence, t.d->watch);
	end(&t);
}

/* What the shell would not leave alone, and what has no name, goes by its address; a library is named. */
static void test_command(void **state)
{
	static const struct {
		const char *name, *var;
	} cases[] = { { "ns::flag (prog)", "ns::flag" },
		      { "state+0x8 (libx.so.1)", "libx.so.1:state+0x8" },
		      { "f(x); rm (prog)", "0x5000" },
		      { "0x5000 (heap)", "0x5000" },
		      { "flag (`b`.so)", "0x5000" },
		      { NULL, "0x5000" },
		      { "flag", "0x5000" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[128];
		struct made t;

		begin(&t, cases[i].name);
		spin(&t, 3, 1000);
		polled(&t.m, 1003, CT_QF_CODE);
		spin(&t, 1003, 2000);
		look(&t, 3, 2000);
		snprintf(want, sizeof(want), "ctrace watch --pid 10 --var %s", cases[i].var);
		assert_string_equal(t.d->watch, want);
		end(&t);
	}
}

/* It never yields, but every look has shown that it does nothing else. */
static void test_without_calls(void **state)
{
	struct made t;

	begin(&t, "flag (prog)");
	make_switch(&t.m, 2, 1, SETTER, 0, CT_W_SLEEP, 0);
	make_switch(&t.m, 3, 0, 0, VICTIM, CT_W_NONE, 0);
	polled(&t.m, 500, CT_QF_CODE | CT_QF_SPIN);
	make_switch(&t.m, 2000, 0, VICTIM, 0, CT_W_SLEEP, 0);
	look(&t, 3, 2000);
	assert_int_equal(t.d->verdict, VERDICT_REPEATED_YIELD);
	end(&t);

	/* a variable that it merely reads while it computes */
	begin(&t, "flag (prog)");
	make_switch(&t.m, 3, 0, 0, VICTIM, CT_W_NONE, 0);
	polled(&t.m, 500, CT_QF_CODE);
	make_switch(&t.m, 2000, 0, VICTIM, 0, CT_W_SLEEP, 0);
	look(&t, 3, 2000);
	assert_int_equal(t.d->verdict, VERDICT_LONG_RUNNING);
	assert_null(t.d->watch);
	end(&t);
}

/* The write that ends it: the writer waited for a mutex, and so on. */
static void test_writer(void **state)
{
	struct made t;

	begin(&t, "flag (prog)");
	make_event(&t.m, 2 * MS, 1, CT_FUTEX, SETTER, OTHER)->r.obj = MUTEX;
	make_switch(&t.m, 2, 1, SETTER, OTHER, CT_W_FUTEX, MUTEX);
	spin(&t, 3, 1000);
	polled(&t.m, 1003, CT_QF_CODE);
	spin(&t, 1003, 1990);
	make_wake(&t.m, 1993, 1, SETTER, OTHER, MUTEX);
	make_switch(&t.m, 1994, 1, OTHER, SETTER, CT_W_SLEEP, 0);
	wrote(&t.m, 1995, SETTER, 1);
	make_switch(&t.m, 1996, 0, 0, VICTIM, CT_W_NONE, 0);
	make_switch(&t.m, 1997, 0, VICTIM, 0, CT_W_SLEEP, 0);
	look(&t, 3, 1997);
	assert_int_equal(t.d->verdict, VERDICT_REPEATED_YIELD);
	assert_int_equal(t.d->n_chain, 3);
	assert_int_equal(t.d->chain[0].edge, EDGE_FLAG);
	assert_int_equal(t.d->chain[0].strength, EDGE_STRONG);
	assert_int_equal(t.d->chain[1].tid, SETTER);
	assert_int_equal(t.d->chain[2].tid, OTHER);
	assert_int_equal(t.d->cause, CAUSE_LOCK_HOLDER);
	assert_non_null(t.d->watch);
	assert_null(strstr(t.d->sentence, "ctrace watch"));
	end(&t);
}

/* It has not come yet: who wrote it every time before; of several it is not sure. */
static void test_missing(void **state)
{
	for (int several = 0; several <= 1; several++) {
		struct made t;

		begin(&t, "flag (prog)");
		wrote(&t.m, 1, several ? OTHER : SETTER, 1);
		wrote(&t.m, 2, VICTIM, 0);
		wrote(&t.m, 3, SETTER, 1);
		wrote(&t.m, 4, VICTIM, 0);
		make_switch(&t.m, 5, 1, SETTER, 0, CT_W_SLEEP, 0);
		spin(&t, 5, 1000);
		polled(&t.m, 1003, CT_QF_CODE);
		spin(&t, 1003, 2000);
		look(&t, 5, 2000);
		assert_int_equal(t.d->n_chain, 2);
		assert_int_equal(t.d->chain[1].tid, SETTER);
		assert_int_equal(t.d->chain[0].strength, several ? EDGE_BOOSTED : EDGE_STRONG);
		end(&t);
	}
}

/* It is watched, and nobody but the one who polls has written it: nobody is guessed. */
static void test_nobody(void **state)
{
	struct made t;

	begin(&t, "flag (prog)");
	wrote(&t.m, 2, VICTIM, 0);
	make_switch(&t.m, 2, 1, SETTER, 0, CT_W_SLEEP, 0);
	spin(&t, 3, 1000);
	polled(&t.m, 1003, CT_QF_CODE);
	spin(&t, 1003, 2000);
	look(&t, 3, 2000);
	assert_int_equal(t.d->n_chain, 1);
	assert_int_equal(t.d->cause, CAUSE_POLLING);
	end(&t);
}

/* Each polls what the other one sets. */
static void test_circle(void **state)
{
	struct made t;

	begin(&t, "flag (prog)");
	make_event(&t.m, 2 * MS, 1, CT_FUTEX, SETTER, VICTIM)->r.obj = MUTEX;
	wrote(&t.m, 2, SETTER, 1);
	make_switch(&t.m, 2, 1, SETTER, 0, CT_W_FUTEX, MUTEX);
	spin(&t, 3, 1000);
	polled(&t.m, 1003, CT_QF_CODE);
	spin(&t, 1003, 2000);
	look(&t, 3, 2000);
	assert_int_equal(t.d->n_chain, 2);
	assert_int_equal(t.d->chain[1].tid, SETTER);
	end(&t);
}

/* Of two that are watched, and that it reads, it is the one that another task writes: whichever comes first.
 */
static void test_two_watched(void **state)
{
	for (uint64_t step = 0; step < 2; step++) {
		uint64_t other = step ? FLAG - 8 : FLAG + 8;
		struct window_event *e;
		struct flag f;
		struct made t;

		begin(&t, "flag (prog)");
		spin(&t, 3, 1000);
		wrote(&t.m, 900, SETTER, 1);
		wrote(&t.m, 901, VICTIM, 1);
		e = make_event(&t.m, 902 * MS, 0, CT_ACCESS, VICTIM, 0);
		e->r.obj = other;
		e->r.state = 1;
		look(&t, 3, 1000);
		f = flag_find(t.g, graph_task_at(t.g, VICTIM, 900 * MS), 3 * MS, 1000 * MS);
		assert_true(f.obj == FLAG);
		assert_int_equal(t.g->tasks[f.writer].tid, SETTER);
		end(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),         cmocka_unit_test(test_command),
		cmocka_unit_test(test_without_calls), cmocka_unit_test(test_writer),
		cmocka_unit_test(test_missing),       cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_circle),        cmocka_unit_test(test_two_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
