// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/compare/by.h"

static void keys(void **state)
{
	static const char *const wrong[] = {
		"",
		",",
		"cpu",
		"cpuss",
		"cpus,",
		",cpus",
		"cpus,,kernel",
		"cpus,cpus",
		"cpus, kernel",
		"cpus,kernel,cgroup,governor,cpus",
	};
	struct by by;

	assert_int_equal(by_parse("cpus", &by), 0);
	assert_int_equal(by.n, 1);
	assert_int_equal(by.keys[0], BY_CPUS);
	assert_int_equal(by_parse("kernel,cgroup,cpus,governor", &by), 0);
	assert_int_equal(by.n, 4);
	assert_int_equal(by.keys[0], BY_KERNEL);
	assert_int_equal(by.keys[3], BY_GOVERNOR);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(by_parse(wrong[i], &by), -EINVAL);
}

static void labels(void **state)
{
	struct baseline_machine m = { .kernel = "6.1", .cgroup = "none", .cpus = 8, .allowed_cpus = 2 };
	char buf[BY_LABEL_MAX];
	struct by by;

	assert_int_equal(by_parse("cpus,cgroup", &by), 0);
	assert_true(by_label(&m, &by, buf));
	assert_string_equal(buf, "cpus 2, cgroup none");
	assert_int_equal(by_parse("kernel,governor", &by), 0);
	assert_false(by_label(&m, &by, buf));
	assert_string_equal(buf, "kernel 6.1, governor not known");
	/* m says how many CPUs the machine has, but not how many of them the command may use. */
	m.allowed_cpus = 0;
	assert_int_equal(by_parse("cpus", &by), 0);
	assert_false(by_label(&m, &by, buf));
	assert_string_equal(buf, "cpus not known");
}

static void long_labels(void **state)
{
	struct baseline_machine m = { .allowed_cpus = 8192 };
	char buf[BY_LABEL_MAX];
	struct by by;

	memset(m.kernel, 'k', sizeof(m.kernel) - 1);
	memset(m.governor, 'g', sizeof(m.governor) - 1);
	memset(m.cgroup, 'c', sizeof(m.cgroup) - 1);
	assert_int_equal(by_parse("governor,cgroup,cpus,kernel", &by), 0);
	assert_true(by_label(&m, &by, buf));
	assert_int_equal(buf[strlen(buf) - 1], 'k');
	assert_int_equal(strlen(buf), 3 * 127 + 4 + strlen("governor , cgroup , cpus , kernel "));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keys), cmocka_unit_test(labels),
					    cmocka_unit_test(long_labels) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
