/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments.h - private to graph/: decides where one segment of a task ends and the next begins.
 * Each rule is a function. pass.cuts says which rules are in use. Errors go to p->err.
 */
#ifndef CTRACE_GRAPH_CAUSAL_SEGMENTS_H
#define CTRACE_GRAPH_CAUSAL_SEGMENTS_H

#include "graph/causal/pass.h"

/* Begins a new segment of `task` at ts_ns, because of `rule`, at the record `event`. Returns
 * false if there is no new segment, because the rule is not in use or p->err is set. */
bool segments_cut(struct pass *p, uint32_t task, uint64_t ts_ns, uint32_t event, enum cut_rule rule);
/* Undoes the last cut of the task, because the wake-up at this cut was false. */
void segments_undo(struct pass *p, uint32_t task);

/* Processes the end of wait s of `task` at ts_ns. event is the record of the wake, or, if this
 * record is missing, the record of the switch-in. */
void segments_wait(struct pass *p, uint32_t task, const struct interval *s, uint64_t ts_ns, uint32_t event);
/* The rule CUT_IDLE: returns true if wait s, which has ended, was an idle wait. Then the work
 * before the wait is done. wake is NULL if the record of the wake is missing. */
bool segments_idle(struct pass *p, uint32_t task, const struct interval *s, const struct window_event *wake);
/* The rule CUT_BATCH: returns true if the request on flow f is a further request of `client` in the
 * task's present segment. Either this segment has answered a request of `client` already; or it has
 * received one, and `client` does not wait for answers (flow.pipelines). */
bool segments_batch(const struct work *w, const struct flow *f, uint64_t client);
/* The rule CUT_PEERS: from here on, the task works for this client. Cuts if the task worked for
 * another client before. */
void segments_client(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* Like segments_client(), for a task that has received a request of this client. Also cuts if a
 * message of another process than the client's began the segment. */
void segments_request(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* If `task` has no client, and `from_task` belongs to the same process, `task` works for the client
 * of `from_task` from the record `event` on. */
void segments_inherit(struct pass *p, uint32_t task, uint32_t from_task, uint32_t event);
/* The rule CUT_JOB: cuts at the start of a job, and at its end if the end is exact (not
 * CT_JF_LOOSE). */
void segments_job(struct pass *p, uint32_t task, const struct window_event *e, uint32_t event);

#endif
