// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/slice/rules.h"
#include "lib/cleanup.h"
#include "test/unit/trace/window_make.h"

#define CLIENT CT_OBJ_ID(CT_OBJ_SOCK, 100)
#define SERVER CT_OBJ_ID(CT_OBJ_SOCK, 101)
#define LISTEN CT_OBJ_ID(CT_OBJ_SOCK, 102)
#define NAMED  CT_OBJ_ID(CT_OBJ_SOCK, 103)
#define PAIR   CT_OBJ_ID(CT_OBJ_SOCK, 104)
#define UDP    CT_OBJ_ID(CT_OBJ_SOCK, 105)
#define SIX    CT_OBJ_ID(CT_OBJ_SOCK, 106)
#define PIPE   CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define MUTEX  CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000)
#define FILE_  CT_OBJ_ID(CT_OBJ_FILE, 5)
#define PROC   CT_OBJ_ID(CT_OBJ_FILE, 6)
#define DEEP   CT_OBJ_ID(CT_OBJ_FILE, 7)
#define STACK  4711

struct fixture {
	struct make m;
	struct graph *g;
	struct rules rules;
	uint32_t bus, x;
};

static void inet(struct make *m, uint64_t id, uint8_t protocol, uint16_t lport, uint16_t rport, uint8_t state)
{
	struct window_object *o = make_object(m, id);

	o->family = 2;
	o->protocol = protocol;
	o->type = protocol == 6 ? 1 : 2;
	o->lport = lport;
	o->rport = rport;
	o->state = state;
	o->laddr[0] = 127;
	o->laddr[3] = 1;
	memcpy(o->raddr, o->laddr, sizeof(o->raddr));
}

static int setup(void **state)
{
	static const char *frames[] = { "k:futex_wait+0x8c", "poll+0x4f (libc.so.6)",
					"XNextEvent+0x11 (libX11.so.6)", "main+0x1 (app)" };
	static struct window_stack stack = { .id = STACK, .n_frames = ARRAY_SIZE(frames), .frames = frames };
	struct fixture *f = calloc(1, sizeof(*f));
	struct window_object *o;

	make_task(&f->m, 10, 10, 1, "dbus-daemon");
	make_task(&f->m, 20, 20, 1, "X");
	make_switch(&f->m, 1, 0, 0, 10, CT_W_NONE, 0);
	make_switch(&f->m, 1, 1, 0, 20, CT_W_NONE, 0);
	inet(&f->m, CLIENT, 6, 40000, 8080, 1);
	inet(&f->m, SERVER, 6, 8080, 40000, 1);
	inet(&f->m, LISTEN, 6, 8080, 0, 10);
	inet(&f->m, UDP, 17, 45000, 0, 7);
	inet(&f->m, SIX, 6, 50001, 50000, 1);
	o = make_object(&f->m, NAMED);
	o->family = 1;
	o->name = "/run/b*s[1]";
	make_object(&f->m, PAIR)->family = 1;
	make_object(&f->m, FILE_)->name = "/var/lib/x.db";
	make_object(&f->m, PROC)->name = "/proc/123/maps";
	make_object(&f->m, DEEP)->name = ".../share/x.db";
	f->m.w.stacks = &stack;
	f->m.w.n_stacks = 1;
	assert_int_equal(graph_build(make_done(&f->m, 1000), &f->g), 0);
	f->bus = graph_task_at(f->g, 10, MS);
	f->x = graph_task_at(f->g, 20, MS);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rules_done(&f->rules);
	graph_free(f->g);
	make_free(&f->m);
	free(f);
	return 0;
}

static struct rule *push(struct fixture *f)
{
	assert_int_equal(VEC_PUSH(&f->rules.v, (struct rule){ 0 }), 0);
	return &f->rules.v.v[f->rules.v.n - 1];
}

static struct rule_facts wake(const struct fixture *f, uint64_t obj)
{
	return (struct rule_facts){
		.edge = EDGE_WAKE, .from = f->bus, .to = f->x, .obj = obj, .stack = STACK, .ts_ns = 2 * MS
	};
}

static bool matches(struct fixture *f, const struct rule_facts *facts)
{
	return rules_find(&f->rules, f->g, facts) != NULL;
}

static void test_none(void **state)
{
	struct fixture *f = *state;
	struct rule_facts facts = wake(f, PIPE);

	assert_null(rules_match(NULL, f->g, &facts));
	assert_null(rules_match(&f->rules, f->g, &facts));
}

static void test_empty_matches_all_and_first_wins(void **state)
{
	struct fixture *f = *state;
	struct rule_facts facts = wake(f, 0);

	facts.from = facts.to = GRAPH_NONE;
	facts.stack = 0;
	push(f)->verdict = RULE_CAUSE;
	push(f)->verdict = RULE_NOT_CAUSE;
	assert_int_equal(rules_match(&f->rules, f->g, &facts)->verdict, RULE_CAUSE);
	assert_int_equal(f->rules.v.v[0].applied, 1);
	assert_int_equal(f->rules.v.v[1].applied, 0);
	assert_non_null(rules_find(&f->rules, f->g, &facts));
	assert_int_equal(f->rules.v.v[0].applied, 1);
}

