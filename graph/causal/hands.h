/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hands.h - private to graph/: the tasks that posted on a futex lately, and the tasks that they
 * woke.
 */
#ifndef CTRACE_GRAPH_CAUSAL_HANDS_H
#define CTRACE_GRAPH_CAUSAL_HANDS_H

#include "graph/causal/pass.h"

/* Notes that `poster` woke `waiter` on a futex. Returns true if one call woke several tasks, and
 * `waiter` is one of them, but not the first. Then the edge to the first of these tasks gets
 * EDGE_TOGETHER. */
bool hands_post(struct pass *p, uint64_t futex, uint32_t poster, uint32_t waiter, uint64_t ts);
/* s is a wait on a futex. Returns true if several tasks post on this futex and several tasks wait
 * on it, so a post may be for any of the tasks that wait. */
bool hands_are_many(struct pass *p, const struct interval *s);
/* For a task that goes back to its wait. Returns true if one call woke `task` together with
 * other tasks, and one of the others has gone on. So the wake-up of `task` was false. */
bool hands_are_herd(struct pass *p, uint32_t task, uint64_t ts);
/* Returns true if `task` waits on this futex inside a call that signals a condition variable. */
bool hands_inside_cond(const struct pass *p, uint32_t task, uint64_t futex);

#endif
