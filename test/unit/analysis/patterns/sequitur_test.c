// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "analysis/patterns/sequitur.h"
#include "lib/cleanup.h"
#include "lib/map.h"

static struct grammar grammar_of(const uint32_t *v, size_t n)
{
	struct sequitur s = { 0 };
	struct grammar g;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(sequitur_add(&s, v[i]), 0);
	assert_int_equal(sequitur_grammar(&s, &g), 0);
	sequitur_done(&s);
	return g;
}

struct expansion {
	VEC(uint32_t) v;
	unsigned deepest;
};

static void expand(const struct grammar *g, uint32_t rule, unsigned depth, struct expansion *to)
{
	to->deepest = depth > to->deepest ? depth : to->deepest;
	for (uint32_t i = g->first[rule]; g->n_rules && i < g->first[rule + 1]; i++) {
		if (g->values[i] >= SEQUITUR_RULE)
			expand(g, g->values[i] - SEQUITUR_RULE, depth + 1, to);
		else
			assert_int_equal(VEC_PUSH(&to->v, g->values[i]), 0);
	}
}

/* Checks that no digram (two neighbouring symbols) occurs twice. Exception: overlapping digrams, as
 * in "aaa". */
static void check_digrams(const struct grammar *g)
{
	struct map seen = { 0 };

	for (uint32_t r = 0; r < g->n_rules; r++)
		for (uint32_t i = g->first[r]; i + 1 < g->first[r + 1]; i++) {
			uint64_t key = (uint64_t)g->values[i] << 32 | g->values[i + 1], at;

			if (map_get(&seen, key, &at))
				assert_true(at + 1 == i);
			else
				assert_int_equal(map_set(&seen, key, i), 0);
		}
	map_done(&seen);
}

static void check_utility(const struct grammar *g)
{
	unsigned *uses = calloc(g->n_rules + 1, sizeof(*uses));

	assert_non_null(uses);
	for (uint32_t i = 0; g->n_rules && i < g->first[g->n_rules]; i++)
		if (g->values[i] >= SEQUITUR_RULE) {
			assert_true(g->values[i] - SEQUITUR_RULE < g->n_rules);
			uses[g->values[i] - SEQUITUR_RULE]++;
		}
	for (uint32_t r = 1; r < g->n_rules; r++) {
		assert_true(uses[r] >= 2);
		assert_true(g->first[r + 1] - g->first[r] >= 2);
	}
	free(uses);
}

static void check_all(const uint32_t *v, size_t n)
{
	struct grammar g = grammar_of(v, n);
	struct expansion e = { 0 };

	expand(&g, 0, 0, &e);
	assert_int_equal(e.v.n, n);
	if (n)
		assert_memory_equal(e.v.v, v, n * sizeof(*v));
	check_digrams(&g);
	check_utility(&g);
	VEC_FREE(&e.v);
	grammar_done(&g);
}

/* Writes the rules in the order of their first use, such as "S=AA A=bc". */
static void put_rules(const struct grammar *g, char *buf, size_t size)
{
	uint32_t order[32] = { 0 }, n = 1;
	size_t at = 0;

	for (uint32_t k = 0; k < n; k++) {
		at += (size_t)snprintf(buf + at, size - at, "%s%c=", k ? " " : "",
				       k ? 'A' + (int)k - 1 : 'S');
		for (uint32_t i = g->first[order[k]]; i < g->first[order[k] + 1]; i++) {
			uint32_t value = g->values[i], name = 1;

			if (value >= SEQUITUR_RULE) {
				while (name < n && order[name] != value - SEQUITUR_RULE)
					name++;
				if (name == n)
					order[n++] = value - SEQUITUR_RULE;
				value = 'A' + name - 1;
			}
			at += (size_t)snprintf(buf + at, size - at, "%c", (int)value);
		}
	}
}

static void published_grammars(void **state)
{
	static const struct {
		const char *text, *rules;
	} rows[] = {
		/* the first two rows are from the paper that sequitur.h names */
		{ "abcdbc", "S=aAdA A=bc" },
		{ "abcdbcabcdbc", "S=AA A=aBdB B=bc" },
		{ "abcdbcabcd", "S=ABA A=aBd B=bc" },
		{ "abab", "S=AA A=ab" },
		{ "aa", "S=aa" },
		{ "aaa", "S=aaa" },
		{ "aaaa", "S=AA A=aa" },
		{ "abcabdabcabd", "S=AA A=BcBd B=ab" },
		{ "a", "S=a" },
	};
	char rules[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t v[32];
		size_t n = strlen(rows[i].text);
		struct grammar g;

		for (size_t k = 0; k < n; k++)
			v[k] = (uint32_t)rows[i].text[k];
		g = grammar_of(v, n);
		put_rules(&g, rules, sizeof(rules));
		assert_string_equal(rules, rows[i].rules);
		grammar_done(&g);
		check_all(v, n);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static void all_short_texts(void **state)
{
	static const struct {
		unsigned letters, longest;
	} rows[] = { { 2, 14 }, { 3, 9 } };
	uint32_t v[16];

	for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
		for (unsigned n = 0; n <= rows[row].longest; n++) {
			uint64_t all = 1;

			for (unsigned i = 0; i < n; i++)
				all *= rows[row].letters;
			for (uint64_t x = 0; x < all; x++) {
				uint64_t rest = x;

				for (unsigned i = 0; i < n; i++, rest /= rows[row].letters)
					v[i] = (uint32_t)(rest % rows[row].letters);
				check_all(v, n);
			}
		}
}

static void random_texts(void **state)
{
	uint64_t seed = 1;
	uint32_t v[600];

	for (unsigned round = 0; round < 3000; round++) {
		size_t n = next_random(&seed) % ARRAY_SIZE(v);
		uint32_t letters = 1 + (uint32_t)(next_random(&seed) % 6);

		size_t back = 1;

		/* Every second text mostly repeats its last `back` letters. */
		for (size_t i = 0; i < n; i++) {
			bool copy;

			if (!(next_random(&seed) % 30))
				back = 1 + next_random(&seed) % 40;
			copy = round % 2 && i >= back && next_random(&seed) % 30;
			v[i] = copy ? v[i - back] : (uint32_t)(next_random(&seed) % letters);
		}
		check_all(v, n);
	}
}

static void refuses(void **state)
{
	struct sequitur s = { 0 };

	assert_int_equal(sequitur_add(&s, SEQUITUR_RULE), -EINVAL);
	assert_int_equal(sequitur_add(&s, SEQUITUR_RULE - 1), 0);
	s.n = SEQUITUR_MAX;
	assert_int_equal(sequitur_add(&s, 0), -E2BIG);
	sequitur_done(&s);
	sequitur_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_grammars),
		cmocka_unit_test(all_short_texts),
		cmocka_unit_test(random_texts),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
