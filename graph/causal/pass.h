/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.h - private to graph/: the state while a causal graph is built, in one pass over the
 * records.
 *
 * All steps of the pass share this state. During the pass, a member that names a segment has the
 * segment's index in pass.segments, which has the segments in the order in which they were opened.
 * At the end, build.c replaces these indices by indices in causal.segments. GRAPH_NONE stands for
 * "none". Only one thread at a time may use a struct pass.
 */
#ifndef CTRACE_GRAPH_CAUSAL_PASS_H
#define CTRACE_GRAPH_CAUSAL_PASS_H

#include "graph/thresholds.h"
#include "graph/causal/causal.h"
#include "graph/causal/flow.h"
#include "graph/causal/requests.h"
#include "graph/timeline/plain.h"
#include "lib/map.h"
#include "lib/vec.h"

/* A segment during the pass: its end and its edges are not known yet. */
struct open_segment {
	uint64_t from_ns;
	uint32_t task, event;
	union {
		uint32_t behalf;
		/* If `gone` is set: the earlier segment that this segment has become a part of, as an
		 * index in pass.segments. */
		uint32_t part_of;
	};
	uint8_t cut;
	bool gone; /* segments_undo() has undone the cut */
};

#define SEGMENT_BLOCK 16u

struct work {
	uint32_t segment; /* the task's present segment, as an index in pass.segments */
	uint32_t before;  /* the task's segment before the present one, or GRAPH_NONE */
	/* with pass.links: the number of the task's next segment, or a multiple of SEGMENT_BLOCK: the next
	 * segment begins a new block */
	uint32_t next_segment;
	uint64_t next_ns; /* from_ns of the next task with the same tid; UINT64_MAX: there is none */
	uint32_t interval;

	uint64_t client; /* the client for which the task works: a socket, or 1 + a task; 0: none */
	uint32_t guest;  /* 1 + the task whose message began the segment; 0: none */
	uint64_t asked;  /* socket on which the segment waits for an answer; 0: none */
	uint64_t spoke;
	uint32_t flow; /* of the socket `spoke`, as an index in flows.v, or GRAPH_NONE */
	uint32_t idles;
	uint32_t taken;     /* how many received requests have no answer */
	uint32_t jobs;      /* jobs that the task has begun and not ended */
	uint32_t jobs_from; /* elements of pass.jobs_open that are older than this record do not count */

	uint64_t wait_obj;
	/* ran_ns: running time since the last wake-up, without the present run. in_ns: when the
	 * present run began; 0: the task does not run. */
	uint64_t ran_ns, in_ns;
	uint64_t sleep_ns;
	uint32_t sleeps; /* how many of the last sleeps in a row had about the same length */
	uint32_t acts;   /* sends, receives and other actions since the last wake-up */
	/* Index of the last record of the task that is a send, a receive, or the begin of a wait. A wait
	 * in a write does not count, because it is a part of a send. */
	uint32_t parted;
	uint8_t wait;
	bool may_be_false; /* if the task does nothing and waits again, its wake-up was false */
	bool posted;

	/* The edge of the task's last wake-up. This edge is held back until it is known whether a
	 * message on wake_sock explains the wake-up (wake_edges.c). wake.kind 0: no edge is held
	 * back. */
	struct edge wake;
	uint64_t wake_sock;
	uint32_t wake_edge;
	uint32_t woken;
	/* 1 + the last receive of the task, in pass.receives. 0: there is none, or the task received last as
	 * a client. */
	uint32_t receive;

	/* the stack of the present wait, or 0 */
	uint64_t visit_stack;

	/* The first objects that the task polls. n_set: how many it polls; may exceed ANSWER_SET_MAX. */
	uint64_t set[ANSWER_SET_MAX];
	uint8_t n_set;

	/* with pass.links: the segments `segment` and `before` */
	struct open_segment now, was;
};

/* A record that may be the cause of a later record: a write, an unlock, a signal. */
struct origin {
	uint32_t event, segment;
	uint64_t value;
};

