/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * segments.h - private to graph/: decides where one segment of a task ends and the next begins.
 * pass.cuts says which rules (enum cut_rule) are in use. Errors go to p->err.
 */
#ifndef CTRACE_GRAPH_CAUSAL_SEGMENTS_H
#define CTRACE_GRAPH_CAUSAL_SEGMENTS_H

#include "graph/causal/pass.h"

/* Returns false if there is no new segment: the rule is not in use, or p->err is set. */
bool segments_cut(struct pass *p, uint32_t task, uint64_t ts_ns, uint32_t event, enum cut_rule rule);
/* Undoes the last cut of the task, because the wake-up at this cut was false. */
void segments_undo(struct pass *p, uint32_t task);

/* Called when the wait s has ended. event: the record of the wake-up, or else of the switch-in. */
void segments_wait(struct pass *p, uint32_t task, const struct interval *s, uint64_t ts_ns, uint32_t event);
/* For the rule CUT_IDLE: returns true if s was an idle wait. wake may be NULL: not recorded. */
bool segments_idle(struct pass *p, uint32_t task, const struct interval *s, const struct window_event *wake);
/* For the rule CUT_BATCH: returns true if the segment works for `client`, and the next receive on
 * flow f brings a further request of this client. One of these must be true:
 * - The segment sent the last answer on f, and has received no further request on f since.
 * - Another segment sent the last answer on f, this segment made the last receive on f, and the
 *   client sends requests without waiting for answers (flow.pipelines). */
bool segments_batch(const struct work *w, const struct flow *f, uint64_t client);
/* Notes that the task works for `client` from now on. If its segment already has another client, first
 * cuts the segment by the rule CUT_PEERS; if this rule is not in use, the segment keeps its client. */
void segments_client(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* Like segments_client(), for the receive of a request of `client`. Also cuts the segment if it has no
 * client yet, and began with a message from a process other than that of `client`. */
void segments_request(struct pass *p, uint32_t task, uint64_t client, uint64_t ts_ns, uint32_t event);
/* If `task` has no client, it gets the client of `from_task`, a task of the same process. */
void segments_inherit(struct pass *p, uint32_t task, uint32_t from_task, uint32_t event);
/* For the rule CUT_JOB: cuts at the start of a job. Also cuts at the end of a job, unless the
 * record of the end has the flag CT_JF_LOOSE. */
void segments_job(struct pass *p, uint32_t task, const struct window_event *e, uint32_t event);
/* No task has an open job of the framework (ct_job_framework()) any more. */
void segments_forget_jobs(struct pass *p, uint16_t framework);

#endif
