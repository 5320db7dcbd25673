// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "analysis/patterns/fold.h"
#include "analysis/patterns/patterns.h"
#include "analysis/patterns/trend.h"
#include "lib/cleanup.h"

/* Makes a sequence from text such as "a b|a b b", which is two transactions. A word is a symbol;
 * each event takes 1 ns. */
static struct sequence sequence_of(const char *text)
{
	struct sequence q = { 0 };
	char word[64];
	uint32_t transaction = 0, symbol;

	assert_int_equal(sequence_begin(&q, 0), 0);
	while (*text) {
		size_t n = strcspn(text, " |");

		if (n) {
			snprintf(word, sizeof(word), "%.*s", (int)n, text);
			assert_int_equal(sequence_symbol(&q, word, "", &symbol), 0);
			assert_int_equal(sequence_add(&q, symbol, 1), 0);
		}
		text += n;
		if (*text == '|')
			assert_int_equal(sequence_begin(&q, ++transaction), 0);
		text += *text != '\0';
	}
	return q;
}

static struct patterns *find(const char *text, uint32_t min_count)
{
	struct sequence q = sequence_of(text);
	struct patterns *p;

	assert_int_equal(patterns_find(&q, min_count, &p), 0);
	sequence_done(&q);
	return p;
}

static void put_all(const struct patterns *p, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < p->n && at < size; i++) {
		at += (size_t)snprintf(buf + at, size - at, "%s%s%s:", i ? ", " : "",
				       p->v[i].grows ? "+" : "", p->v[i].text);
		for (size_t k = 0; k < p->n_transactions && at < size; k++)
			at += (size_t)snprintf(buf + at, size - at, " %u", p->v[i].counts[k]);
	}
}

static void expect(const char *text, const char *patterns)
{
	struct patterns *p = find(text, 2);
	char all[2000];

	put_all(p, all, sizeof(all));
	assert_string_equal(all, patterns);
	patterns_free(p);
}

static void folding(void **state)
{
	expect("", "");
	expect("a", "");
	expect("a b c", "");
	expect("a a a", "a: 3");
	expect("a b a b", "a; b: 2");
	expect("x a b a b y", "a; b: 2");
	expect("a b b a b b b", "a; (b)^2..3: 2, b: 5");
}

static void nested(void **state)
{
	/* the turns of the outer loop are alike, although the counts of the inner loop differ */
	expect("a b b c a b c a b b b c", "a; (b)^1..3; c: 3, b: 6");
	expect("a b c c b c c a b c c b c c", "a; (b; (c)^2)^2: 2, b; (c)^2: 4, c: 8");
	/* the last turn becomes longer after the loop was found */
	expect("a b a b b", "a; (b)^1..2: 2, b: 3");
}

/* The next four tests have growing patterns like those of the SunCat paper (see patterns.h). */
static void list_saved_anew(void **state)
{
	expect("go save|go save save|go save save save|go save save save save", "+save: 1 2 3 4");
}

static void n_plus_one(void **state)
{
	expect("accept list query wait query wait query wait reply|"
	       "accept list query wait query wait query wait query wait reply|"
	       "accept list query wait query wait query wait query wait query wait reply",
	       "+query; wait: 3 4 5");
}

static void linear_search_by_index(void **state)
{
	expect("get next get next next get next next next|"
	       "get next get next next get next next next get next next next next",
	       "+next: 6 10, +get; (next)^1..4: 3 4");
}

static void all_items_for_each_item(void **state)
{
	struct patterns *p =
		find("open row cell cell row cell cell close|"
		     "open row cell cell cell row cell cell cell row cell cell cell close|"
		     "open row cell cell cell cell row cell cell cell cell row cell cell cell cell "
		     "row cell cell cell cell close",
		     2);

	assert_true(p->n >= 2 && p->n <= 3);
	assert_string_equal(p->v[0].text, "cell");
	assert_true(p->v[0].grows);
	assert_string_equal(p->v[1].text, "row; (cell)^2..4");
	assert_true(p->v[1].grows);
	patterns_free(p);
}

