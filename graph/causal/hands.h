/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hands.h - private to graph/: the tasks that posted on a futex and those that were woken there, of late.
 */
#ifndef CTRACE_GRAPH_CAUSAL_HANDS_H
#define CTRACE_GRAPH_CAUSAL_HANDS_H

#include "graph/causal/pass.h"

/* Notes that poster woke waiter on that futex.  True: one call woke several tasks, and waiter is one of them.
 * The edge to the first of them then gets EDGE_TOGETHER as well. */
bool hands_post(struct pass *p, uint64_t futex, uint32_t poster, uint32_t waiter, uint64_t ts);
/* Several tasks post there and several wait, so that a post may be for any of them. */
bool hands_are_many(struct pass *p, const struct interval *s);
/* Of the tasks that one call woke together with task, another one went on: task was woken for nothing. */
bool hands_are_herd(struct pass *p, uint32_t task, uint64_t ts);
/* The wait of task on that futex is inside a condition variable that the task signals. */
bool hands_inside_cond(const struct pass *p, uint32_t task, uint64_t futex);

#endif
