/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * services.h - the requests of a trace by service: how many, how slow, and why.
 *
 * A service is a program that serves requests at one address. A service on another host is known by its
 * address only. The reasons compare the slowest requests (from REQUEST_SLOW_FROM on) with the usual ones (in
 * the middle of the ranks): where does the time of each group go? A reason is a share of the time of the
 * group, and the shares of one group add up to 1.
 *
 * Pure; any thread. The result refers to the graph and its window, which must live as long.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_SERVICES_H
#define CTRACE_ANALYSIS_REQUESTS_SERVICES_H

#include "analysis/requests/service.h"

/* Finds the requests that ended in [from_ns, to_ns), and those that began there and have no answer. The
 * caller frees *ret with services_free(). 0, -ENOMEM, or -E2BIG as requests_find(). */
int services_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct services **ret);
void services_free(struct services *s);
/* Whether the request counts: see services_find(). */
bool services_counts(const struct services *s, uint32_t request);
/* Says where most of the time of one part of a request went. *ret_text: the caller frees it. *ret_kind: as
 * service_reason.kind. 0 or -ENOMEM. */
int services_say_part(const struct services *s, const struct part *part, char **ret_text,
		      const char **ret_kind);
/* One sentence about an answered request: who waited for whom, how long, and where the time went. NULL: out
 * of memory; the caller frees it. */
char *services_say_request(const struct services *s, uint32_t request);

#endif
