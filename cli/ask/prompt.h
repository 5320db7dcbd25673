/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.h - asks the questions of an analysis at a terminal (analysis/slice/ask.h).
 *
 * The functions do not change the settings of the terminal, and read whole lines. So nothing has to
 * be restored, however the program ends. One thread.
 */
#ifndef CTRACE_CLI_ASK_PROMPT_H
#define CTRACE_CLI_ASK_PROMPT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/ask.h"
#include "trace/format/window.h"

struct prompt {
	FILE *in, *out;
	const struct window *w; /* for names of stacks and wall clock times; borrowed */
	bool ended; /* the input has ended, so further questions are not asked: the analysis decides */
	bool quit;  /* the person wants no result */
	uint32_t asked;
};

/* Whether stdin and stdout are a terminal. */
bool prompt_possible(void);
/* Asks the person one question. This is a function for the member choose of struct ask; analysis/slice/ask.h
 * says what such a function returns. arg is a struct prompt. */
int prompt_choose(void *arg, const struct ask_question *q, bool *ret_keep);

#endif
