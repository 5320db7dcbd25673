/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shapes.h - divides the requests of a service by their shape: which services are asked for the sake of a
 * request, directly or through others, and about how often. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_REQUESTS_SHAPES_H
#define CTRACE_ANALYSIS_REQUESTS_SHAPES_H

#include "analysis/requests/service.h"

/* Sets service.shapes and service.n_all_shapes of each service. requests: the n requests that count; all of
 * them have an answer. Returns 0 or -ENOMEM. After both, the caller frees service.shapes with shapes_free().
 */
int shapes_find(struct services *s, const uint32_t *requests, size_t n);
/* The services get other numbers: now[i] is the number of service i. Sorts the asks by these numbers. */
void shapes_renumber(struct service_shape *x, const uint32_t *now);
void shapes_free(struct service *s);
/* Writes words such as "ask postgres (/run/pg) 8 to 12 times, redis (127.0.0.1:6379) once". The caller frees
 * them. NULL: out of memory. */
char *shapes_say(const struct services *s, const struct service_shape *shape);

#endif
