/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hands.h - private to graph/: the tasks that posted on a futex lately, and the tasks that they
 * woke.
 */
#ifndef CTRACE_GRAPH_CAUSAL_HANDS_H
#define CTRACE_GRAPH_CAUSAL_HANDS_H

#include "graph/causal/pass.h"

/* Notes that `poster` woke `waiter` on a futex. Returns true if the same call woke another task
 * before. Then also sets EDGE_TOGETHER in the edge to the first task that this call woke. */
bool hands_post(struct pass *p, uint64_t futex, uint32_t poster, uint32_t waiter, uint64_t ts);
/* s is a wait on a futex. Returns true if a post on this futex may be for any of several tasks. */
bool hands_are_many(struct pass *p, const struct interval *s);
/* Called when `task` goes back to its wait. Returns true if its wake-up was false: one call woke
 * several tasks, and another of these tasks has gone on. */
bool hands_are_herd(struct pass *p, uint32_t task, uint64_t ts);
/* Returns true if `task` waits on this futex inside a call that signals a condition variable. */
bool hands_inside_cond(const struct pass *p, uint32_t task, uint64_t futex);

#endif
