/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interview.h - what diagnose and slice share: rules are applied, a person at the terminal is asked, and the
 * answers are kept. These functions print their errors themselves. One thread.
 */
#ifndef CTRACE_CLI_ASK_INTERVIEW_H
#define CTRACE_CLI_ASK_INTERVIEW_H

#include "cli/ask/prompt.h"
#include "cli/ask/rulestore.h"

struct interview {
	struct rulestore store;
	struct prompt prompt;
	struct ask ask;
	bool possible; /* a person can be asked */
	/* exit code, set by interview_end(): CLI_FAILED if the answers could not be kept, or no result is
	 * wanted */
	int code;
};

/* Reads the rules. may: questions are allowed; they are asked only if stdin and stdout are a terminal.
 * Returns an exit code. interview_done() has to be called after failure too. */
int interview_begin(const struct rulestore_options *o, bool may, struct interview *ret);
/* The struct ask for an analysis of w, or NULL: the analysis decides alone. Belongs to a; w is borrowed. */
const struct ask *interview_ask(struct interview *a, const struct window *w);
/* To be called after the analysis: keeps the answers. Returns whether the person wants a result; the command
 * then exits with a->code. */
bool interview_end(struct interview *a);
/* Releases everything. To be called once after interview_begin(). */
void interview_done(struct interview *a);

#endif
