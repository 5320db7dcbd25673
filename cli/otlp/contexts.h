/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contexts.h - private to cli/otlp: the W3C trace contexts of requests, as servers report them with
 * ctrace_mark_traceparent() (ctrace-traceparent.h). Any program may make such marks, so a context is no more
 * than what the server says. One thread.
 *
 * A context consists of four marks of one task, one after the other, without another act of the task, a
 * gap, or more than OTLP_CONTEXT_NS between them. It belongs to the request that is open
 * on the socket of the first mark, and that the process of the task received. If the first mark has no
 * socket: to the only open request that the task itself received. Not used are:
 * - contexts that lack a mark
 * - ids of zeroes, which the standard forbids
 * - contexts without an open request, or with several ones
 * - two different contexts of one request, or one beside an incomplete one
 * - marks of redacted traces, and marks that `ctrace mark` made
 */
#ifndef CTRACE_CLI_OTLP_CONTEXTS_H
#define CTRACE_CLI_OTLP_CONTEXTS_H

#include "analysis/requests/services.h"

struct context {
	uint64_t trace[2], parent; /* as big-endian bytes; parent 0: the request has no context */
	bool differ; /* the request has two different contexts, or an incomplete one, and so none */
};

struct contexts {
	struct context *v; /* by request; NULL: no request has one */
	/* Contexts that are not used. Not counted: contexts with ids of zeroes, and contexts whose first mark
	 * is missing. */
	size_t n_unused;
};

/* The caller frees *ret with contexts_done(). Returns 0 or -ENOMEM. */
int contexts_find(const struct services *s, struct contexts *ret);
void contexts_done(struct contexts *c);

/* Returns the context of the request. NULL: none. */
static inline const struct context *contexts_of(const struct contexts *c, uint32_t request)
{
	return c->v && c->v[request].parent && !c->v[request].differ ? &c->v[request] : NULL;
}

#endif
