/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.h - private to graph/: the state while a causal graph is built, in one pass over the records.
 *
 * Each step of the pass (wake_edges, wakeless_edges, match, segments, ...) gets it, and includes only steps
 * below.  Segments have numbers in the order in which they are opened ("open number") until the pass is over;
 * edges use those numbers, and build.c renumbers both.
 */
#ifndef CTRACE_GRAPH_CAUSAL_PASS_H
#define CTRACE_GRAPH_CAUSAL_PASS_H

#include "graph/thresholds.h"
#include "graph/causal/causal.h"
#include "graph/causal/flow.h"
#include "lib/map.h"
#include "lib/vec.h"

/* The present work of a task. */
struct work {
	uint32_t segment;  /* open number of its present segment; GRAPH_NONE: not seen yet */
	uint32_t before;   /* and of the one before */
	uint32_t interval; /* where it is in its timeline */

	uint64_t client; /* the client it works for: the socket that serves it, or task + 1; 0: none */
	uint32_t guest;  /* 1 + the task whose message began its segment, while the client is not known; 0 */
	uint64_t asked;  /* the socket on which it sent a request in this segment, and has no answer yet */
	uint64_t spoke;  /* the socket on which it sent or received last */
	uint32_t taken;  /* how many requests it has taken that have no answer yet */
	uint32_t jobs;   /* how many jobs of a framework run in it, one inside the other */

	/* its last wait, to know a false wake and a periodic sleep */
	uint64_t wait_obj;
	uint64_t ran_ns, in_ns; /* time on the CPU since it was woken; when it came on the CPU last */
	uint64_t sleep_ns;
	uint32_t sleeps; /* how many of one length came one after the other */
	uint32_t acts;   /* records of its own since it was woken */
	uint32_t parted; /* event of its last block (but in a write), send or receive; GRAPH_NONE */
	uint8_t wait;
	bool may_be_false;
	bool posted; /* its last wake-up was a post */

	/* the edge of its last wake-up, while a message may still explain that better */
	struct edge wake;
	uint64_t wake_sock;
	uint32_t wake_edge; /* its index once it is among the others; GRAPH_NONE */
	uint32_t woken;     /* the event of that wake-up */

	/* the stack of its present wait; it belongs to the segment if the wait does not end that */
	uint64_t visit_stack;

	/* the set that it polls: its size, and the first two in it */
	uint64_t set[2];
	uint8_t n_set;
};

/* A record that a later one may follow from: a write, an unlock, a signal. */
struct origin {
	uint32_t event, segment;
	uint64_t value; /* a variable's */
};

/* The last two tasks that posted on a futex, and the last two that it woke. */
struct hands {
	uint64_t posted_ns;
	uint32_t poster[2], waiter[2];
	uint32_t herd[HANDS_HERD]; /* woken together last */
	uint32_t n_herd, was_herd; /* and the time before */
};

struct stack_seen {
	uint32_t segment;
	uint32_t pad;
	uint64_t stack;
};

struct pass {
	const struct graph *g;
	const struct window_event *e;
	enum causal_policy policy;
	uint32_t cuts; /* CUT_BIT() of those in use */
	struct work *work;
	uint32_t *by_tid; /* task that carries it now, GRAPH_NONE; [n_tids] */
	size_t n_tids;
	VEC(struct segment) segments;  /* in: of one that was taken back, the one that it is part of */
	VEC(struct edge) edges;        /* kind 0: explained by another */
	VEC(struct stack_seen) stacks; /* of segments, in no order */
	struct flows flows;
	VEC(struct origin) origins;
	struct map variables, locks, signals; /* key -> index of the origin */
	struct map jobs;                      /* key -> segment << 32 | event of its enqueueing */
	VEC(struct hands) hands;
	struct map futexes; /* object -> index of its hands */
	int err;
};

/* 0 or -ENOMEM; pass_done() in any case. options NULL: the defaults. */
int pass_init(struct pass *p, const struct graph *g, const struct causal_options *o);
/* Releases what is needed only while the records go by. */
void pass_drop(struct pass *p);
void pass_done(struct pass *p);

#define SEGMENT_GONE UINT32_MAX /* n_in of a segment that was taken back */

/* The task that has the tid at ts_ns, or GRAPH_NONE.  ts_ns never goes back. */
uint32_t pass_task(struct pass *p, uint32_t tid, uint64_t ts_ns);
/* The present segment of a task; opens its first. GRAPH_NONE only on error. */
uint32_t pass_segment(struct pass *p, uint32_t task, uint64_t ts_ns);
/* Adds an edge, if the policy has such edges: its index, or GRAPH_NONE. */
uint32_t pass_edge(struct pass *p, const struct edge *e);
/* The flow of a socket: an index into flows.v. GRAPH_NONE only on error. */
uint32_t pass_flow(struct pass *p, uint64_t sock);
/* ROLE_UNKNOWN on a socket pair on which nothing was sent yet. */
enum flow_role pass_role(struct pass *p, uint64_t sock);
/* The task that used the socket last, GRAPH_NONE. */
uint32_t pass_user(struct pass *p, uint64_t sock);
/* The task behind a work.client, GRAPH_NONE when it is not known. */
uint32_t pass_client(const struct pass *p, uint64_t client);
bool pass_same_process(const struct pass *p, uint32_t a, uint32_t b);

#endif
