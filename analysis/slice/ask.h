/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - how an analysis puts a question to a person, or decides without one.
 *
 * Wherever there is more than one way to go on, the ways are ranked, and whoever
 * calls is asked; a NULL function, or one that returns ASK_DECIDE, takes the
 * first.  The answers end up in the result, as a choice each.
 */
#ifndef CTRACE_ANALYSIS_SLICE_ASK_H
#define CTRACE_ANALYSIS_SLICE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/slice/rules.h"

struct ask_option {
	const char *who; /* "redis-server[12]", "the network (tcp 10.0.0.1:80)" */
	const char *how; /* a sentence: the edge explained, or what the time went to */
	uint64_t from_ns, to_ns;
	uint64_t stack;   /* id of the stack of that task then, 0 none */
	const char *sure; /* "strong", "boosted", "weak" */
	double score;     /* 0..1, of the ranking */
};

struct ask_question {
	const char *text;                 /* "What led to sh[12] at ...?" */
	const struct ask_option *options; /* the first is the one that would be taken */
	size_t n_options;
};

/* Besides the index of an option: decide; go no further; none of these (all are refused). */
enum { ASK_DECIDE = -1, ASK_STOP = -2, ASK_NONE = -3 };

struct ask {
	/* Returns the index of an option or ASK_*; what is none of these counts as ASK_DECIDE.  *ret_keep
	 * (false before the call): remember the answer as rules.  Of an option: it is a cause, and those that
	 * stood before it are not; of ASK_NONE: none is. */
	int (*choose)(void *arg, const struct ask_question *q, bool *ret_keep);
	void *arg;
};

/* What a kept answer says of the options, as facts in the order of the question; those that are no edge (0)
 * say nothing.  0 or -ENOMEM. */
int ask_keep(struct rules *rules, const struct graph *g, const struct rule_facts *facts, size_t n,
	     int answer);

#endif
