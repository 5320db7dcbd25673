// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/ask/prompt.h"

#define N_OPTIONS 12

static const char *frames[] = { "k:zero+0x0", "one+0x1", "two+0x2", "three+0x3", "four\033[2J+0x4" };
static struct window_stack stack = { .id = 7, .n_frames = 5, .frames = frames };
static struct window window = { .stacks = &stack, .n_stacks = 1 };

struct session {
	struct prompt t;
	char *typed;
	char *shown;
	size_t size;
};

static void begin(struct session *s, const char *typed)
{
	*s = (struct session){ .typed = strdup(typed) };
	/* fmemopen() refuses an empty buffer */
	s->t.in = *typed ? fmemopen(s->typed, strlen(typed), "r") : fopen("/dev/null", "r");
	s->t.out = open_memstream(&s->shown, &s->size);
	s->t.w = &window;
	assert_non_null(s->t.in);
	assert_non_null(s->t.out);
}

static void end(struct session *s)
{
	fclose(s->t.in);
	fclose(s->t.out);
	free(s->typed);
	free(s->shown);
}

static int ask(struct session *s, bool *keep)
{
	struct ask_option options[N_OPTIONS];
	struct ask_question q = { .text = "What led to it?", .options = options, .n_options = N_OPTIONS };
	char who[N_OPTIONS][16];
	int r;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		snprintf(who[i], sizeof(who[i]), "task[%zu]", i + 100);
		options[i] = (struct ask_option){ .who = who[i],
						  .how = "it\033[31m did",
						  .stack = i ? 0 : 7,
						  .from_ns = 1,
						  .to_ns = 5000001,
						  .sure = i ? "weak" : "strong",
						  .score = 0.5 };
	}
	r = prompt_choose(&s->t, &q, keep);
	fflush(s->t.out);
	return r;
}

static void takes_answers(void **state)
{
	static const struct {
		const char *typed;
		int answer;
		bool keep;
	} rows[] = {
		{ "\n", 0, false },         { "1\n", 0, false },        { "12\n", 11, false },
		{ " 2 \r\n", 1, false },    { "2", 1, false },          { "k\n", 0, true },
		{ "k3\n", 2, true },        { "3k\n", 2, true },        { "K 3\n", 2, true },
		{ "n\n", ASK_NONE, false }, { "kn\n", ASK_NONE, true }, { "nk\n", ASK_NONE, true },
		{ "s\n", ASK_STOP, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct session s;
		bool keep = !rows[i].keep;

		begin(&s, rows[i].typed);
		assert_int_equal(ask(&s, &keep), rows[i].answer);
		assert_int_equal(keep, rows[i].keep);
		assert_false(s.t.quit);
		assert_int_equal(s.t.asked, 1);
		end(&s);
	}
}

static void asks_again(void **state)
{
	static const char *const bad[] = { "0",     "13", "-1",
					   "two",   "kk", "ks",
					   "1 2 x", "k0", "99999999999999999999" };
	char longer[600];

	for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
		const char *line = bad[i % (sizeof(bad) / sizeof(bad[0]))];
		struct session s;
		char typed[700];
		bool keep;

		/* longer than the read buffer */
		memset(longer, '1', sizeof(longer) - 1);
		longer[sizeof(longer) - 1] = 0;
		snprintf(typed, sizeof(typed), "%s\n3\n", i == sizeof(bad) / sizeof(bad[0]) ? longer : line);
		begin(&s, typed);
		assert_int_equal(ask(&s, &keep), 2);
		assert_non_null(strstr(s.shown, "That is no answer."));
		assert_null(strstr(strstr(s.shown, "That is no answer.") + 1, "That is no answer."));
		end(&s);
	}
}

static void quits(void **state)
{
	struct session s;
	bool keep;

	begin(&s, "q\n");
	assert_int_equal(ask(&s, &keep), ASK_STOP);
	assert_true(s.t.quit);
	assert_false(keep);
	end(&s);
}

static void decides_at_the_end(void **state)
{
	struct session s;
	bool keep = true;
	size_t shown;

	begin(&s, "");
	assert_int_equal(ask(&s, &keep), ASK_DECIDE);
	assert_false(keep);
	shown = s.size;
	assert_int_equal(ask(&s, &keep), ASK_DECIDE);
	assert_int_equal(s.size, shown);
	assert_int_equal(s.t.asked, 1);
	end(&s);
}

static void shows_more(void **state)
{
	struct session s;
	bool keep;

	begin(&s, "\n");
	ask(&s, &keep);
	assert_non_null(strstr(s.shown, "task[100]"));
	assert_non_null(strstr(s.shown, "for 5 ms"));
	assert_non_null(strstr(s.shown, "certain, 50 %"));
	assert_non_null(strstr(s.shown, "three+0x3"));
	assert_non_null(strstr(s.shown, "... 2 more"));
	assert_null(strstr(s.shown, "zero"));
	assert_null(strstr(s.shown, "four"));
	assert_non_null(strstr(s.shown, "task[108]"));
	assert_null(strstr(s.shown, "task[109]"));
	assert_null(strchr(s.shown, '\033'));
	end(&s);

	begin(&s, "?\n\n");
	ask(&s, &keep);
	assert_non_null(strstr(s.shown, "zero"));
	assert_non_null(strstr(s.shown, "four"));
	assert_non_null(strstr(s.shown, "task[111]"));
	assert_null(strchr(s.shown, '\033'));
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_answers),      cmocka_unit_test(asks_again), cmocka_unit_test(quits),
		cmocka_unit_test(decides_at_the_end), cmocka_unit_test(shows_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
