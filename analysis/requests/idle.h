/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idle.h - for what a request waits while its task idles in an event loop, and no child request is
 * under way. The next step of the request tells the reason. This step is a child request or the
 * answer. The idle waits tell nothing: any event ends them, also an event of another request.
 * Private to analysis/requests/. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_IDLE_H
#define CTRACE_ANALYSIS_REQUESTS_IDLE_H

#include "analysis/requests/part.h"

/* The reason for which a request waits. The reason applies to waits that begin before until_ns, and not
 * to later waits. */
struct idle_reason {
	uint64_t until_ns;
	uint32_t behind; /* PART_CONNECTION: the request that used the connection */
	uint8_t kind;    /* PART_CONNECTION, PART_TIMER, or PART_WORK: not known */
};

/* Returns true for a wait in which an event loop waits for any event. */
bool idle_wait(const struct interval *s);
/* Returns why the request waits between from_ns and to_ns. The caller knows that no child request is
 * under way in this time. child: the child request that begins at to_ns. GRAPH_NONE: the request is
 * answered at to_ns. */
struct idle_reason idle_reason(const struct parts *p, uint32_t request, uint32_t child, uint64_t from_ns,
			       uint64_t to_ns);
/* Returns true if the idle wait is for a client of the service, but not for bytes of this request.
 * So the request waits for something else. */
bool idle_for_client(const struct parts *p, uint32_t request, uint32_t interval);

#endif
