/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal.h - the causal graph (happens-before) of a window: segments of work, and edges between
 * them.
 *
 * A segment is a range of one task's time in which the task works for one reason. A segment begins
 * where something made the task start on that work, and lasts until the next segment begins. The
 * idle wait after the work belongs to the segment. There is no time between two segments of a task.
 * If two rules cut at the same moment, the segment between these cuts is empty. An edge goes from
 * the segment that is the cause to the segment that is the effect.
 *
 * The method is that of Argus (Weng, Huang, Yang: "Argus: Debugging Performance Issues in Modern
 * Desktop Applications with Annotated Causal Tracing", USENIX ATC 2021).
 *
 * Pure: no I/O, no globals. A causal graph does not change after causal_build(), so several threads
 * may read it. A causal graph refers to the graph and to the graph's window. These two must live as
 * long as the causal graph.
 */
#ifndef CTRACE_GRAPH_CAUSAL_CAUSAL_H
#define CTRACE_GRAPH_CAUSAL_CAUSAL_H

#include "graph/timeline/graph.h"

/* The rule by which a segment begins. causal_options.cuts_off switches rules off. */
enum cut_rule {
	CUT_FIRST = 0, /* no rule: the task's first segment, or its first segment after a gap */
	CUT_IDLE = 1,  /* an idle wait has ended: the work before it is done */
	CUT_JOB = 2,   /* a framework reported that a job starts or ends here */
	CUT_BATCH = 3, /* the task received the next request of the same client, without an idle
			  wait before it */
	CUT_PEERS = 4, /* the task works for another client from here on */
	CUT_EXEC = 5,  /* the task runs another program from here on */
	CUT_WAKE = 6,  /* any wait has ended (only with POLICY_PANAPPTICON) */
	CUT_RULES,
};
#define CUT_BIT(rule) (1u << (rule))
/* Returns the word for the rule: "idle", "job", ... */
const char *cut_rule_name(enum cut_rule rule);

struct segment {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t event;  /* index of the record at which the segment begins; GRAPH_NONE for
			    CUT_FIRST */
	uint32_t behalf; /* the task for whose request the segment works; GRAPH_NONE: none, or not known */
	uint32_t in;     /* causal.edges[in .. in + n_in) lead to the segment */
	uint32_t n_in;
	uint8_t cut; /* enum cut_rule */
	uint8_t pad[3];
};

enum edge_flag {
	EDGE_FALSE_WAKE = 0x01, /* the wakee went back to sleep on the same object, or another process took
				   the connection that woke it */
	EDGE_MANY = 0x02,       /* EDGE_POST: several tasks wait on the futex, and the post may be
				   for any of them. EDGE_ANSWER: several requests have no answer
				   yet, and the answer may be for any of them */
	EDGE_BYTES = 0x04,      /* EDGE_MESSAGE: the bytes of the receive were matched with those
				   of the send */
	EDGE_ALIKE = 0x08,      /* EDGE_NEIGHBOUR: the stacks of the two segments are alike */
	EDGE_TOGETHER = 0x10,   /* EDGE_POST: one call woke several tasks */
};

struct edge {
	uint32_t from;    /* segment of the cause; GRAPH_NONE: an interrupt, a timer, the network */
	uint32_t to;      /* the segment of the effect, in which the edge arrives */
	uint32_t event;   /* index of the record of the arrival: a wake, a receive, a start; for
			     EDGE_NEIGHBOUR, the record of the cut */
	uint32_t cause;   /* index of the record of the origin: the send, the enqueue, the write;
			     equal to `event` if one record shows both origin and arrival */
	uint8_t kind;     /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	uint8_t flags;    /* bits of enum edge_flag */
	uint8_t pad;
};

enum causal_policy {
	POLICY_CTRACE = 0,
	/* Like Panappticon (Zhang et al., CODES+ISSS 2013): every wake-up, job and fork is a
	 * cause, all edges are strong, and a segment lasts from one wake-up to the next. */
	POLICY_PANAPPTICON = 1,
	/* Like AppInsight (Ravindranath et al., OSDI 2012): the causes are callbacks within one
	 * process, so no edge leads from one process to another. */
	POLICY_APPINSIGHT = 2,
};
/* Returns the name of the policy: "ctrace", "panappticon", "appinsight". */
const char *causal_policy_name(enum causal_policy policy);

struct causal_options {
	enum causal_policy policy;
	uint32_t cuts_off; /* CUT_BIT() of the rules that are not used */
};

struct causal {
	const struct graph *g;
	enum causal_policy policy;
	struct segment *segments; /* sorted by (task, from_ns) */
	size_t n_segments;
	uint32_t *first;    /* [task]: the index of its first segment; first[task + 1] is the end */
	struct edge *edges; /* sorted by (to, event) */
	size_t n_edges;
	uint32_t *out;       /* indices of the edges whose `from` is a segment, sorted by (from,
				event) */
	uint32_t *out_first; /* [segment]: the index in `out` of its first edge;
				out_first[segment + 1] is the end */
	size_t n_cuts[CUT_RULES];
};

/* Builds the causal graph of g. The caller frees *ret with causal_free(). If options is NULL,
 * the defaults apply. Returns 0, -ENOMEM, or -E2BIG if there are more than 2^32-2 segments or
 * edges. */
int causal_build(const struct graph *g, const struct causal_options *options, struct causal **ret);
void causal_free(struct causal *c);

/* The edges of a graph that lead from one task to another task, without the edges that arrive with a
 * wake-up. Edges from no task, such as those of interrupts, are not in the list. In the listed edges,
 * the members `from` and `to` are tasks, not segments. The edges are in no order, and none has the
 * kind EDGE_NEIGHBOUR. */
struct causal_links {
	struct edge *v;
	size_t n;
};
/* Finds these edges, with the default options. Makes no causal graph, so it takes less
 * time and memory than causal_build(). The caller frees ret->v. Returns 0, -ENOMEM or
 * -E2BIG, like causal_build(). */
int causal_links_find(const struct graph *g, struct causal_links *ret);

/* Returns the index of the segment of task at ts_ns, or GRAPH_NONE if there is none. */
uint32_t causal_segment_at(const struct causal *c, uint32_t task, uint64_t ts_ns);
/* Return the times (ns since boot) at which the edge left its origin, and at which it arrived.
 * The arrival may have the earlier time: a send is recorded when its call returns, and the
 * receiver may be faster. */
uint64_t edge_left_ns(const struct causal *c, const struct edge *e);
uint64_t edge_arrived_ns(const struct causal *c, const struct edge *e);
/* If a wake-up made the edge, returns the wait that this wake-up ended. Returns NULL if no
 * wake-up made the edge, or if the wait is not known. */
const struct interval *causal_wait_ended(const struct causal *c, const struct edge *e);
/* Returns the object through which the edge goes: a pipe, socket, futex, file, variable or job
 * queue. Returns 0 if there is none, or if it is not known. */
uint64_t edge_object(const struct causal *c, const struct edge *e);

#define EDGE_EXPLAIN_MAX 768
/* Writes one sentence that says why this edge exists, and how sure the edge is. The text is cut
 * to `size` bytes. Returns the length of the uncut text, like snprintf(). */
size_t edge_explain(const struct causal *c, const struct edge *e, char *buf, size_t size);

#endif
