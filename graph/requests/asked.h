/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asked.h - private to graph/requests/: for which request a task asks another service, if the task works for
 * several streams (graph/causal/requests.h) at a time. The order of the messages does not tell this: a proxy
 * may hold back one request, and send on a later one. So a request is the parent only if the records show it:
 * - It is the only one that the task has received and not ended when it asks.
 * - Or the task reads the answer, and ends the request before it waits for any event again. This time is a
 *   round of the task. It has to end as many requests in the round as it reads answers. Each of these answers
 *   belongs to a request that had begun when the task asked. If this leaves a choice, then only between
 *   streams that the other server has received at once: they count in the order of their begins.
 * Otherwise the parent is not known (request.unsure).
 */
#ifndef CTRACE_GRAPH_REQUESTS_ASKED_H
#define CTRACE_GRAPH_REQUESTS_ASKED_H

#include "graph/causal/pass.h"

typedef VEC(struct request_work) work_list;

/* Sets the sends and the clients of the streams. Finds the parents of the streams, and of all requests of
 * tasks that serve streams. dropped[i]: pass.requests.v[i] is no request. Adds to *works the time after the
 * answers. Returns 0 or -ENOMEM. */
int asked_find(struct pass *p, const bool *dropped, work_list *works);

#endif
