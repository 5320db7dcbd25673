/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments.h - private to graph/: decides where one segment of a task ends and the next begins.
 *
 * Each rule is a function. pass.cuts says which rules are in use. Errors go to p->err.
 */
#ifndef CTRACE_GRAPH_CAUSAL_SEGMENTS_H
#define CTRACE_GRAPH_CAUSAL_SEGMENTS_H

#include "graph/causal/pass.h"

/* Begins a new segment of task at ts_ns, at the record event and by that rule. False: the rule is
 * not in use, or p->err is set. */
bool segments_cut(struct pass *p, uint32_t task, uint64_t ts_ns, uint32_t event, enum cut_rule rule);
/* Undoes the last cut of the task, because its wake-up was false. */
void segments_undo(struct pass *p, uint32_t task);

/* Processes the end of the wait s of task at ts_ns. event: the wake; the switch-in if the wake is
 * missing. */
void segments_wait(struct pass *p, uint32_t task, const struct interval *s, uint64_t ts_ns, uint32_t event);
/* CUT_IDLE: whether the wait s, which has ended, was an idle wait: the piece of work before it is
 * done. wake may be NULL. */
bool segments_idle(struct pass *p, uint32_t task, const struct interval *s, const struct window_event *wake);
/* CUT_BATCH: whether this is a further request of a client that the segment has served already. */
bool segments_batch(const struct work *w, const struct flow *f, uint64_t client);
/* CUT_PEERS: the task works for that client from here on. Cuts if it worked for another one. */
void segments_client(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* As segments_client(), if the task has received a request of that client. It also cuts if a
 * message of another process began the segment. */
void segments_request(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* Makes task work for the client of from_task, if task has no client of its own and both are of one
 * process. */
void segments_inherit(struct pass *p, uint32_t task, uint32_t from_task);
/* CUT_JOB: cuts at the start of a job, and at its end if the end is exact (not CT_JF_LOOSE). */
void segments_job(struct pass *p, uint32_t task, const struct window_event *e, uint32_t event);

#endif
