/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_cases.h - runs a file of cases, each as a cmocka test of its own.
 *
 *   # a comment
 *   case pipe_ends_the_wait
 *   task 10 reader running         a window, as described in text_window.h
 *   ...
 *   until 100ms
 *   => path reader 0ms..60ms       a question that the program knows
 *   0ms..10ms reader[10] running   the answer; only the indent may differ. The answer ends before
 *                                  an empty line, a comment, or the next question, case or scene
 *
 * "against NAME" gives the questions a second window: that of an earlier scene or case. "scene
 * NAME" is a case without questions. "use NAME" takes the window of an earlier scene or case.
 *
 *   PROGRAM FILE            runs all cases
 *   PROGRAM --update FILE   writes the answers of the program into the file; look at the diff then
 */
#ifndef CTRACE_TEST_TEXT_CASES_H
#define CTRACE_TEST_TEXT_CASES_H

#include <stdio.h>

#include "test/unit/text/text_window.h"

/* The answer goes to out, errors go to l->error. l: the words after "=> NAME". */
struct question {
	struct text_window *t;
	const struct window *w;
	const struct window *good; /* the window of "against", or NULL */
	const char *good_name;
	struct text_line *l;
	FILE *out;
};

struct question_kind {
	const char *name;
	void (*ask)(struct question *q);
	const char *usage;
};

/* The last of `kinds` has no name. Returns the exit code for main(). */
int cases_main(int argc, char **argv, const struct question_kind *kinds);

#endif
