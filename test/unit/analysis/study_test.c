// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/delta/study.h"

#define RUNS_MAX 16

struct runs {
	struct study_run v[RUNS_MAX];
	size_t n;
};

static struct profile_part a_part(const char *key, enum part_class class, uint64_t ns)
{
	return (struct profile_part){ .key = strdup(key),
				      .detail = strdup(""),
				      .text = strdup(key),
				      .ns = ns,
				      .count = 1,
				      .class = class };
}

static void add(struct runs *r, const char *label, bool known, uint64_t running_ns, uint64_t cpu_ns)
{
	struct profile *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->parts = calloc(2, sizeof(*p->parts));
	assert_non_null(p->parts);
	p->parts[p->n_parts++] = a_part("queue", PART_CLASS_CPU, cpu_ns);
	p->parts[p->n_parts++] = a_part("run", PART_CLASS_RUNNING, running_ns);
	p->total_ns = running_ns + cpu_ns;
	r->v[r->n++] = (struct study_run){ p, label, known };
}

static struct study *studied(struct runs *r, enum delta_metric metric)
{
	struct study *s = NULL;

	assert_int_equal(study_new(r->v, r->n, metric, &s), 0);
	for (size_t i = 0; i < s->n_groups; i++) {
		uint64_t sum = 0;

		for (size_t c = 0; c < PART_CLASSES; c++)
			sum += s->groups[i].class_ns[c];
		assert_true(sum == s->groups[i].delta->new.value_ns);
	}
	for (size_t i = 0; i < r->n; i++)
		profile_free((struct profile *)r->v[i].profile);
	return s;
}

static void one_group(void **state)
{
	struct runs r = { .n = 0 };
	struct study *s;

	add(&r, "2", true, 10, 5);
	add(&r, "2", true, 12, 7);
	s = studied(&r, DELTA_MEAN);
	assert_int_equal(s->n_groups, 1);
	assert_int_equal(s->furthest, 0);
	assert_int_equal(s->groups[0].delta->new.runs, 2);
	assert_int_equal(s->groups[0].class_ns[PART_CLASS_RUNNING], 11);
	assert_int_equal(s->groups[0].class_ns[PART_CLASS_CPU], 6);
	assert_null(study_reason(&s->groups[0]));
	study_free(s);
}

static void groups_in_order(void **state)
{
	struct runs r = { .n = 0 };
	struct study *s;

	add(&r, "b", true, 100, 10);
	add(&r, "a", true, 100, 50);
	add(&r, "c", true, 20, 60);
	add(&r, "b", true, 100, 20);
	add(&r, "a", true, 110, 60);
	s = studied(&r, DELTA_MAX);
	assert_int_equal(s->n_groups, 3);
	assert_int_equal(s->groups[0].first, 0);
	assert_int_equal(s->groups[1].first, 1);
	assert_int_equal(s->groups[2].first, 2);
	assert_int_equal(s->groups[0].delta->new.runs, 2);
	assert_int_equal(s->groups[1].delta->new.value_ns, 170);
	assert_int_equal(s->groups[1].delta->difference_ns, 50);
	assert_string_equal(study_reason(&s->groups[1])->text, "queue");
	assert_int_equal(study_reason(&s->groups[1])->difference_ns, 40);
	/* "queue" grew by 40 ns, but the whole shrank: the reason is "run", which shrank */
	assert_int_equal(s->groups[2].delta->difference_ns, -40);
	assert_string_equal(study_reason(&s->groups[2])->text, "run");
	assert_int_equal(s->furthest, 1);
	study_free(s);
}

/* The first run has no known settings, so the first group is that of the second run. */
static void unknown_comes_last(void **state)
{
	struct runs r = { .n = 0 };
	struct study *s;

	add(&r, "?", false, 7, 0);
	add(&r, "2", true, 10, 0);
	add(&r, "x ?", false, 8, 0);
	add(&r, "1", true, 10, 9);
	add(&r, "?", false, 9, 0);
	s = studied(&r, DELTA_MEAN);
	assert_int_equal(s->n_groups, 4);
	assert_int_equal(s->groups[0].first, 1);
	assert_int_equal(s->groups[1].first, 3);
	assert_int_equal(s->groups[2].first, 0);
	assert_int_equal(s->groups[2].delta->new.runs, 2);
	assert_int_equal(s->groups[2].delta->difference_ns, -2);
	assert_int_equal(s->groups[3].first, 2);
	study_free(s);
}

static void nothing_is_known(void **state)
{
	struct runs r = { .n = 0 };
	struct study *s;

	add(&r, "?", false, 7, 1);
	s = studied(&r, DELTA_P50);
	assert_int_equal(s->n_groups, 1);
	assert_int_equal(s->groups[0].delta->new.value_ns, 8);
	study_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_group),
		cmocka_unit_test(groups_in_order),
		cmocka_unit_test(unknown_comes_last),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
