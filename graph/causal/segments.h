/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments.h - private to graph/: where one segment of a task ends and the next begins.
 *
 * Each rule is a function.  pass.cuts says which rules are in use.
 */
#ifndef CTRACE_GRAPH_CAUSAL_SEGMENTS_H
#define CTRACE_GRAPH_CAUSAL_SEGMENTS_H

#include "graph/causal/pass.h"

/* Cuts task at ts_ns by that rule.  False: the rule is not in use. */
bool segments_cut(struct pass *p, uint32_t task, uint64_t ts_ns, uint32_t event, enum cut_rule rule);
/* Takes the last cut of the task back: the wake-up was false. */
void segments_undo(struct pass *p, uint32_t task);

/* A wait of task has ended at ts_ns (event: the wake, or the switch-in where that is missing). */
void segments_wait(struct pass *p, uint32_t task, const struct interval *s, uint64_t ts_ns, uint32_t event);
/* CUT_IDLE: the wait that has ended is one that ends a piece of work.  wake may be NULL. */
bool segments_idle(struct pass *p, uint32_t task, const struct interval *s, const struct window_event *wake);
/* CUT_BATCH: a further request of a client that has been served in this segment. */
bool segments_batch(const struct work *w, const struct flow *f, uint64_t client);
/* CUT_PEERS: from here on the task works for that client. */
void segments_client(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* The same where the task takes a request of that client.  It cuts too when the message of another process
 * began the segment. */
void segments_request(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* task works for the client of from_task, if it has no client of its own. */
void segments_inherit(struct pass *p, uint32_t task, uint32_t from_task);
/* CUT_JOB, at CT_JOB START, and at END where that is exact. */
void segments_job(struct pass *p, uint32_t task, const struct window_event *e, uint32_t event);

#endif
