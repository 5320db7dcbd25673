/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interview.h - rules and questions for the commands diagnose and slice: reads the rules files, asks a
 * person at the terminal, and keeps the answers as rules. Prints errors itself. One thread. */
#ifndef CTRACE_CLI_ASK_INTERVIEW_H
#define CTRACE_CLI_ASK_INTERVIEW_H

#include "cli/ask/prompt.h"
#include "cli/ask/rulestore.h"

struct interview {
	struct rulestore store;
	struct prompt prompt;
	struct ask ask;
	bool possible;
	/* The exit code of the command. CLI_FAILED: answers could not be kept, or the person quit. */
	int code;
};

/* Reads the rules files. Asks only if `may` is true, and stdin and stdout are a terminal. Returns an exit
 * code. Call interview_done() after failure too. */
int interview_begin(const struct rulestore_options *o, bool may, struct interview *ret);
/* Returns the struct ask for an analysis of w, or NULL if no question is possible. The result is part of
 * *a. w must live until the analysis ends. */
const struct ask *interview_ask(struct interview *a, const struct window *w);
/* Call this after the analysis. Keeps the answers and sets a->code. Returns false if the person
 * quit: then the command prints no result. */
bool interview_end(struct interview *a);
void interview_done(struct interview *a);

#endif
