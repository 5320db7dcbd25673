/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thundering_herd.h - private to graph/: wake-ups by one connection that woke several processes. */
#ifndef CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H
#define CTRACE_GRAPH_CAUSAL_THUNDERING_HERD_H

#include "graph/causal/pass.h"

/* Of those whom one connection woke all but the one who took it were woken for nothing. */
void thundering_herd_find(struct pass *p);

#endif
