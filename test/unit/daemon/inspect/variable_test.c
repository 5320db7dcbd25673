// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/inspect/variable.h"

int variable_test_global = 1;
static volatile int variable_test_static;
static struct {
	long a, b;
} variable_test_pair;
static _Thread_local volatile int variable_test_own;

/* The name has an escape sequence of terminals, and a byte that is no text. */
__asm__(".data\n.globl \"variable_odd\033[31m\377\"\n.type \"variable_odd\033[31m\377\", @object\n"
	".size \"variable_odd\033[31m\377\", 4\n\"variable_odd\033[31m\377\":\nvariable_odd_here: .long "
	"1\n.text");
extern int variable_odd_here;

static struct variable_maps maps;
static char err[VARIABLE_ERR_MAX];

static int setup(void **state)
{
	return variable_maps_read(&maps, (uint32_t)getpid());
}

static int teardown(void **state)
{
	variable_maps_done(&maps);
	return 0;
}

static uint64_t found(const char *spec, struct variable *v)
{
	int r = variable_find(&maps, spec, v, err);

	if (r)
		fail_msg("%s: %s", spec, err);
	return v->addr;
}

static void test_by_name(void **state)
{
	struct variable v;

	assert_int_equal(found("variable_test_global", &v), (uintptr_t)&variable_test_global);
	assert_int_equal(v.size, sizeof(int));
	assert_int_equal(found("variable_test_static", &v), (uintptr_t)&variable_test_static);
	assert_int_equal(found("variable_test.c:variable_test_static", &v), (uintptr_t)&variable_test_static);
	assert_int_equal(found("variable_test:variable_test_static", &v), (uintptr_t)&variable_test_static);
	assert_string_equal(v.module, "variable_test");
	assert_int_equal(found("variable_test_pair+8", &v), (uintptr_t)&variable_test_pair.b);
	assert_int_equal(v.off, 8);
	assert_int_equal(v.size, sizeof(variable_test_pair));
	/* the name of environ in the C library may have a version */
	assert_int_equal(found("environ", &v), (uintptr_t)&environ);
	assert_string_equal(v.name, "environ");
}

static void test_by_address(void **state)
{
	char spec[32], text[256];
	int *heap = malloc(sizeof(*heap));
	struct variable v;

	snprintf(spec, sizeof(spec), "%p", (void *)&variable_test_pair.b);
	assert_int_equal(found(spec, &v), (uintptr_t)&variable_test_pair.b);
	variable_text(&v, text, sizeof(text));
	assert_string_equal(text, "variable_test_pair+0x8 (variable_test)");
	assert_int_equal(variable_at(&maps, (uintptr_t)&variable_test_static, &v), 0);
	variable_text(&v, text, sizeof(text));
	assert_string_equal(text, "variable_test_static (variable_test)");
	/* the heap may be newer than the old list of mappings */
	teardown(NULL);
	assert_int_equal(setup(NULL), 0);
	assert_int_equal(variable_at(&maps, (uintptr_t)heap, &v), 0);
	assert_string_equal(v.name, "");
	assert_int_equal(variable_at(&maps, 8, &v), -ENOENT);
	free(heap);
}

static void refused(const char *spec, int r, const char *words)
{
	struct variable v;

	assert_int_equal(variable_find(&maps, spec, &v, err), r);
	if (!strstr(err, words))
		fail_msg("%s: \"%s\" is not in: %s", spec, words, err);
}

static void test_refusals(void **state)
{
	variable_test_own = variable_test_static;
	refused("variable_test_globel", -ENOENT, "it has variable_test_global");
	refused("no_such_thing_anywhere", -ENOENT, "give the address");
	refused("libc.so:variable_test_global", -ENOENT, "libc.so");
	refused("main", -EINVAL, "is a function");
	refused("variable_test_own", -EINVAL, "thread-local");
	refused("0x8", -EFAULT, "Nothing is mapped");
	refused("0xzz", -EINVAL, "not an address");
	refused("variable_test_pair+x", -EINVAL, "write SYMBOL");
	refused("libc.so:", -EINVAL, "write SYMBOL");
	refused("", -EINVAL, "write SYMBOL");
}

static void test_odd_names(void **state)
{
	char text[256];
	struct variable v;

	refused("variable_odd", -ENOENT, "it has variable_odd\\x1b[31m\\xff");
	assert_int_equal(variable_at(&maps, (uintptr_t)&variable_odd_here, &v), 0);
	variable_text(&v, text, sizeof(text));
	assert_string_equal(text, "variable_odd\\x1b[31m\\xff (variable_test)");
}

static void test_no_process(void **state)
{
	struct variable_maps m;

	assert_int_equal(variable_maps_read(&m, 4194304), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_name),    cmocka_unit_test(test_by_address),
		cmocka_unit_test(test_refusals),   cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_no_process),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
