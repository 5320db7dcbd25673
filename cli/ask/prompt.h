/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.h - the questions of an analysis at a terminal (analysis/slice/ask.h).
 *
 * Lines are read as the terminal gives them: its settings are not touched, so
 * that whatever ends the program leaves it as it was.  One thread.
 */
#ifndef CTRACE_CLI_ASK_PROMPT_H
#define CTRACE_CLI_ASK_PROMPT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/ask.h"
#include "trace/format/window.h"

struct prompt {
	FILE *in, *out;
	const struct window *w; /* names of stacks, wall clock */
	bool ended;             /* end of input: what is left is decided */
	bool quit;              /* the person wants no result */
	uint32_t asked;
};

/* stdin and stdout are a terminal. */
bool prompt_possible(void);
/* For struct ask: arg is a struct prompt. */
int prompt_choose(void *arg, const struct ask_question *q, bool *ret_keep);

#endif
