/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.h - the services of a trace and the requests to them, as text and as JSON. Times in JSON
 * are CLOCK_MONOTONIC nanoseconds. One thread. */
#ifndef CTRACE_CLI_RENDER_REQUESTS_H
#define CTRACE_CLI_RENDER_REQUESTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/requests/services.h"

struct requests_view {
	const struct graph *g;
	const struct services *services;
	const uint32_t *order; /* of the services, for text (cli/tablearg.h) */
	uint32_t limit;        /* of the number of services; 0: the default */
	bool all;
};

int render_requests_json(const struct requests_view *v);
int render_requests(FILE *f, const struct requests_view *v);
int render_requests_list(FILE *f, const struct requests_view *v);

/* Parts of several JSON documents. Each returns a new reference, or NULL if out of memory. */
/* {"pid","tid","comm"}, with the name that the task has at ts_ns. For GRAPH_NONE: null. */
json_t *render_json_task(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* [{"text","kind","share_p50","share_p99"}] */
json_t *render_json_reasons(const struct service_reason *v, size_t n);

#endif
