/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.h - private to graph/: the state while a causal graph is built, in one pass over the
 * records.
 *
 * All steps of the pass (wake_edges, wakeless_edges, match, segments, ...) share this state. A step
 * may include the headers of other steps, but these includes form no cycle. During the pass,
 * segments are numbered in the order in which they were opened ("open number"), and edges use these
 * numbers. After the pass, build.c renumbers segments and edges. Only one thread at a time may use
 * a struct pass.
 */
#ifndef CTRACE_GRAPH_CAUSAL_PASS_H
#define CTRACE_GRAPH_CAUSAL_PASS_H

#include "graph/thresholds.h"
#include "graph/causal/causal.h"
#include "graph/causal/flow.h"
#include "graph/causal/requests.h"
#include "lib/map.h"
#include "lib/vec.h"

/* The present work of a task. */
struct work {
	uint32_t segment;  /* open number of the task's present segment; GRAPH_NONE: none yet */
	uint32_t before;   /* open number of the segment before it, or GRAPH_NONE */
	uint32_t interval; /* index in graph.intervals of the task's present interval */

	uint64_t client; /* the client for which the task works: the socket on which the task
			    serves the client, or 1 + the client's task; 0: none */
	uint32_t guest;  /* 1 + the task whose message began the segment; 0: none. Not used once
			    `client` is known */
	uint64_t asked;  /* the socket on which the task, in this segment, sent a request that has
			    no answer yet; 0: none */
	uint64_t spoke;  /* the socket on which the task last sent or received */
	uint32_t idles;  /* how many idle waits of the task have ended */
	uint32_t taken;  /* how many requests the task has received and not answered yet */
	uint32_t jobs;   /* how many jobs of a framework run in the task (one job can run inside
			    another) */

	uint64_t wait_obj; /* the object of the task's last wait; serves to recognise false wakes */
	/* ran_ns: CPU time since the last wake-up. in_ns: when the task last got a CPU; 0: the
	 * task has no CPU */
	uint64_t ran_ns, in_ns;
	uint64_t sleep_ns; /* the length of the task's last sleep */
	uint32_t sleeps;   /* how many of the last sleeps, one after the other, had about the same
			      length */
	uint32_t acts;     /* number of records since the task's last wake-up that show that it did
			      something: a send, a wake, a fork, ... */
	uint32_t parted;   /* index of the record at which the task last blocked (except in a
			      write), sent or received; GRAPH_NONE: none */
	uint8_t wait;      /* enum ct_wait: the kind of the task's last wait */
	bool may_be_false; /* the last wake-up counts as false if the task does nothing and goes
			      back to the same wait */
	bool posted;       /* the edge of the last wake-up is an EDGE_POST */

	/* The edge of the last wake-up. It is held back as long as a message may still explain
	 * the wake-up. wake.kind is 0 if no edge is held back. wake_sock is the socket of such a
	 * message. */
	struct edge wake;
	uint64_t wake_sock;
	uint32_t wake_edge; /* index in pass.edges of the edge of the last wake-up; GRAPH_NONE: the
			       edge is not in pass.edges */
	uint32_t woken;     /* index of the record of the last wake-up */

	/* The stack of the present wait. It counts for the segment unless the wait ends the
	 * segment. */
	uint64_t visit_stack;

	/* The set that the task polls: its first objects, and the number of all its objects. */
	uint64_t set[ANSWER_SET_MAX];
	uint8_t n_set;
};

/* A record that may be the cause of a later one: a write, an unlock, a signal. */
struct origin {
	uint32_t event, segment;
	uint64_t value; /* for a write: the value of the variable after it */
};

/* The last two tasks that posted on a futex, and the last two tasks that were woken there. */
struct hands {
	uint64_t posted_ns;
	uint32_t poster[2], waiter[2];
	uint32_t herd[HANDS_HERD]; /* the tasks that the last call of a poster woke */
	uint32_t n_herd, was_herd; /* how many tasks the last call woke (n_herd), and the call
				      before it (was_herd) */
};

struct stack_seen {
	uint32_t segment;
	uint32_t pad;
	uint64_t stack;
};

/* From the record `event` on, the segment works for the request. */
struct request_part {
	uint32_t segment, event, request;
};

/* The state of a request on the side of its server. */
struct request_turn {
	uint32_t asked_on; /* the flow on which a task last asked on behalf of the request;
			      GRAPH_NONE: no task has asked */
	uint8_t queue;     /* enum turn (exchange.c): the queue in which the request is */
};

/* The requests on which one task still has to act: the task has to answer the request, or to ask
 * another task on behalf of the request. An event loop may have several such requests. */
