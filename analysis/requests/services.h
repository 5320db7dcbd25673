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

#include "analysis/requests/parts.h"
#include "trace/words/describe.h"

/* Nearest rank. ns. */
struct quantiles {
	uint64_t p50, p95, p99, max;
};

struct service_reason {
	char *text;
	const char *kind; /* "queue", or the name of an enum time_kind */
	double share_p50, share_p99;
};

/* What a service asks another one. */
struct service_ask {
	uint32_t service; /* index into services.v */
	size_t count;
	struct quantiles latency;
};

#define SERVICE_SLOWEST 3

struct service {
	uint32_t task; /* a task of the service; GRAPH_NONE: on another host */
	char name[CT_COMM_LEN * 2];
	char address[DESCRIBE_MAX];
	size_t n_processes;
	size_t count;    /* answered requests */
	size_t n_open;   /* requests without an answer at the end of the window */
	size_t n_shared; /* answered requests that are turns of a shared connection */
	struct quantiles latency;
	struct service_reason *reasons; /* the largest share of the slowest requests first */
	size_t n_reasons;
	uint32_t slowest[SERVICE_SLOWEST]; /* requests, the slowest first */
	size_t n_slowest;
	struct service_ask *asks; /* the most requests first */
	size_t n_asks;
};

struct services {
	const struct graph *g;
	struct requests requests;
	struct parts parts;
	uint32_t *of;      /* [request]: its service */
	struct service *v; /* the service with the most time in its requests first */
	size_t n;
	uint64_t from_ns, to_ns;
	uint32_t lacks; /* what the governor left out in this time: CT_LACK_* */
};

/* Finds the requests that ended in [from_ns, to_ns), and those that began there and have no answer. The
 * caller frees *ret with services_free(). 0, -ENOMEM, or -E2BIG as requests_find(). */
int services_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct services **ret);
void services_free(struct services *s);
/* Says where most of the time of one part of a request of this service went. *ret_text: the caller frees it.
 * *ret_kind: as service_reason.kind. 0 or -ENOMEM. */
int services_say_part(const struct services *s, uint32_t service, const struct part *part, char **ret_text,
		      const char **ret_kind);

#endif
