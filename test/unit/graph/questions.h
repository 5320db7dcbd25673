/* SPDX-License-Identifier: GPL-2.0-or-later */
/* questions.h - reads and prints tasks and times for the questions of graph_cases and analysis_cases. */
#ifndef CTRACE_TEST_QUESTIONS_H
#define CTRACE_TEST_QUESTIONS_H

#include "graph/timeline/graph.h"
#include "test/unit/text/text_cases.h"

struct graph *question_graph(const struct question *q);
void question_free_graph(struct graph **g);
void question_put_time(const struct question *q, uint64_t ns);
void question_put_task(const struct question *q, const struct graph *g, uint32_t task);
/* Reads a tid or a name. If no task has it at ns, sets an error and returns GRAPH_NONE. */
uint32_t question_task(const struct question *q, const struct graph *g, uint64_t ns);
uint64_t question_time(const struct question *q);

#endif
