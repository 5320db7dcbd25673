/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal.h - the causal graph (happens-before) of a window: segments of work, and edges between them.
 *
 * A segment is a range of one task's time in which the task works for one reason.  It begins where something
 * made the task start on that work, and lasts until the next segment begins; the idle wait after the work
 * belongs to it.  Segments of a task are contiguous, and are empty where two rules cut at one moment.
 * An edge goes from the segment that caused to the segment that was caused.
 *
 * After Argus (Weng, Huang, Yang: "Argus: Debugging Performance Issues in Modern
 * Desktop Applications with Annotated Causal Tracing", USENIX ATC 2021).
 *
 * Pure: no I/O, no globals.  It does not change after causal_build(); several threads may read it.  It refers
 * to the graph and its window, which must live longer.
 */
#ifndef CTRACE_GRAPH_CAUSAL_CAUSAL_H
#define CTRACE_GRAPH_CAUSAL_CAUSAL_H

#include "graph/timeline/graph.h"

/* The rule by which a segment begins.  Each rule in segments.c can be switched off. */
enum cut_rule {
	CUT_FIRST = 0, /* no rule: the task's first segment, or the first after a gap */
	CUT_IDLE = 1,  /* an idle wait has ended: the work before it is done */
	CUT_JOB = 2,   /* a framework reported that a job starts or ends here */
	CUT_BATCH = 3, /* a loop took the next request without waiting for it */
	CUT_PEERS = 4, /* the task works for another client from here on */
	CUT_EXEC = 5,  /* the task runs another program from here on */
	CUT_WAKE = 6,  /* any wait has ended (only in the policy that takes every wake-up for a cause) */
	CUT_RULES,
};
#define CUT_BIT(rule) (1u << (rule))
/* "idle", "job", ... */
const char *cut_rule_name(enum cut_rule rule);

struct segment {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t event;  /* the record at which it was cut; GRAPH_NONE for CUT_FIRST */
	uint32_t behalf; /* the task whose request it works on; GRAPH_NONE: none, or not known */
	uint32_t in;     /* causal.edges[in .. in + n_in) lead to it */
	uint32_t n_in;
	uint8_t cut; /* enum cut_rule */
	uint8_t pad[3];
};

enum edge_flag {
	EDGE_FALSE_WAKE = 0x01, /* the wakee went back to sleep on the same object */
	EDGE_MANY = 0x02,       /* one of several posts is for one of several waiters: N-to-M hand-over */
	EDGE_BYTES = 0x04,      /* message: byte ranges match, not only the wake-up */
	EDGE_ALIKE = 0x08,      /* neighbours: their stacks are alike */
	EDGE_TOGETHER = 0x10,   /* post: one call woke several tasks */
};

struct edge {
	uint32_t from;  /* segment; GRAPH_NONE: an interrupt, a timer, the network */
	uint32_t to;    /* segment: the one in which it arrived */
	uint32_t event; /* the record of its arrival: the wake, the receive, the start; for neighbours the cut
			 */
	uint32_t cause; /* the record of its origin: the send, the enqueue, the write; equal to event when one
			   record shows both */
	uint8_t kind;   /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	uint8_t flags;    /* enum edge_flag */
	uint8_t pad;
};

enum causal_policy {
	POLICY_CTRACE = 0,
	/* As Panappticon (Zhang et al., CODES+ISSS 2013): every wake-up and every job is a cause, all edges
	 * strong, a segment lasts from one wake-up to the next wait. */
	POLICY_PANAPPTICON = 1,
	/* As AppInsight (Ravindranath et al., OSDI 2012): callbacks of one process; nothing crosses its
	 * boundary. */
	POLICY_APPINSIGHT = 2,
};
/* "ctrace", "panappticon", "appinsight" */
const char *causal_policy_name(enum causal_policy policy);

struct causal_options {
	enum causal_policy policy;
	uint32_t cuts_off; /* CUT_BIT() of the rules that are not used */
};

struct causal {
	const struct graph *g;
	enum causal_policy policy;
	struct segment *segments; /* by (task, from_ns) */
	size_t n_segments;
	uint32_t *first;    /* [task]: its first segment; first[task + 1] is one past its last */
	struct edge *edges; /* by (to, event) */
	size_t n_edges;
	uint32_t *out;       /* indices of the edges that have a from, by (from, event of the edge) */
	uint32_t *out_first; /* [segment]: its first in out; out_first[segment + 1] is one past its last */
	size_t n_cuts[CUT_RULES];
};

/* 0, -ENOMEM, or -E2BIG (more than 2^32-2 segments or edges). options NULL: the defaults. */
int causal_build(const struct graph *g, const struct causal_options *options, struct causal **ret);
void causal_free(struct causal *c);

/* The segment of task at ts_ns, or GRAPH_NONE. */
uint32_t causal_segment_at(const struct causal *c, uint32_t task, uint64_t ts_ns);
/* When the edge left its origin, and when it arrived.  It may arrive before it left: a send is recorded when
 * the call returns, and the receiver may be faster. */
uint64_t edge_left_ns(const struct causal *c, const struct edge *e);
uint64_t edge_arrived_ns(const struct causal *c, const struct edge *e);
/* The wait that the wake-up of an edge ended; NULL: the edge is of no wake-up. */
const struct interval *causal_wait_ended(const struct causal *c, const struct edge *e);
/* The object that the edge went through: a pipe, socket, futex, file, job queue; 0 when not known. */
uint64_t edge_object(const struct causal *c, const struct edge *e);

#define EDGE_EXPLAIN_MAX 768
/* One sentence: why this edge is there, and how far to believe it.  Cut to size; returns the whole length, as
 * snprintf(). */
size_t edge_explain(const struct causal *c, const struct edge *e, char *buf, size_t size);

#endif
