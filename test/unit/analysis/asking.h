/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asking.h - rules, and the answers of a person, for the questions of analysis_cases. */
#ifndef CTRACE_TEST_ASKING_H
#define CTRACE_TEST_ASKING_H

#include "analysis/slice/ask.h"
#include "test/unit/graph/questions.h"

/* Rules, and a person who gives `answers` to the first n questions. */
struct asking {
	struct rules rules;
	int answers[8];
	size_t n, asked;
	bool person, keep, again;
	bool lasting; /* the questions are about a range of time (diagnose), not about a moment (slice) */
	FILE *out;
};

/* Reads the rules and answers from the words of the question. asking_done() frees them. */
void asking_take(const struct question *q, struct asking *a);
/* The function of a struct ask. arg: a struct asking. Prints the question. Returns the next of the
 * answers, or ASK_DECIDE if none is left. */
int asking_choose(void *arg, const struct ask_question *question, bool *ret_keep);
/* Prints the rules. The first call returns true if the question of the case has the word "again".
 * Then the caller runs the question once more, without answers. */
bool asking_again(struct asking *a);
void asking_done(struct asking *a);

/* The questions about slices, from slice_questions.c. */
void ask_slice(struct question *q);
/* The questions about requests and queues of jobs, from requests_questions.c. */
void ask_services(struct question *q);
void ask_parts(struct question *q);
void ask_queues(struct question *q);
/* The questions about profiles, from profile_questions.c. */
void ask_profile(struct question *q);
void ask_keys(struct question *q);
void ask_delta(struct question *q);
void ask_command(struct question *q);

#endif
