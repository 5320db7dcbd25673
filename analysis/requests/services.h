/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * services.h - the requests of a trace by service: how many, how slow, and why. The slowest requests
 * are those from percentile REQUEST_SLOW_FROM on; the usual ones are between REQUEST_USUAL_FROM and
 * REQUEST_USUAL_TO. Pure; any thread. The graph and its window must live as long as the result.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_SERVICES_H
#define CTRACE_ANALYSIS_REQUESTS_SERVICES_H

#include "analysis/requests/service.h"

/* Finds the services of all requests in the window [from_ns, to_ns). filter: which of them count; NULL: as a
 * filter of zeroes. Requests of ctrace itself do not count. service.count has only answered
 * requests, so it may be 0. The caller frees *ret with services_free(). Returns 0, -ENOMEM, or -E2BIG if
 * there are too many requests, segments or edges. */
int services_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		  const struct services_filter *filter, struct services **ret);
/* Like services_find(), but fast: it does not look for reasons, and not for the requests that a service
 * sends itself. */
int services_count(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		   const struct services_filter *filter, struct services **ret);
void services_free(struct services *s);
/* Returns the number of the request, from 1 on. Numbered are first, in the order of the services,
 * service.open and the slowest request of each service. Then come service.open of the services that
 * only --all shows (socket pairs without an answered request, and one-way services), and the other requests of service.slowest. 0: the request has no number, or none of
 * its tasks is known. */
uint32_t services_number(const struct services *s, uint32_t request);
/* Returns the request with this number, or GRAPH_NONE. */
uint32_t services_numbered(const struct services *s, uint32_t number);
/* Returns true if the clients of the service only send, such as the source of a stream of messages: none of
 * them has an answer, or ever waited for one. */
bool service_is_one_way(const struct service *s);
bool services_counts(const struct services *s, uint32_t request);
/* Returns true if the client of a request without an answer still waits for it at the end of the window.
 * Also true for a client that is on another host or not known. */
bool services_is_awaited(const struct services *s, uint32_t request);
/* Says where most of the time of a part went. The caller frees *ret_text. *ret_kind: a
 * time_kind_name(). Returns 0 or -ENOMEM. */
int services_say_part(const struct services *s, const struct part *part, char **ret_text,
		      const char **ret_kind);
/* Returns words for the client of a request whose client is GRAPH_NONE. */
const char *services_nameless_client(const struct services *s, uint32_t request);
/* Makes a sentence about an answered request. The caller frees it. NULL: out of memory. */
char *services_say_request(const struct services *s, uint32_t request);

#endif
