/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interview.h - what diagnose and slice share: rules that are applied, questions
 * where a person sits, answers that are kept.  What went wrong has been said.
 */
#ifndef CTRACE_CLI_ASK_INTERVIEW_H
#define CTRACE_CLI_ASK_INTERVIEW_H

#include "cli/ask/prompt.h"
#include "cli/ask/rulestore.h"

struct interview {
	struct rulestore store;
	struct prompt prompt;
	struct ask ask;
	bool possible; /* there is somebody to ask */
	int code;      /* of interview_end(): CLI_FAILED when the answers could not be kept */
};

/* may: questions are wanted, if stdin and stdout are a terminal.  An exit code; call interview_done() also
 * after failure. */
int interview_begin(const struct rulestore_options *o, bool may, struct interview *ret);
/* For an analysis of w: NULL when it is to decide. */
const struct ask *interview_ask(struct interview *a, const struct window *w);
/* After the analysis: keeps the answers.  Whether the person wants a result; then exit with a->code. */
bool interview_end(struct interview *a);
void interview_done(struct interview *a);

#endif
