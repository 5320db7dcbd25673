/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - the structures for the services of a trace. services.h fills them. */
#ifndef CTRACE_ANALYSIS_REQUESTS_SERVICE_H
#define CTRACE_ANALYSIS_REQUESTS_SERVICE_H

#include "analysis/account/quantiles.h"
#include "analysis/requests/parts.h"
#include "trace/words/describe.h"

struct service_reason {
	char *text;
	const char *kind; /* "queue", or the name of an enum time_kind */
	/* the share of this reason in the time of the usual requests, and in that of the slowest
	 * ones: 0..1 */
	double share_p50, share_p99;
};

/* The requests of one service to another one. */
struct service_ask {
	uint32_t service; /* index of the asked service in services.v */
	size_t count;
	struct quantiles latency;
};

#define SERVICE_SLOWEST 3

struct service {
	uint32_t task; /* a task of the service; GRAPH_NONE: on another host */
	char name[CT_COMM_LEN * 2];
	char address[DESCRIBE_MAX];
	bool is_pair; /* the connection is a socket pair, without an address */
	size_t n_processes;
	size_t count;                   /* answered requests */
	size_t n_open;                  /* requests without an answer at the end of the window */
	size_t n_shared;                /* answered requests that are turns of a shared connection
					   (graph/causal/requests.h) */
	struct quantiles latency;       /* ns */
	struct service_reason *reasons; /* the reason with the largest share_p99 first */
	size_t n_reasons;
	uint32_t slowest[SERVICE_SLOWEST]; /* indices of requests, the slowest first */
	size_t n_slowest;
	struct service_ask *asks; /* the asked service with the most requests first */
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

#endif
