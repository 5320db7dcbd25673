/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spent.h - private to cli/otlp: where the time of a request or job went, as a list of struct spent_piece
 * in order of time. One thread.
 */
#ifndef CTRACE_CLI_OTLP_SPENT_H
#define CTRACE_CLI_OTLP_SPENT_H

#include "analysis/requests/services.h"
#include "cli/otlp/batch.h"
#include "lib/vec.h"

struct spent_piece {
	uint64_t from_ns, to_ns;
	uint32_t interval;  /* of the task that worked for the request; GRAPH_NONE: none */
	uint8_t time;       /* enum time_kind; in a TIME_SHORT piece, the task also ran */
	bool child;         /* a child request was under way: its span says where the time went */
	struct blame blame; /* only if the interval is INTERVAL_BLOCKED */
};
typedef VEC(struct spent_piece) spent_list;

/* Appends the pieces of an answered request. Returns 0 or -ENOMEM. */
int spent_find(const struct services *s, uint32_t request, spent_list *ret);
/* Appends the pieces of what the task did in [from_ns, to_ns). Returns 0 or -ENOMEM. */
int spent_find_work(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, spent_list *ret);
/* Adds the attributes ctrace.time.*, whose sum is to_ns - from_ns. */
void spent_put_times(struct attrs *a, const struct graph *g, const spent_list *v, uint64_t from_ns,
		     uint64_t to_ns);
/* Adds the attributes ctrace.time.* from sums that the caller has: kinds[t] is the time of the kind
 * t. */
void spent_put_kinds(struct attrs *a, const uint64_t kinds[TIME_KINDS]);
/* spent_put_times() and spent_put_kinds() each add at most this many attributes. */
#define SPENT_ATTRS (TIME_KINDS + 1)
/* Adds an event for each of the longest waits of the span. */
void spent_put_waits(struct batch *b, Ot__Span *span, const spent_list *v, uint64_t from_ns, uint64_t to_ns);

#endif
