/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - how an analysis asks a person, or decides without one.
 *
 * Where there is more than one way to go on, the analysis ranks the ways and calls choose().  Without
 * choose(), or if it returns ASK_DECIDE, the first way is taken.  Each answer becomes a choice in the result.
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
	/* Returns the index of an option or ASK_*; any other number counts as ASK_DECIDE.  *ret_keep is false
	 * before the call; true: the answer becomes rules.  An option: it is a cause, and those before it are
	 * none.  ASK_NONE: no option is a cause. */
	int (*choose)(void *arg, const struct ask_question *q, bool *ret_keep);
	void *arg;
};

/* Adds the rules of a kept answer.  facts: the options in the order of the question; one without an edge (0)
 * makes no rule.  0 or -ENOMEM. */
int ask_keep(struct rules *rules, const struct graph *g, const struct rule_facts *facts, size_t n,
	     int answer);

#endif
