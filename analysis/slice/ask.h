/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - how an analysis asks a person, or decides without one.
 *
 * If the next step of an analysis is ambiguous, the analysis ranks the options and calls choose().
 * Without a struct ask, or if choose() returns ASK_DECIDE, the analysis takes the first option. The
 * result of the analysis lists the options and the decision as a choice.
 */
#ifndef CTRACE_ANALYSIS_SLICE_ASK_H
#define CTRACE_ANALYSIS_SLICE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/slice/rules.h"

struct ask_option {
	const char *who; /* the name of the option: "redis-server[12]", "the network (tcp 10.0.0.1:80)" */
	const char *how; /* a sentence that explains the edge, or says where the time went */
	uint64_t from_ns, to_ns;
	uint64_t stack;   /* id of a stack that the task of this option had from from_ns to to_ns;
			     0: none */
	const char *sure; /* the strength of the edge: "strong", "boosted", "weak" */
	double score;     /* 0..1. Slice: the score of the edge (struct candidate). Diagnosis: the
			     part that this option has in the time of the task */
};

struct ask_question {
	const char *text;                 /* the question, such as "What led to what sh[12] did?" */
	const struct ask_option *options; /* the first option is taken if no person chooses */
	size_t n_options;
};

/* Answers other than the index of an option:
 * - ASK_DECIDE: take the first option;
 * - ASK_STOP: stop here;
 * - ASK_NONE: none of the options is a cause. */
enum { ASK_DECIDE = -1, ASK_STOP = -2, ASK_NONE = -3 };

struct ask {
	/* Returns the index of an option or ASK_*; any other number counts as ASK_DECIDE. *ret_keep
	 * is false before the call. If choose() sets *ret_keep to true, the answer becomes rules
	 * (ask_keep()). */
	int (*choose)(void *arg, const struct ask_question *q, bool *ret_keep);
	void *arg;
};

/* Adds the rules for an answer that the person wants to keep:
 * - the index of an option: this option is a cause, and the options before it are not;
 * - ASK_NONE: no option is a cause;
 * - ASK_DECIDE and ASK_STOP add no rule.
 * facts describes the n options, in the order of the question. An option without an edge (edge is
 * 0) makes no rule. If rules is NULL, nothing is added. Returns 0 or -ENOMEM. */
int ask_keep(struct rules *rules, const struct graph *g, const struct rule_facts *facts, size_t n,
	     int answer);

#endif
