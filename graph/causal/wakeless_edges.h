/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakeless_edges.h - private to graph/: makes edges from records other than wake-ups and messages:
 * forks, execs, signals, file locks, variables and jobs. */
#ifndef CTRACE_GRAPH_CAUSAL_WAKELESS_EDGES_H
#define CTRACE_GRAPH_CAUSAL_WAKELESS_EDGES_H

#include "graph/causal/pass.h"

/* `event` is the index of a record in the window: a CT_SIGNAL, CT_SIGDELIVER, CT_FORK, CT_EXEC,
 * CT_FLOCK, CT_ACCESS, CT_JOB, CT_WAITFD, CT_VISIT or CT_SAMPLE. Errors go to p->err. */
void wakeless_edges_event(struct pass *p, uint32_t event);

#endif
