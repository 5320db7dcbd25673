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
	const struct window *w; /* has the stacks and the offset of the wall clock; borrowed */
	bool ended;             /* the input has ended: no more questions, the analysis decides */
	bool quit;              /* the person wants no result */
	uint32_t asked;         /* number of questions that were asked */
};

/* Returns true if stdin and stdout are both terminals. */
bool prompt_possible(void);
/* Asks the person one question. This is a function for the member `choose` of struct ask, which
 * says what such a function returns (analysis/slice/ask.h). arg is a struct prompt. */
int prompt_choose(void *arg, const struct ask_question *q, bool *ret_keep);

#endif
