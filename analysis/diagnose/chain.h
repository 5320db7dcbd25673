/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - private to analysis/: from a critical path to the chain of tasks
 * that most of the time leads through.
 *
 * At each task the time is grouped by what it went to (the CPU, one other task,
 * one thing that is not a task); the largest group decides where to go on, and
 * a second one of at least a fifth is kept as a choice.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_CHAIN_H
#define CTRACE_ANALYSIS_DIAGNOSE_CHAIN_H

#include "analysis/diagnose/diagnosis.h"
#include "lib/vec.h"

enum chain_end { END_RUNNING, END_RUNNABLE, END_LEAF, END_CYCLE, END_UNKNOWN };

struct chain {
	VEC(struct link) links;
	VEC(struct choice) choices;
	enum chain_end end;
	struct blame leaf;   /* END_LEAF, END_CYCLE */
	uint32_t last_frame; /* while it is built: the longest frame of the last task */
	bool *in_last;       /* [frame]: belongs to the last task */
	struct diagnose_options options;
	size_t asked;   /* questions put to a person */
	bool refused;   /* it ends where a rule or a person would not have it followed */
	size_t settled; /* choices that a rule or a person has made: they leave no doubt */
};

/* options NULL: the defaults. 0 or -ENOMEM. */
int chain_build(const struct graph *g, const struct path *p, const struct diagnose_options *options,
		struct chain *ret);
void chain_done(struct chain *c);
/* Adds a link for task at the end, over the time of the last one. */
int chain_append(const struct graph *g, struct chain *c, uint32_t task, enum edge_kind edge,
		 enum edge_strength strength);
#endif