static void test_fields(void **state)
{
	struct fixture *f = *state;
	struct rule_facts facts = wake(f, FILE_), other;
	struct rule *x = push(f);

	strcpy(x->edge, "wake");
	strcpy(x->from, "dbus-daemon");
	strcpy(x->to, "X");
	strcpy(x->object_kind, "disk");
	x->object = strdup("/var/*.db");
	assert_true(matches(f, &facts));
	other = facts;
	other.edge = EDGE_MESSAGE;
	assert_false(matches(f, &other));
	other = facts;
	other.from = f->x;
	assert_false(matches(f, &other));
	other = facts;
	other.from = GRAPH_NONE;
	assert_false(matches(f, &other));
	other = facts;
	other.to = f->bus;
	assert_false(matches(f, &other));
	other = facts;
	other.obj = PIPE;
	assert_false(matches(f, &other));
	other.obj = PROC;
	assert_false(matches(f, &other));
}

static void test_frame(void **state)
{
	struct fixture *f = *state;
	struct rule_facts facts = wake(f, PIPE);
	struct rule *x = push(f);

	x->frame = strdup("XNextEvent");
	assert_true(matches(f, &facts));
	facts.stack = 0;
	assert_false(matches(f, &facts));
	facts.stack = STACK;
	strcpy(x->frame, "XNext");
	assert_false(matches(f, &facts));
	free(x->frame);
	x->frame = strdup("futex_wait");
	assert_true(matches(f, &facts));
	free(x->frame);
	x->frame = strdup("k:futex_wait");
	assert_true(matches(f, &facts));
	free(x->frame);
	x->frame = strdup("k:poll");
	assert_false(matches(f, &facts));
}

/* Returns the rule's pattern for the name of obj, or NULL if the rule has none. */
static const char *kept(struct fixture *f, uint64_t obj)
{
	struct rule_facts facts = wake(f, obj);

	rules_done(&f->rules);
	assert_int_equal(rules_add(&f->rules, f->g, &facts, RULE_NOT_CAUSE), 0);
	assert_int_equal(f->rules.v.n, 1);
	assert_true(matches(f, &facts));
	assert_string_equal(f->rules.v.v[0].from, "dbus-daemon");
	assert_string_equal(f->rules.v.v[0].to, "X");
	assert_string_equal(f->rules.v.v[0].edge, "wake");
	return f->rules.v.v[0].object;
}

static void test_kept_without_ids(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(kept(f, SERVER), "tcp 127.0.0.1:8080->*");
	assert_string_equal(kept(f, CLIENT), "tcp *->127.0.0.1:8080");
	assert_string_equal(kept(f, LISTEN), "tcp 127.0.0.1:8080 (listening)");
	assert_string_equal(kept(f, SIX), "tcp *->127.0.0.1:50000");
	assert_null(kept(f, UDP));
	assert_string_equal(kept(f, NAMED), "unix /run/b\\*s\\[1]");
	assert_null(kept(f, PAIR));
	assert_string_equal(f->rules.v.v[0].object_kind, "unix");
	assert_null(kept(f, PIPE));
	assert_string_equal(f->rules.v.v[0].object_kind, "pipe");
	assert_null(kept(f, MUTEX));
	assert_string_equal(f->rules.v.v[0].object_kind, "futex");
	assert_string_equal(kept(f, FILE_), "/var/lib/x.db");
	assert_string_equal(kept(f, PROC), "/proc/*/maps");
	assert_string_equal(kept(f, DEEP), "*/share/x.db");
	assert_null(kept(f, 0));
	assert_string_equal(f->rules.v.v[0].object_kind, "");
}

static void test_kept_holds_for_the_like(void **state)
{
	struct fixture *f = *state;
	struct rule_facts a = wake(f, PIPE), b = wake(f, PIPE + 1), c = wake(f, MUTEX);

	assert_int_equal(rules_add(&f->rules, f->g, &a, RULE_NOT_CAUSE), 0);
	assert_true(matches(f, &b));
	assert_false(matches(f, &c));
}

static void test_a_socket_is_known_by_both_ends(void **state)
{
	struct fixture *f = *state;
	struct rule_facts client = wake(f, CLIENT), server = wake(f, SERVER), other = wake(f, SIX);

	assert_int_equal(rules_add(&f->rules, f->g, &server, RULE_NOT_CAUSE), 0);
	assert_true(matches(f, &client));
	assert_false(matches(f, &other));
}

static void test_a_new_answer_replaces_the_old_one(void **state)
{
	struct fixture *f = *state;
	struct rule_facts a = wake(f, FILE_);

	assert_int_equal(rules_add(&f->rules, f->g, &a, RULE_NOT_CAUSE), 0);
	assert_int_equal(rules_add(&f->rules, f->g, &a, RULE_CAUSE), 0);
	assert_int_equal(f->rules.v.n, 1);
	assert_int_equal(rules_match(&f->rules, f->g, &a)->verdict, RULE_CAUSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_empty_matches_all_and_first_wins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(test_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept_without_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept_holds_for_the_like, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_socket_is_known_by_both_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_new_answer_replaces_the_old_one, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
