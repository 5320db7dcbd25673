/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - asks the questions of an analysis at a terminal. Reads whole lines, and changes no settings
 * of the terminal. One thread. */
#ifndef CTRACE_CLI_ASK_PROMPT_H
#define CTRACE_CLI_ASK_PROMPT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/ask.h"
#include "trace/format/window.h"

struct prompt {
	FILE *in, *out;
	const struct window *w;
	bool ended;
	bool quit;
	uint32_t asked;
};

bool prompt_possible(void);
/* The `choose` of a struct ask (analysis/slice/ask.h). arg: a struct prompt. */
int prompt_choose(void *arg, const struct ask_question *q, bool *ret_keep);

#endif
