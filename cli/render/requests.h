/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h - the services of a trace and the requests to them, as text for people and as JSON for
 * programs. Times in JSON are CLOCK_MONOTONIC nanoseconds. One thread.
 */
#ifndef CTRACE_CLI_RENDER_REQUESTS_H
#define CTRACE_CLI_RENDER_REQUESTS_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/requests/services.h"

struct requests_view {
	const struct graph *g;
	const struct services *services;
	bool all;
};

int render_requests_json(const struct requests_view *v);
int render_requests(FILE *f, const struct requests_view *v);
int render_requests_list(FILE *f, const struct requests_view *v);

#endif
