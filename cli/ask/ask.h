/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - the questions of an analysis at a terminal (analysis/slice/ask.h).
 *
 * Lines are read as the terminal gives them: its settings are not touched, so
 * that whatever ends the program leaves it as it was.  One thread.
 */
#ifndef CTRACE_CLI_ASK_ASK_H
#define CTRACE_CLI_ASK_ASK_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/slice/ask.h"
#include "trace/format/window.h"

struct ask_terminal {
	FILE *in, *out;
	const struct window *w; /* names of stacks, wall clock */
	bool ended;             /* end of input: what is left is decided */
	bool quit;              /* the person wants no result */
	uint32_t asked;
};

/* stdin and stdout are a terminal. */
bool ask_possible(void);
/* For struct ask: arg is a struct ask_terminal. */
int ask_choose(void *arg, const struct ask_question *q, bool *ret_keep);

#endif
