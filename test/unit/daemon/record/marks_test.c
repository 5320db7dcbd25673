/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/record/marks.h"
#include "daemon/stream.h"
#include "daemon/thresholds.h"
#include "lib/clock.h"
#include "trace/words/markname.h"

#define NOW (100 * NSEC_PER_SEC)

static void names(void **state)
{
	char longest[CT_MARK_NAME_MAX + 2] = "";

	memset(longest, 'x', CT_MARK_NAME_MAX);
	assert_true(markname_ok(longest));
	longest[CT_MARK_NAME_MAX] = 'x';
	assert_false(markname_ok(longest));
	assert_false(markname_ok(""));
	assert_true(markname_ok(" "));
	assert_true(markname_ok("caf\xc3\xa9"));
	assert_false(markname_ok("a\x1f"));
	assert_false(markname_ok("a\x7f"));
}

static bool no_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : __real_calloc(n, size);
}

static int take(struct marks *m, const char *name, uint64_t now_ns)
{
	const struct mark mark = { .name = name, .tid = 7, .made_ns = now_ns };
	void *data = NULL;
	size_t size;
	int r = marks_take(m, &mark, now_ns, &data, &size);

	free(data);
	return r;
}

static void per_second(void **state)
{
	struct marks m = { 0 };

	for (int i = 0; i < MARKS_PER_SECOND; i++)
		assert_int_equal(take(&m, "a", NOW + i), 0);
	assert_int_equal(take(&m, "a", NOW + NSEC_PER_SEC - 1), -EBUSY);
	assert_int_equal(take(&m, "a", NOW + NSEC_PER_SEC), 0);
	assert_int_equal(m.recorded, MARKS_PER_SECOND + 1);
	assert_int_equal(m.refused, 1);
	marks_done(&m);
}

static void different_names(void **state)
{
	struct marks m = { 0 };
	char name[16];

	for (unsigned i = 0; i < MARKS_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(take(&m, name, NOW + i * NSEC_PER_SEC), 0);
	}
	assert_int_equal(take(&m, "one more", NOW * NSEC_PER_SEC), -ENOSPC);
	assert_int_equal(take(&m, "n7", NOW * NSEC_PER_SEC), 0);
	assert_int_equal(m.names.n, MARKS_NAMES_MAX);
	assert_int_equal(m.refused, 1);
	marks_done(&m);
}

static void without_memory(void **state)
{
	struct marks m = { 0 };

	assert_int_equal(take(&m, "a", NOW), 0);
	no_memory = true;
	assert_int_equal(take(&m, "a", NOW), -ENOMEM);
	no_memory = false;
	assert_int_equal(m.recorded, 1);
	assert_int_equal(m.refused, 1);
	marks_done(&m);
}

/* Returns the record CT_MARK. *ret: the stream that has the record; the caller frees *ret.
 * *ret_words: the data of the record. */
static const struct ct_rec *record_of(const struct mark *mark, const uint64_t **ret_words, void **ret)
{
	const struct ct_object_blob *name;
	struct marks m = { 0 };
	const struct ct_rec *r;
	size_t size, n;

	assert_int_equal(marks_take(&m, mark, NOW, ret, &size), 0);
	marks_done(&m);
	name = *ret;
	n = stream_first(name, size);
	assert_int_equal(name->h.kind, CT_OBJECT);
	assert_int_equal(n, name->h.size);
	assert_int_equal(name->name_len, strlen(mark->name));
	assert_memory_equal(name->name, mark->name, name->name_len);
	r = (const struct ct_rec *)((const char *)name + n);
	assert_int_equal(stream_first(r, size - n), size - n);
	assert_int_equal(r->kind, CT_MARK);
	assert_true(r->obj == name->id && r->obj == markname_id(mark->name));
	assert_true(r->ts == NOW && r->tid == 7 && r->state == mark->what);
	*ret_words = (const uint64_t *)(r + 1);
	return r;
}

static void records(void **state)
{
	static const struct {
		const char *id;
		uint64_t made_ns, want_id, want_ns;
	} cases[] = {
		{ NULL, NOW - 5, 0, NOW - 5 },
		{ "7", NOW, 7, NOW },
		{ "999999999999999999", NOW - MARKS_LATE_NS, 999999999999999999, NOW - MARKS_LATE_NS },
		{ "1000000000000000000", NOW - MARKS_LATE_NS - 1, 0, NOW },
		{ "0", NOW + 1, 0, NOW },
		{ "7a", UINT64_MAX, 0, NOW },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mark mark = { .name = i % 2 ? "12345678" : "a",
				     .id = cases[i].id,
				     .what = CT_MARK_END,
				     .tid = 7,
				     .made_ns = cases[i].made_ns,
				     .flags = CT_MF_PARENT };
		const uint64_t *x;
		void *data;
		const struct ct_rec *r = record_of(&mark, &x, &data);
		bool hashed = mark.id && !cases[i].want_id;

		assert_int_equal(r->flags, hashed ? CT_MF_PARENT | CT_MF_HASHED : CT_MF_PARENT);
		assert_true(hashed ? x[0] != 0 : x[0] == cases[i].want_id);
		assert_true(x[1] == cases[i].want_ns);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),           cmocka_unit_test(per_second),
		cmocka_unit_test(different_names), cmocka_unit_test(without_memory),
		cmocka_unit_test(records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
