/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * services.h - the requests of a trace by service: how many, how slow, and why.
 *
 * A service is a program that serves requests at one address. A service on another host is known by
 * its address only.
 *
 * The reasons compare two groups of requests: the slowest ones (from percentile REQUEST_SLOW_FROM
 * on) and the usual ones (from percentile REQUEST_USUAL_FROM to REQUEST_USUAL_TO). Each reason has
 * a share of the time of each group. The shares of one group add up to 1.
 *
 * Pure; any thread. The result refers to the graph and its window, which must live as long as the
 * result.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_SERVICES_H
#define CTRACE_ANALYSIS_REQUESTS_SERVICES_H

#include "analysis/requests/service.h"

/* Finds the requests that ended in [from_ns, to_ns), and those that began there and have no answer.
 * The caller frees *ret with services_free(). Returns 0, -ENOMEM, or -E2BIG if there are too many
 * requests, segments or edges. */
int services_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct services **ret);
void services_free(struct services *s);
/* Tells whether the request counts: it ended in the range of services_find(), or it began there and
 * has no answer. */
bool services_counts(const struct services *s, uint32_t request);
/* Says where most of the time of one part of a request went. Sets *ret_text, which the caller
 * frees, and *ret_kind (as service_reason.kind). Returns 0 or -ENOMEM. */
int services_say_part(const struct services *s, const struct part *part, char **ret_text,
		      const char **ret_kind);
/* Makes a sentence about an answered request: which client waited for which service, how long, and
 * where the time went. The caller frees it. Returns NULL if out of memory. */
char *services_say_request(const struct services *s, uint32_t request);

#endif