struct request_queue {
	VEC(uint32_t) v;
	size_t first; /* v.v[first] is the oldest */
};
struct request_loop {
	struct request_queue fresh;   /* received since the last idle wait */
	struct request_queue waiting; /* received before the last idle wait: each of these
					 requests waits for something else */
	uint32_t idles;               /* the value of work.idles when `fresh` began */
	uint32_t now;                 /* the request on which the task acted last since its last
					 idle wait; GRAPH_NONE: none */
	bool takes;                   /* the task has received requests itself */
	bool acted;                   /* the task has acted on a request since its last idle wait */
	/* The flows that became free since the last idle wait: their requests were answered. */
	VEC(uint32_t) released;
};

/* The requests of one process on behalf of which no thread has asked another task yet. Any
 * thread of the process may ask. */
struct request_pool {
	VEC(uint32_t) v;
	size_t first; /* the entries in front of v.v[first] are done with */
	bool hops;    /* several threads have received requests on one connection, as in Go or
			 tokio */
};

struct pass {
	const struct graph *g;
	const struct window_event *e;
	enum causal_policy policy;
	uint32_t cuts; /* CUT_BIT() of the rules in use */
	struct work *work;
	uint32_t *by_tid; /* [tid]: the task that has this tid at the time of the present record;
			     GRAPH_NONE: none */
	size_t n_tids;
	/* If n_in of a segment is SEGMENT_GONE, the segment was undone: it is a part of segment
	 * `in`. */
	VEC(struct segment) segments;
	/* An edge of kind 0 is void, because another edge explains its wake-up. */
	VEC(struct edge) edges;
	VEC(struct stack_seen) stacks; /* the stacks with which segments were seen, in no order */
	struct flows flows;
	VEC(struct origin) origins;
	struct map variables, locks; /* from an object to an index into origins */
	struct map signals;          /* from a signal_key() to an index into origins */
	struct map jobs;             /* from a job_key() to segment << 32 | event of the enqueue */
	VEC(struct hands) hands;
	struct map futexes;  /* from an object to an index into hands */
	bool wants_requests; /* fill `requests` and `parts` (exchange.h) */
	VEC(struct request) requests;
	VEC(struct request_turn) turns; /* [request] */
	VEC(struct request_part) parts; /* in the order of the records */
	/* For the tasks that have received requests, or answers that they need for requests. */
	VEC(struct request_loop) loops;
	struct map loop_of;             /* from a task to an index into loops */
	VEC(struct request_pool) pools; /* for the processes that have received requests */
	struct map pool_of;             /* from a tgid to an index into pools */
	uint64_t coarse_ns;             /* the end of the last time for which switches were left
					   out; 0: none */
	int err;
};

/* Prepares a pass over the records of g. If o is NULL, the default options apply. Returns 0 or
 * -ENOMEM. The caller calls pass_done() in both cases. */
int pass_init(struct pass *p, const struct graph *g, const struct causal_options *o);
/* Reads all records, and makes the segments and the edges. Returns 0, -ENOMEM or -E2BIG. This
 * function is in build.c. */
int pass_run(struct pass *p);
/* Frees the parts that are needed only while the records are read. */
void pass_drop(struct pass *p);
void pass_done(struct pass *p);

#define SEGMENT_GONE UINT32_MAX /* the value of n_in of a segment that was undone */

/* Returns the task that has the tid at ts_ns, or GRAPH_NONE if there is none. ts_ns must not be
 * smaller than in the previous call. */
uint32_t pass_task(struct pass *p, uint32_t tid, uint64_t ts_ns);
/* Returns the present segment of a task, and opens the first one if there is none. Returns
 * GRAPH_NONE if there is no memory; then p->err is set. */
uint32_t pass_segment(struct pass *p, uint32_t task, uint64_t ts_ns);
/* Adds a copy of the edge, and returns its index in p->edges. Returns GRAPH_NONE if e->to is
 * GRAPH_NONE, or if the policy leaves out the edge. Also returns GRAPH_NONE after an error, and
 * then sets p->err. */
uint32_t pass_edge(struct pass *p, const struct edge *e);
/* Returns the flow of a socket, as an index into flows.v. Returns GRAPH_NONE if there is no
 * memory; then p->err is set. */
uint32_t pass_flow(struct pass *p, uint64_t sock);
/* Returns the role of a socket in its connection. Returns ROLE_UNKNOWN if it is not known, as on
 * a socket pair without messages so far. */
enum flow_role pass_role(struct pass *p, uint64_t sock);
/* Returns the last task that sent or received on the socket, or GRAPH_NONE if there is none. */
uint32_t pass_user(struct pass *p, uint64_t sock);
/* Returns the task of a client (work.client), or GRAPH_NONE if it is not known. */
uint32_t pass_client(const struct pass *p, uint64_t client);
bool pass_same_process(const struct pass *p, uint32_t a, uint32_t b);

#endif
