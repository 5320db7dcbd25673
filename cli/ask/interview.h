/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interview.h - rules and questions for the commands diagnose and slice: reads the rules files,
 * asks a person at the terminal, and keeps the answers as rules. The functions print their errors
 * themselves. One thread.
 */
#ifndef CTRACE_CLI_ASK_INTERVIEW_H
#define CTRACE_CLI_ASK_INTERVIEW_H

#include "cli/ask/prompt.h"
#include "cli/ask/rulestore.h"

struct interview {
	struct rulestore store;
	struct prompt prompt;
	struct ask ask;
	bool possible; /* questions are allowed, and stdin and stdout are a terminal */
	/* The exit code of the command, set by interview_end(). CLI_FAILED: the answers could not
	 * be kept, or the person quit. */
	int code;
};

/* Reads the rules files. may: questions are allowed. Even then, questions are asked only if stdin
 * and stdout are a terminal. Returns an exit code. interview_done() has to be called after failure
 * too. */
int interview_begin(const struct rulestore_options *o, bool may, struct interview *ret);
/* Returns the struct ask for an analysis of window w. NULL: no question is possible, so the analysis
 * decides alone. The result belongs to a. w has to live until the analysis ends. */
const struct ask *interview_ask(struct interview *a, const struct window *w);
/* To be called after the analysis: keeps the answers and sets a->code. Returns true if the command
 * has to print the result; false if the person has quit. In both cases, the command exits with
 * a->code, unless the printing fails. */
bool interview_end(struct interview *a);
/* Releases everything. To be called once after interview_begin(). */
void interview_done(struct interview *a);

#endif
