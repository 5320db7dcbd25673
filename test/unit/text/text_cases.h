/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_cases.h - runs a file of cases, each a cmocka test of its own.
 *
 *   # a comment
 *   case pipe_ends_the_wait
 *   task 10 reader running         a window, as text_window.h has it
 *   ...
 *   until 100ms
 *   => path reader 0ms..60ms       a question, of those of the program
 *   0ms..10ms reader[10] running   the answer, to the letter but for the indent, up to an empty line or the
 *                                  next question
 *
 * "scene NAME" is a case without questions.  "use NAME" takes over the window of an earlier scene or case.
 *
 *   PROGRAM FILE            runs all
 *   PROGRAM --update FILE   replaces the answers in the file by what the program says: look at the diff
 */
#ifndef CTRACE_TEST_TEXT_CASES_H
#define CTRACE_TEST_TEXT_CASES_H

#include <stdio.h>

#include "test/unit/text/text_window.h"

/* One question of a case: the words after "=> NAME" in l; the answer goes to out. Errors go into l->error. */
struct question {
	struct text_window *t;
	const struct window *w;
	struct text_line *l;
	FILE *out;
};

struct question_kind {
	const char *name;
	void (*ask)(struct question *q);
	const char *usage;
};

/* kinds end with one without a name.  An exit code. */
int cases_main(int argc, char **argv, const struct question_kind *kinds);

#endif