/* "a b c" occurs three times, but never twice in a row. So it is no loop, but a rule of the grammar
 * (patterns.h). */
static void scattered(void **state)
{
	expect("x a b c y a b c z|a b c w", "a; b; c: 2 1");
}

/* The first transaction has the same loop as the others, but with only one turn. */
static void one_row(void **state)
{
	expect("w q w end|q w q w end|q w q w q w end", "+q; w: 1 2 3, +w: 2 2 3");
}

static void up_and_down(void **state)
{
	struct patterns *p = find("a a|a a a a|a a a|a a a a a|a a a a|a a a a", 2);

	assert_int_equal(p->n, 1);
	assert_false(p->v[0].grows);
	assert_true(p->v[0].last > p->v[0].first);
	patterns_free(p);
}

static struct trend trend(const unsigned *counts, size_t n)
{
	struct trend_point points[32];
	struct trend t;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (counts[i])
			points[k++] = (struct trend_point){ .at = i, .n = counts[i] };
	assert_int_equal(trend_of(points, k, n, &t), 0);
	return t;
}

static void near(double a, double b)
{
	assert_true(a - b < 1e-9 && b - a < 1e-9);
}

static void trends(void **state)
{
	near(trend((const unsigned[]){ 3, 4, 5 }, 3).correlation, 1);
	near(trend((const unsigned[]){ 5, 4, 3 }, 3).correlation, -1);
	near(trend((const unsigned[]){ 4, 4, 4 }, 3).correlation, 0);
	near(trend((const unsigned[]){ 7 }, 1).correlation, 0);
	/* ranks 1.5 1.5 3 4 against 1 2 3 4 */
	near(trend((const unsigned[]){ 0, 0, 1, 2 }, 4).correlation, 4.5 / sqrt(4.5 * 5));
	near(trend((const unsigned[]){ 1, 3, 2, 5, 4 }, 5).correlation, 0.8);
	assert_int_equal(trend((const unsigned[]){ 0, 6 }, 2).min, 0);
	assert_int_equal(trend((const unsigned[]){ 9, 6 }, 2).max, 9);
	assert_int_equal(trend_of(NULL, 0, 1, &(struct trend){ 0 }), -EINVAL);
}

static void grows_with_setbacks(void **state)
{
	struct patterns *p = find("a a a|a a|a a a a|a a a a a a|a a a a a|a a a a a a a|a a a a a a", 2);

	assert_int_equal(p->n, 1);
	assert_true(p->v[0].correlation < 0.95);
	assert_true(p->v[0].grows);
	patterns_free(p);
}

static void expect_two(const int *save, const int *query, size_t n, const char *patterns)
{
	char text[4000] = "";

	for (size_t i = 0; i < n; i++) {
		strcat(text, i ? "|" : "");
		for (int k = 0; k < save[i]; k++)
			strcat(text, "save ");
		for (int k = 0; k < query[i]; k++)
			strcat(text, "query ");
	}
	expect(text, patterns);
}

/* "query" grows more than "save", but its count goes up and down. So "save" is much surer to grow, and comes
 * first. */
static void surest_first(void **state)
{
	const int save[] = { 1, 1, 2, 2, 3, 3 }, query[] = { 3, 6, 12, 5, 9, 15 };

	expect_two(save, query, ARRAY_SIZE(save), "+save: 1 1 2 2 3 3, +query: 3 6 12 5 9 15");
}

/* The count of "query" falls three times, but "query" is nearly as sure to grow as "save" is. So "query"
 * comes first, because it grows more. */
static void about_as_sure(void **state)
{
	const int save[] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 }, query[] = { 2, 6, 4, 8, 12, 10, 14, 18, 16, 20 };

	expect_two(save, query, ARRAY_SIZE(save),
		   "+query: 2 6 4 8 12 10 14 18 16 20, +save: 1 1 2 2 3 3 4 4 5 5");
}

