/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causal.h - the causal graph (happens-before) of a window: segments of work, and edges between
 * them. Terms: "segment", "cut" and "edge" in doc/glossary.md. The method is that of Argus (Weng,
 * Huang, Yang, USENIX ATC 2021).
 *
 * The segments of a task leave no time between them: a segment includes the idle wait after its
 * work. A segment is empty if two rules cut at the same moment.
 *
 * Pure. Several threads may read a finished causal graph. The struct graph and its window must
 * outlive the causal graph.
 */
#ifndef CTRACE_GRAPH_CAUSAL_CAUSAL_H
#define CTRACE_GRAPH_CAUSAL_CAUSAL_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

enum cut_rule {
	CUT_FIRST = 0, /* the first segment of a task, or the first one after an unknown interval */
	CUT_IDLE = 1,
	CUT_JOB = 2,
	CUT_BATCH = 3, /* the next request of the same client, without an idle wait before it */
	CUT_PEERS = 4,
	CUT_EXEC = 5,
	CUT_WAKE = 6, /* after any wait; only with POLICY_PANAPPTICON */
	CUT_RULES,
};
#define CUT_BIT(rule) (1u << (rule))
const char *cut_rule_name(enum cut_rule rule);

struct segment {
	uint64_t from_ns, to_ns;
	uint32_t task;
	uint32_t event;  /* index of the record at which the segment begins, or GRAPH_NONE */
	uint32_t behalf; /* the task for whose request the segment works, or GRAPH_NONE */
	uint32_t in;     /* causal.edges[in .. in + n_in) lead to the segment */
	uint32_t n_in;
	uint8_t cut;
	uint8_t pad[3];
};

enum edge_flag {
	EDGE_FALSE_WAKE = 0x01, /* the wakee found nothing to do */
	EDGE_MANY = 0x02,       /* a guess: another segment may be the cause */
	EDGE_BYTES = 0x04,      /* EDGE_MESSAGE: bytes of the receive are bytes of the send */
	EDGE_ALIKE = 0x08,
	EDGE_TOGETHER = 0x10, /* EDGE_POST: one call woke several tasks */
};

struct edge {
	uint32_t from; /* segment of the cause; GRAPH_NONE: no task, or not known */
	uint32_t to;
	uint32_t event; /* index of the record of the effect (a receive), or GRAPH_NONE */
	uint32_t cause; /* index of the record of the cause (a send), or GRAPH_NONE */
	uint8_t kind;
	uint8_t strength;
	uint8_t flags;
	uint8_t pad;
};

enum causal_policy {
	POLICY_CTRACE = 0,
	/* Like Panappticon (Zhang et al., CODES+ISSS 2013): only wake-ups, jobs and forks make
	 * edges, and all these edges are strong. A segment begins at each wake-up. */
	POLICY_PANAPPTICON = 1,
	/* Like AppInsight (Ravindranath et al., OSDI 2012). No edge leads from one process to another.
	 * Only these make edges: jobs, forks, and wake-ups through an eventfd, a pipe, or a futex that
	 * is no lock. */
	POLICY_APPINSIGHT = 2,
};
const char *causal_policy_name(enum causal_policy policy);

struct causal_options {
	enum causal_policy policy;
	uint32_t cuts_off; /* CUT_BIT() of the rules that are not used */
	/* Edges to segments that lie outside of [from_ns, to_ns) are left out. Two zeros: all edges stay. */
	uint64_t from_ns, to_ns;
};

struct causal {
	const struct graph *g;
	enum causal_policy policy;
	struct segment *segments; /* sorted by (task, from_ns) */
	size_t n_segments;
	uint32_t *first;    /* [task]: index of the task's first segment; [n_tasks]: n_segments */
	struct edge *edges; /* sorted by (to, event) */
	size_t n_edges;
	uint32_t *out;       /* indices of edges, sorted by (from, event) */
	uint32_t *out_first; /* [segment]: where the edges from it begin in `out`; [n_segments]: the end */
	size_t n_cuts[CUT_RULES];
};