/* One futex: the last two different posters, and the last two different tasks that were woken. */
struct hands {
	uint64_t posted_ns;
	uint32_t poster[2], waiter[2];
	uint32_t herd[HANDS_HERD];
	/* how many tasks were woken by the last call, and by the call before it; at most HANDS_HERD */
	uint32_t n_herd, was_herd;
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

struct request_turn {
	uint32_t asked_on;
	uint8_t queue;
	/* If the connection has streams (struct flow), the request is none: it is only a part of their bytes.
	 */
	bool carrier;
};

/* A receive of a server, in a trace with streams. Its bytes are of sends[first_send .. first_send + n_sends).
 */
struct stream_receive {
	uint32_t event, flow;
	uint32_t idles; /* work.idles at this time */
	uint32_t first_send, n_sends;
	uint32_t n_streams; /* how many streams begin with these bytes */
};

/* A request on a connection that carries several at a time (CT_MF_STREAM). */
struct stream {
	uint32_t request;      /* in pass.requests */
	uint32_t receive;      /* in pass.receives */
	uint32_t place;        /* how many streams of this receive began before it */
	uint32_t begun, ended; /* records; ended GRAPH_NONE: the stream has not ended */
	uint32_t next;         /* 1 + another stream that ended before the same send; 0: none */
	uint16_t framework;
	bool gone; /* its end is not recorded, because the probe was detached */
};

/* Requests on which one task still has to act: answer, or ask another task. */
struct request_queue {
	VEC(uint32_t) v;
	size_t first;
};
struct request_loop {
	/* Requests on which the task can work without another wait. Since its last idle wait, the task
	 * has received each of these requests, or an answer that it needed for the request. */
	struct request_queue fresh;
	struct request_queue waiting;
	uint32_t idles;
	uint32_t now; /* the request on which the task acted last since it idled, or GRAPH_NONE */
	/* The last thing that the task did since it idled was to read an answer for the sake of this
	 * request, which has an answer itself. Otherwise GRAPH_NONE. */
	uint32_t late;
	bool takes; /* the task has received requests itself */
	bool acted;
	/* Flows on which the task sent questions for requests that it has answered since its last idle
	 * wait. An entry becomes GRAPH_NONE when the task sends another question on the flow. */
	VEC(uint32_t) released;
};

/* The requests that a process received, the oldest first. */
struct request_pool {
	VEC(uint32_t) v;
	/* Each of v[0 .. first) is answered, or a thread has already sent another request on behalf of
	 * it. */
	size_t first;
	bool hops; /* several threads receive requests of one connection, as in Go or tokio */
};

struct pass {
	const struct graph *g;
	const struct window_event *e;
	enum causal_policy policy;
	uint32_t cuts;
	uint64_t from_ns,
		to_ns; /* as in struct causal_options, but all edges stay if this is [0, UINT64_MAX) */
	struct work *work;
	uint32_t *by_tid;
	size_t n_tids;
	/* With `links`, segments are only numbers, to save memory. A block of SEGMENT_BLOCK numbers belongs
	 * to one task: segment_tasks.v[segment / SEGMENT_BLOCK]. */
	VEC(struct open_segment) segments;
	VEC(uint32_t) segment_tasks;
	/* If wants_edges is false, `edges` has only the edges of the last wake-ups, and the segments lack
	 * `behalf`. Then `links` gets the short forms of the other edges (struct causal_link), unless it is
	 * NULL. */
	bool wants_edges;
	struct causal_links *links;
	uint8_t *plain; /* [task]: as in plain_find(); NULL unless `links` is set */
	/* An edge of kind 0 is dropped at the end. It is the edge of a wake-up by a message, and this
	 * message has an edge of its own. If wants_edges is false: edges.v[task] is the edge of the task's
	 * last wake-up, and edges.n stays 0. */
	VEC(struct edge) edges;
	VEC(struct stack_seen) stacks;
	struct flows flows;
	VEC(struct origin) origins;
	struct map variables, locks; /* object -> index into origins */
	struct map signals;
	struct map jobs; /* job_key() -> segment << 32 | event of the enqueue */
	/* job_key(), and job_key() mixed with the task -> event of the last start of a job that has not ended
	 */
	struct map jobs_begun;
	/* index of a task << 16 | framework -> record that began the first open job << 32 | number of jobs
	 * that the task has begun and not ended */
	struct map jobs_open;
	/* framework -> index of the last record that says that its probes were detached or attached again.
	 * Earlier records of its jobs no longer count: the records that would end them may be missing. */
	struct map jobs_cut;
	struct map jobs_off; /* framework -> x[0] of its last CT_JOB_OFF */
	VEC(struct hands) hands;
	struct map futexes;
	struct map seen_locks; /* handoff.c: GRAPH_FUTEX_KEY() of futexes that a stack shows as locks */
	bool wants_requests;
	VEC(struct request) requests;
	VEC(struct request_turn) turns;
	VEC(struct request_part) parts;
	VEC(struct request_loop) loops;
	struct map loop_of;
	VEC(struct request_pool) pools;
	struct map pool_of;
	/* with wants_requests, and only if the window has streams (has_streams) */
	bool has_streams;
	VEC(struct stream) streams;
	VEC(struct stream_receive) receives;
	VEC(uint32_t) sends;
	struct map streams_open;     /* hash of name and id -> index in streams */
	struct map streams_sent;     /* send of a server -> 1 + the last stream that ended before it */
	struct map stream_processes; /* tgid -> framework: its streams are recorded */
	/* In a coarse stretch, switches are not recorded. The time of the last CT_SHED that was written
	 * in such a stretch or at the end of one; 0: none. */
	uint64_t coarse_ns;
	int err;
};

/* o NULL: the defaults. Returns 0 or -ENOMEM. The caller calls pass_done() in both cases. */
int pass_init(struct pass *p, const struct graph *g, const struct causal_options *o);
/* Returns 0, -ENOMEM or -E2BIG. In build.c. */
int pass_run(struct pass *p);
void pass_drop(struct pass *p);
void pass_done(struct pass *p);

/* Like graph_task_at(), but faster. ts_ns must not decrease from call to call. */
uint32_t pass_task(struct pass *p, uint32_t tid, uint64_t ts_ns);
/* Opens the first segment of the task. Returns it, or GRAPH_NONE: no memory; sets p->err. */
uint32_t pass_first_segment(struct pass *p, uint32_t task, uint64_t ts_ns);
static inline uint32_t pass_task_of(const struct pass *p, uint32_t segment)
{
	return p->links ? p->segment_tasks.v[segment / SEGMENT_BLOCK] : p->segments.v[segment].task;
}
/* Returns true if the segments of the task make no difference to the result (graph/timeline/plain.h). */
static inline bool pass_is_plain(const struct pass *p, uint32_t task)
{
	return p->plain && p->plain[task] != PLAIN_NOT;
}
/* The task must have a segment. The result is valid until the next segment is opened. */
static inline struct open_segment *pass_open(struct pass *p, uint32_t task)
{
	return p->links ? &p->work[task].now : &p->segments.v[p->work[task].segment];
}
/* Opens a segment of the task, and sets work.segment and work.before. Returns 0 or -ENOMEM. */
int pass_add_segment(struct pass *p, uint32_t task, const struct open_segment *s);
/* Returns the open segment of the task. If the task has no segment yet, opens one. GRAPH_NONE: no memory;
 * sets p->err. */
static inline uint32_t pass_segment(struct pass *p, uint32_t task, uint64_t ts_ns)
{
	uint32_t segment = p->work[task].segment;

	return segment != GRAPH_NONE ? segment : pass_first_segment(p, task, ts_ns);
}
/* Adds a copy to p->edges. Returns its index, or GRAPH_NONE: e->to is GRAPH_NONE, the policy or
 * wants_edges leaves out the edge, or an error occurred. An error sets p->err. */
uint32_t pass_edge(struct pass *p, const struct edge *e);
/* Adds a copy to the links to the task `to`, unless it is from this task. p->links must not be NULL. An error
 * sets p->err. */
void pass_link(struct pass *p, uint32_t to, const struct causal_link *link);
/* Returns an index into flows.v. GRAPH_NONE: no memory; sets p->err. */
uint32_t pass_flow(struct pass *p, uint64_t sock);
/* Like pass_flow(), but faster if the task has made its last send or receive on this socket. */
uint32_t pass_flow_of(struct pass *p, uint32_t task, uint64_t sock);
enum flow_role pass_role(struct pass *p, uint64_t sock);
/* Returns the last task that sent or received on the socket, or GRAPH_NONE. */
uint32_t pass_user(struct pass *p, uint64_t sock);
/* Returns the task of a client (work.client), or GRAPH_NONE if it is not known. */
uint32_t pass_client(const struct pass *p, uint64_t client);
bool pass_same_process(const struct pass *p, uint32_t a, uint32_t b);

#endif
