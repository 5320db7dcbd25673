/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hands.h - private to graph/: what went through the hands of the tasks at a futex of late.
 */
#ifndef CTRACE_GRAPH_CAUSAL_HANDS_H
#define CTRACE_GRAPH_CAUSAL_HANDS_H

#include "graph/causal/pass.h"

/* Notes that poster woke waiter on that futex.  True when waiter was woken together with others; the edge to
 * the first of them is told so, too. */
bool hands_post(struct pass *p, uint64_t futex, uint32_t poster, uint32_t waiter, uint64_t ts);
bool hands_are_many(struct pass *p, const struct interval *s);
bool hands_are_herd(struct pass *p, uint32_t task, uint64_t ts);
/* The task, which waits on that futex, waits inside a condition variable that it signals. */
bool hands_inside_cond(const struct pass *p, uint32_t task, uint64_t futex);

#endif
