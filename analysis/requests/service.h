/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - the structures for the services of a trace. services.h fills them. */
#ifndef CTRACE_ANALYSIS_REQUESTS_SERVICE_H
#define CTRACE_ANALYSIS_REQUESTS_SERVICE_H

#include "analysis/account/quantiles.h"
#include "analysis/requests/parts.h"
#include "trace/words/cgroup_name.h"
#include "trace/words/describe.h"

struct service_reason {
	char *text;
	const char *kind; /* a time_kind_name() */
	/* The share of the time that has this reason, 0..1. share_p50: of the time of the usual
	 * requests. share_p99: of the time of the slowest requests. */
	double share_p50, share_p99;
};

struct service_ask {
	uint32_t service;
	size_t count;
	size_t n_unsure; /* those of them whose parent is one of several requests (request.unsure) */
	struct quantiles latency;
};

struct service_shape_ask {
	uint32_t service;
	size_t least, most; /* how often one request asked it */
};

/* The requests of a service for whose sake the same services were asked, about as often. */
struct service_shape {
	struct service_shape_ask *asks; /* sorted by the order of the services */
	size_t n_asks;
	size_t first; /* private to shapes.c */
	size_t count;
	uint64_t ns; /* the time of all these requests together */
	struct quantiles latency;
};

#define SERVICE_SLOWEST 3

struct service {
	uint32_t task;
	char name[CT_COMM_LEN * 2];
	char address[DESCRIBE_MAX];
	char container[CGROUP_NAME_MAX]; /* of the processes; "" if none, or not known */
	/* The network namespace in which the service has the address. 0: not known, or not an address of
	 * this machine, or not an address of a network. */
	uint32_t netns;
	bool has_twin; /* another service has the same name, address and container */
	bool is_pair;
	size_t n_processes;
	size_t count;
	size_t n_open;
	bool asked; /* a client of a request without an answer has waited for it, or may have */
	/* Of the requests without an answer, the first one whose client still waits at the end of the
	 * window. If there is none, the first one of a client on another host, or of a client that is not
	 * known. Else GRAPH_NONE: the clients may not want an answer any more. */
	uint32_t open;
	size_t n_shared;  /* answered requests on shared connections (graph/causal/requests.h) */
	size_t n_streams; /* answered requests that a probe has told apart (request.stream) */
	bool unsure; /* it has asked for a request that is not known (request.unsure): it has no shapes */
	struct quantiles latency;
	struct service_reason *reasons; /* the largest share_p99 first */
	size_t n_reasons;
	uint32_t slowest[SERVICE_SLOWEST]; /* indices of requests, the slowest first */
	size_t n_slowest;
	struct service_ask *asks;
	size_t n_asks;
	struct service_shape *shapes; /* at most SERVICE_SHAPES; the one with the most time comes first */
	size_t n_shapes;
	size_t n_all_shapes;
};

/* Which requests count. Zeroes: all that ended in the window, or began there and have no answer. */
struct services_filter {
	/* If not NULL, tasks[server] or tasks[client] has to be set. Must live as long as the services. */
	const bool *tasks;
	/* Any part of an answered request in the window is enough. A request without an answer that began
	 * before the window counts if its client waits at the end of the window. */
	bool touching;
};

struct services {
	const struct graph *g;
	struct requests requests;
	struct parts parts;
	uint32_t *of;
	struct service *v; /* the one with the most time in requests comes first */
	size_t n;
	/* The requests that services_number() numbers, in this order. */
	uint32_t *numbered;
	size_t n_numbered;
	uint64_t from_ns, to_ns;
	struct services_filter filter;
	bool figures_only; /* there are no reasons and no asks: services_count() */
	uint32_t lacks;
	uint32_t looks; /* at tasks and intervals, for service.asked; at most SERVICE_LOOKS */
};

#endif