static void one_odd_end(void **state)
{
	near(trend((const unsigned[]){ 2, 2, 9, 9, 9, 2 }, 6).first, 2);
	near(trend((const unsigned[]){ 2, 2, 9, 9, 9, 2 }, 6).last, 5.5);
}

static void thirds(void **state)
{
	near(trend((const unsigned[]){ 1, 2, 3, 4, 5, 6 }, 6).last, 5.5);
	near(trend((const unsigned[]){ 1, 2, 3, 4, 5, 6 }, 6).first, 1.5);
}

static const char *change_of(const char *before, const char *now)
{
	struct patterns *b = find(before, 1), *n = find(now, 1);
	static char all[1000];
	struct pattern_change *v;
	size_t n_changes, at = 0;

	all[0] = '\0';
	assert_int_equal(patterns_compare(b, n, &v, &n_changes), 0);
	for (size_t i = 0; i < n_changes; i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s %g %g", i ? ", " : "",
				       v[i].now ? v[i].now->key : v[i].before->key, v[i].was, v[i].is);
	free(v);
	patterns_free(b);
	patterns_free(n);
	return all;
}

static void compare_change(void **state)
{
	assert_string_equal(change_of("a b a b|a b a b", "a b a b a b|a b a b"), "a; b 2 2.5");
	assert_string_equal(change_of("c c c c c c c c", "c c c c c c c c c"), "c 8 9");
	assert_string_equal(change_of("a", "b"), "b 0 1, a 1 0");
	assert_string_equal(change_of("a", "a"), "");
	/* a loop that begins with another item in each trace */
	assert_string_equal(change_of("a b a b", "b a b a b a"), "a; b 2 3");
}

static void compare_noise(void **state)
{
	assert_string_equal(change_of("a a a a a a a a a a a", "a a a a a a a a a a a a"), "");
}

/* Loops in loops, deeper than FOLD_DEPTH_MAX. A loop that would be deeper is not folded, and
 * `refused` counts it. */
static void limit_of_depth(void **state)
{
	struct fold_shapes s;
	struct fold f = { 0 };

	assert_int_equal(fold_shapes_init(&s, FOLD_DEPTH_MAX + 2), 0);
	for (uint32_t i = 0; i < 1U << (FOLD_DEPTH_MAX + 2); i++) {
		uint32_t zeros = (uint32_t)__builtin_ctz(i + 1);

		/* "0", "0 0 1", "0 0 1 0 0 1 2": each level begins with the lower level, twice */
		for (uint32_t k = 0; k <= zeros && k < FOLD_DEPTH_MAX + 2; k++)
			assert_int_equal(fold_add(&f, &s, k, 1), 0);
	}
	assert_true(s.refused > 0);
	for (size_t i = 0; i < s.v.n; i++)
		assert_true(s.v.v[i].depth <= FOLD_DEPTH_MAX);
	fold_done(&f);
	fold_shapes_done(&s);
}

static void limit_of_symbols(void **state)
{
	struct sequence q = { 0 };
	uint32_t symbol, other;
	char text[32];

	assert_int_equal(sequence_add(&q, 0, 0), -EINVAL);
	for (unsigned i = 0; i < SEQUENCE_SYMBOLS_MAX; i++) {
		snprintf(text, sizeof(text), "s%u", i);
		assert_int_equal(sequence_symbol(&q, text, "", &symbol), 0);
		assert_int_equal(symbol, i);
	}
	assert_int_equal(q.refused_symbols, 0);
	assert_int_equal(sequence_symbol(&q, "more", "", &symbol), 0);
	assert_int_equal(sequence_symbol(&q, "and more", "", &other), 0);
	assert_int_equal(symbol, other);
	assert_int_equal(q.refused_symbols, 2);
	assert_int_equal(sequence_symbol(&q, "s7", "", &symbol), 0);
	assert_int_equal(symbol, 7);
	sequence_done(&q);
}

