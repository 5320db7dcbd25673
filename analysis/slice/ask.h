/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask.h - how an analysis asks a person which option to take. Without a struct ask, or after
 * ASK_DECIDE, the analysis takes the first option.
 */
#ifndef CTRACE_ANALYSIS_SLICE_ASK_H
#define CTRACE_ANALYSIS_SLICE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/slice/rules.h"

struct ask_option {
	const char *who; /* "redis-server[12]", "the network (tcp 10.0.0.1:80)" */
	const char *how;
	uint64_t from_ns, to_ns;
	uint64_t stack;
	const char *sure;
	double score; /* 0..1: the score of the edge, or the share of the time */
};

struct ask_question {
	const char *text;
	const struct ask_option *options;
	size_t n_options;
};

enum {
	ASK_DECIDE = -1, /* take the first option */
	ASK_STOP = -2,
	ASK_NONE = -3 /* none of the options is a cause */
};

struct ask {
	/* Returns the index of an option, or ASK_*; other numbers count as ASK_DECIDE. *ret_keep: make
	 * rules from the answer. */
	int (*choose)(void *arg, const struct ask_question *q, bool *ret_keep);
	void *arg;
};

/* Keeps an answer as rules: the chosen option is a cause, and the options before it are not. ASK_NONE:
 * no option is a cause. An option with facts[i].edge of 0 gets no rule. If `rules` is NULL, does
 * nothing. Returns 0 or -ENOMEM. */
int ask_keep(struct rules *rules, const struct graph *g, const struct rule_facts *facts, size_t n,
	     int answer);

#endif
