// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "lib/cleanup.h"
#include "trace/format/crc32c.h"
#include "trace/format/file_index.h"
#include "test/unit/trace/trace_fixture.h"
#include "test/unit/trace/window_same.h"

#define SEGMENTS 24
#define NS_SEC   1000000000ULL

static const unsigned counts[] = { 1, 2, 3, 8, 100 };

static void make_trace(struct fixture *f)
{
	fixture_open(f, 4 * FIXTURE_BYTES);
	for (uint32_t i = 0; i < SEGMENTS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "task-%u", i / 3);
		fixture_task(f, 1000 + i % 4, name);
		fixture_object(f, CT_OBJ_ID(CT_OBJ_PIPE, i % 5), 0, name);
		fixture_busy(f, i % 5 == 2 ? 20000 : 50 * i);
		for (uint8_t kind = 1; kind <= CT_KIND_LAST && i % 2; kind++) {
			struct window_record e = fixture_record(f, kind);

			fixture_add(f, &e);
		}
		fixture_seal(f);
	}
	writer_free(f->w);
	f->w = NULL;
}

static int load(const struct fixture *f, unsigned threads, uint64_t from, uint64_t to, uint64_t kinds,
		struct window **ret, char err[READER_ERR_MAX])
{
	struct reader *r = NULL;
	int e;

	*ret = NULL;
	*err = 0;
	e = reader_open(f->path, &r, err);
	if (!e) {
		reader_use_threads(r, threads);
		reader_want_kinds(r, kinds);
		e = window_load(r, from, to, 0, ret, err);
	}
	reader_free(r);
	return e;
}

static void check_same(const struct fixture *f, uint64_t from, uint64_t to, uint64_t kinds)
{
	char err[READER_ERR_MAX], err_n[READER_ERR_MAX];
	struct window *w, *w_n;
	int e = load(f, 0, from, to, kinds, &w, err);

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		assert_int_equal(load(f, counts[i], from, to, kinds, &w_n, err_n), e);
		assert_string_equal(err_n, err);
		assert_true(e || window_same(w, w_n));
		window_free(w_n);
	}
	window_free(w);
}

static void the_same_window(void **state)
{
	struct fixture *f = *state;
	uint64_t began_ns = f->now;

	make_trace(f);
	check_same(f, 0, UINT64_MAX, 0);
	check_same(f, 0, UINT64_MAX, 1ULL << CT_GAP);
	for (int i = 0; i < 10; i++) {
		uint64_t from = began_ns + fixture_random(f) % (f->now - began_ns);

		check_same(f, from, from + fixture_random(f) % (f->now - from), 0);
	}
	check_same(f, f->now + NS_SEC, UINT64_MAX, 0);
}

static void change(struct fixture *f, uint8_t *slot, bool sealed)
{
	struct format_segment h;

	memcpy(&h, slot, sizeof(h));
	slot[h.header_bytes + fixture_random(f) % h.body_bytes] ^= (uint8_t)(1 << fixture_random(f) % 8);
	if (!sealed)
		return;
	h.body_crc = crc32c(0, slot + h.header_bytes, h.body_bytes);
	memcpy(slot, &h, sizeof(h));
	h.crc = file_index_segment_crc(slot, h.header_bytes);
	memcpy(slot, &h, sizeof(h));
}

static void the_same_damage(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ uint8_t *bytes = NULL, *copy = NULL;
	size_t n;

	make_trace(f);
	bytes = fixture_slurp(f->path, &n);
	copy = malloc(n);
	assert_non_null(copy);
	for (int round = 0; round < 20; round++) {
		uint64_t share = fixture_random(f) % 5;

		memcpy(copy, bytes, n);
		for (size_t at = FORMAT_SLOT_BYTES; at < n; at += FORMAT_SLOT_BYTES)
			if (!memcmp(copy + at, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES) &&
			    fixture_random(f) % 4 < share)
				change(f, copy + at, fixture_random(f) % 2);
		fixture_spew(f->path, copy, n);
		check_same(f, 0, UINT64_MAX, 0);
	}
}

static void only_some_kinds(void **state)
{
	const uint64_t kinds = 1ULL << CT_GAP | 1ULL << CT_SHED;
	struct fixture *f = *state;
	char err[READER_ERR_MAX];
	struct window *all, *some;
	size_t at = 0;

	make_trace(f);
	assert_int_equal(load(f, 2, 0, UINT64_MAX, 0, &all, err), 0);
	assert_int_equal(load(f, 2, 0, UINT64_MAX, kinds, &some, err), 0);
	assert_in_range(some->n_events, 1, all->n_events - 1);
	for (size_t i = 0; i < all->n_events; i++) {
		struct window_record want = window_record(all, &all->events[i]), got;

		if (!(kinds >> want.r.kind & 1))
			continue;
		assert_true(at < some->n_events);
		got = window_record(some, &some->events[at++]);
		assert_memory_equal(&got, &want, sizeof(got));
	}
	assert_int_equal(at, some->n_events);
	assert_int_equal(some->n_tasks, all->n_tasks);
	assert_int_equal(some->n_objects, all->n_objects);
	assert_int_equal(some->lost_records, all->lost_records);
	window_free(all);
	window_free(some);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_window),
		TEST(the_same_damage),
		TEST(only_some_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