static void variants(void **state)
{
	struct sequence q = { 0 };
	uint32_t symbol;
	char variant[32];
	struct patterns *p;

	assert_int_equal(sequence_begin(&q, 0), 0);
	for (unsigned i = 0; i < 20; i++) {
		snprintf(variant, sizeof(variant), "item-%u", i / 2);
		assert_int_equal(sequence_symbol(&q, "item-#", variant, &symbol), 0);
		assert_int_equal(sequence_add(&q, symbol, 1), 0);
	}
	assert_int_equal(patterns_find(&q, 2, &p), 0);
	assert_string_equal(p->v[0].example, "item-0");
	assert_int_equal(p->v[0].n_variants, SEQUENCE_VARIANTS);
	patterns_free(p);
	sequence_done(&q);
}

static void transactions_in_order(void **state)
{
	struct sequence q = { 0 };

	assert_int_equal(sequence_begin(&q, 3), 0);
	assert_int_equal(q.n_transactions, 4);
	assert_int_equal(sequence_begin(&q, 2), -EINVAL);
	sequence_done(&q);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static void nothing_is_lost(void **state)
{
	uint64_t seed = 7;

	for (unsigned round = 0; round < 300; round++) {
		struct sequence q = { 0 };
		uint32_t letters = 2 + (uint32_t)(next_random(&seed) % 5), counts[8] = { 0 };
		size_t n = 1 + next_random(&seed) % 400, seen = 0;
		struct patterns *p;
		char name[2] = "a";

		for (uint32_t i = 0; i < letters; i++) {
			uint32_t symbol;

			name[0] = (char)('a' + i);
			assert_int_equal(sequence_symbol(&q, name, "", &symbol), 0);
		}
		for (size_t i = 0; i < n; i++) {
			uint32_t symbol = (uint32_t)(next_random(&seed) % letters);

			if (i % 100 == 0)
				assert_int_equal(sequence_begin(&q, (uint32_t)(i / 100)), 0);
			assert_int_equal(sequence_add(&q, symbol, 1 + symbol), 0);
			counts[symbol]++;
		}
		assert_int_equal(patterns_find(&q, 1, &p), 0);
		for (size_t i = 0; i < p->n; i++) {
			uint32_t symbol = (uint32_t)(p->v[i].text[0] - 'a');

			assert_true(p->v[i].events <= n);
			assert_true(p->v[i].ns <= q.ns);
			if (p->v[i].text[1])
				continue;
			assert_int_equal(p->v[i].total, counts[symbol]);
			assert_int_equal(p->v[i].events, counts[symbol]);
			assert_int_equal(p->v[i].ns, counts[symbol] * (1 + symbol));
			seen++;
		}
		assert_true(seen <= letters);
		patterns_free(p);
		sequence_done(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folding),
		cmocka_unit_test(nested),
		cmocka_unit_test(list_saved_anew),
		cmocka_unit_test(n_plus_one),
		cmocka_unit_test(linear_search_by_index),
		cmocka_unit_test(all_items_for_each_item),
		cmocka_unit_test(scattered),
		cmocka_unit_test(one_row),
		cmocka_unit_test(up_and_down),
		cmocka_unit_test(trends),
		cmocka_unit_test(grows_with_setbacks),
		cmocka_unit_test(surest_first),
		cmocka_unit_test(about_as_sure),
		cmocka_unit_test(one_odd_end),
		cmocka_unit_test(thirds),
		cmocka_unit_test(compare_change),
		cmocka_unit_test(compare_noise),
		cmocka_unit_test(limit_of_depth),
		cmocka_unit_test(limit_of_symbols),
		cmocka_unit_test(variants),
		cmocka_unit_test(transactions_in_order),
		cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
