/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asking.h - the questions of analysis_cases.c. A question may have rules (such as not=TASK), and the answers
 * of a person (answers=). */
#ifndef CTRACE_TEST_ASKING_H
#define CTRACE_TEST_ASKING_H

#include "analysis/jobs/queues.h"
#include "analysis/slice/ask.h"
#include "test/unit/graph/questions.h"

struct asking {
	struct rules rules;
	int answers[8];
	size_t n, asked;
	/* the question has the word answers=, keep or again (see analysis_cases.c) */
	bool person, keep, again;
	bool lasting; /* the question is about a range of time, not about a moment */
	FILE *out;
};

void asking_take(const struct question *q, struct asking *a);
/* For struct ask; arg is a struct asking. Returns the next answer, or ASK_DECIDE if none is left. */
int asking_choose(void *arg, const struct ask_question *question, bool *ret_keep);
/* Call this after each run. Prints the rules of the run. If a->again is set, clears it and the answers, and
 * returns true: the caller makes a second run. */
bool asking_again(struct asking *a);
void asking_done(struct asking *a);

void ask_slice(struct question *q);
void ask_crashes(struct question *q);
void ask_services(struct question *q);
void ask_parts(struct question *q);
void ask_open(struct question *q);
void ask_queues(struct question *q);
void ask_lengths(struct question *q);
void ask_pools(struct question *q);
void ask_unprobed(struct question *q);
/* Prints the queues. For ask_queues() and ask_behind(). */
void put_queues(const struct question *q, const struct graph *g, const struct queues *all);
void ask_patterns(struct question *q);
void ask_events(struct question *q);
void ask_transactions(struct question *q);
/* The question about inputs, from inputs/inputs_questions.c. */
void ask_inputs(struct question *q);
void ask_profile(struct question *q);
void ask_wakes(struct question *q);
void ask_keys(struct question *q);
void ask_delta(struct question *q);
void ask_command(struct question *q);
/* The questions about pictures, from picture/picture_questions.c. */
void ask_lanes(struct question *q);
void ask_spans(struct question *q);
void ask_stretches(struct question *q);
/* The question about stacks, from flame/flame_questions.c. */
void ask_flame(struct question *q);

#endif