/* Returns true if the segment is not outside of [from_ns, to_ns). */
static inline bool segment_overlaps(const struct segment *s, uint64_t from_ns, uint64_t to_ns)
{
	return s->from_ns < to_ns && s->to_ns > from_ns;
}

/* options may be NULL. The caller frees *ret with causal_free(). Returns 0, -ENOMEM, or -E2BIG:
 * more than 2^32-2 segments or edges. */
int causal_build(const struct graph *g, const struct causal_options *options, struct causal **ret);
void causal_free(struct causal *c);

/* The short form of an edge from one task to another. Only an edge whose cause surely comes before its
 * effect has a link. An edge that was made from a wake-up has none. */
struct causal_link {
	uint32_t from;  /* the task of the cause */
	uint32_t event; /* as in struct edge */
	uint32_t cause; /* as in struct edge */
};
/* A link in a list. There are millions, and most are of a message that was sent shortly before. */
struct packed_link {
	uint32_t event; /* if from is LINK_WIDE: the index in causal_link_list.wide */
	uint16_t from;
	int16_t back; /* event - cause */
};
#define LINK_WIDE UINT16_MAX
/* The links to one task, nearly in order of time. To read and change them, call the functions below. */
struct causal_link_list {
	VEC(struct packed_link) v;
	VEC(struct causal_link) wide;
};
struct causal_links {
	struct causal_link_list *to; /* [task] */
	size_t n_tasks;
};
/* Returns 0, -ENOMEM or -E2BIG. */
int causal_link_add(struct causal_link_list *list, const struct causal_link *link);
static inline struct causal_link causal_link_get(const struct causal_link_list *list, size_t i)
{
	const struct packed_link *l = &list->v.v[i];

	if (l->from == LINK_WIDE)
		return list->wide.v[l->event];
	return (struct causal_link){ .from = l->from,
				     .event = l->event,
				     .cause = l->event - (uint32_t)(int32_t)l->back };
}
/* The link gets its event as its cause. Several threads may change different links of one list. */
static inline void causal_link_cut(struct causal_link_list *list, size_t i)
{
	struct packed_link *l = &list->v.v[i];

	if (l->from == LINK_WIDE)
		list->wide.v[l->event].cause = list->wide.v[l->event].event;
	else
		l->back = 0;
}
void causal_link_list_done(struct causal_link_list *list);
/* Faster and smaller than causal_build(). The caller frees *ret with causal_links_done(). Returns
 * 0, -ENOMEM or -E2BIG. */
int causal_links_find(const struct graph *g, struct causal_links *ret);
/* Frees the lists, and sets *links to zeros. Accepts a struct that is all zeros. */
void causal_links_done(struct causal_links *links);

/* Returns GRAPH_NONE if the task has no segment at ts_ns. */
uint32_t causal_segment_at(const struct causal *c, uint32_t task, uint64_t ts_ns);
/* Returns when the work of the segment ended, because a segment includes the idle wait after its work. 0: the
 * task still works at the end of the trace. The last wait of a task counts as idle if it is like the wait
 * before the segment. */
uint64_t segment_work_end(const struct causal *c, uint32_t segment);
/* Return the time of the cause, and of the effect. The effect may be earlier, because a send is
 * recorded when its call returns. */
uint64_t edge_left_ns(const struct causal *c, const struct edge *e);
uint64_t edge_arrived_ns(const struct causal *c, const struct edge *e);
/* Returns the wait that the wake-up of the edge ended. NULL: no wake-up made the edge, or not known. */
const struct interval *causal_wait_ended(const struct causal *c, const struct edge *e);
/* Returns the object of the edge, such as a socket, a futex or a job queue; 0: none, or not known. */
uint64_t edge_object(const struct causal *c, const struct edge *e);

#define EDGE_EXPLAIN_MAX 768
/* Writes one sentence: why the edge exists, and how sure it is. Returns a length, like snprintf(). */
size_t edge_explain(const struct causal *c, const struct edge *e, char *buf, size_t size);
/* The same, but faster. object: what describe_object() writes for edge_object(). */
size_t edge_explain_on(const struct causal *c, const struct edge *e, const char *object, char *buf,
		       size_t size);

#endif
