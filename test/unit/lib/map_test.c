// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "lib/map.h"

static void empty(void **state)
{
	struct map m = { 0 };
	uint64_t v = 7;

	assert_false(map_get(&m, 1, &v));
	assert_false(map_del(&m, 1));
	assert_int_equal(v, 7);
	map_done(&m);
	map_done(&m);
}

static void keys_at_the_edges(void **state)
{
	static const uint64_t keys[] = { 0, 1, UINT32_MAX, 1ULL << 63, UINT64_MAX };
	struct map m = { 0 };
	uint64_t v;

	for (size_t i = 0; i < 5; i++)
		assert_int_equal(map_set(&m, keys[i], i), 0);
	assert_int_equal(map_set(&m, 0, 99), 0);
	assert_int_equal(m.n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_true(map_get(&m, keys[i], &v));
		assert_int_equal(v, i ? i : 99);
	}
	assert_true(map_get(&m, 0, NULL));
	map_done(&m);
}

/* Few keys, so that entries come, move and go all the time. */
static void like_an_array(void **state)
{
	enum { KEYS = 700 };
	uint64_t want[KEYS] = { 0 }, rng = 1;
	struct map m = { 0 };
	size_t n = 0;

	for (int i = 0; i < 200000; i++) {
		uint64_t key, v;

		rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
		key = (rng >> 33) % KEYS;
		if (rng >> 60 < 7) {
			assert_int_equal(map_set(&m, key * 0x10001, (uint64_t)i + 1), 0);
			n += !want[key];
			want[key] = (uint64_t)i + 1;
		} else if (rng >> 60 < 13) {
			assert_int_equal(map_del(&m, key * 0x10001), want[key] != 0);
			n -= want[key] != 0;
			want[key] = 0;
		} else {
			assert_int_equal(map_get(&m, key * 0x10001, &v), want[key] != 0);
			if (want[key])
				assert_int_equal(v, want[key]);
		}
		assert_int_equal(m.n, n);
	}
	for (size_t key = 0; key < KEYS; key++)
		assert_int_equal(map_get(&m, key * 0x10001, NULL), want[key] != 0);
	map_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(keys_at_the_edges),
		cmocka_unit_test(like_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
