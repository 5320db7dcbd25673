/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request_spans.h - private to cli/otlp: the spans of requests. A request has a client span if its
 * client is on this host, and a server span if its server is on this host. The client span is the
 * parent of the server span. One thread. */
#ifndef CTRACE_CLI_OTLP_REQUEST_SPANS_H
#define CTRACE_CLI_OTLP_REQUEST_SPANS_H

#include "analysis/crashes/crashes.h"
#include "cli/otlp/batch.h"
#include "analysis/requests/services.h"
#include "cli/otlp/contexts.h"

/* Returns true if the request counts in `ctrace requests`, and a chosen task is its client or its server. */
bool request_spans_has(const struct export *x, const struct services *s, uint32_t request);
/* Returns the ids of the server span of the request or, if it has none, of its client span. */
struct span_ids request_spans_ids(const struct batch *b, const struct services *s, const struct contexts *c,
				  uint32_t request);
/* Returns 0 or -ENOMEM. */
int request_spans_put(struct batch *b, const struct services *s, const struct contexts *c,
		      const struct crashes *crashes);

#endif
