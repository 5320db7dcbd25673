/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blame.h - for one wait (off-CPU time): its object, and the task for which the waiter waited.
 *
 * - If a task ended the wait, that task is to blame.
 * - If an interrupt ended the wait, the task that sent the bytes is to blame, if this task is on this
 *   host.
 * - If the wait's own time limit or a signal that kills ended the wait, or if the wait lasts to the end
 *   of the trace, no task did what the waiter waited for. Then the owner of the lock, the task at the
 *   other end of the connection, or the child is to blame.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_BLAME_H
#define CTRACE_GRAPH_WAKE_BLAME_H

#include "graph/timeline/graph.h"
#include "trace/words/resource.h"

/* Where time went, as in the JSON contract ("running_ns", ...). */
enum time_kind {
	TIME_RUNNING,
	TIME_RUNNABLE,
	TIME_LOCK,
	TIME_IPC,
	TIME_DISK,
	TIME_NETWORK,
	TIME_TIMER,
	TIME_QUEUE,
	TIME_FAULT,
	TIME_UNKNOWN,
	/* Waits shorter than CT_COARSE_NS, of which there are only sums. A piece of a path with this kind is
	 * a part of a FOLDED interval: it has runs too, see interval_sums(). */
	TIME_SHORT,
	TIME_KINDS,
};
/* "running", "runnable", ... */
const char *time_kind_name(enum time_kind k);

/* The tasks that could end one wait, if the records do not show which of them will. The list has at
 * most one task of each process. */
#define ENDERS_MAX 8
struct enders {
	uint32_t v[ENDERS_MAX];
	size_t n;
};

struct blame {
	uint32_t task;     /* the task to blame; GRAPH_NONE: no task of this host */
	uint32_t event;    /* the record that shows that this task is to blame, or GRAPH_NONE */
	uint64_t obj;      /* the object on the waiter's side; of a poll: the object that mattered */
	uint64_t until_ns; /* when the task to blame acted; if none did, the end of the wait */
	enum resource_kind kind;
	uint8_t time;     /* enum time_kind */
	uint8_t edge;     /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	uint8_t rivals;   /* if no task ended the wait, and several could end it: their number, at most
			     ENDERS_MAX; else 0 */
	bool ended;       /* the event for which the task waited has ended the wait */
	bool timed_out;   /* the wait's own time limit ended it */
	bool owed;        /* obj is a socket: the waiter connects or has sent a request, and has no
			     answer yet */
	bool killed;      /* a signal, or the end of the whole process, ended the wait, and the waiter
			     exited soon after */
};

/* Fills *ret for a BLOCKED interval. If the wait timed out, and the task repeats it before limit_ns,
 * the answer comes from the first repeat that did not time out. */
void blame_wait(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *ret);

/* As blame_wait(), but treats the wait as if nothing had ended it: fills *ret with the task that
 * could have ended the wait. The caller uses this function if it does not matter to the caller why
 * the wait ended. */
void blame_lasting(const struct graph *g, uint32_t interval, struct blame *ret);

/* As blame_lasting(), for a poll of which the caller knows that it is for an answer on this socket. */
void blame_socket(const struct graph *g, uint32_t interval, uint64_t sock, struct blame *ret);

/* Since since_ns, the process of the interval's task works on a request. True: on a connection that
 * a thread of the process polls, another task owes the process an answer; *ret blames this other
 * task. False: no task owes an answer; or tasks of several processes owe one; or the only task that
 * owes an answer idles, and got its request before since_ns. */
bool blame_debt(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret);

/* For a wait on a futex that no task ended, and that no owner is known of. True: of the other threads of the
 * process, exactly one is active, and *ret blames this thread, or the task that owes an answer to it. A
 * thread is active if it computes, or waits for the disk, for a file lock, in a write, for an answer that it
 * is owed, or for its own child. The other threads only wait for work. False if *ret blames an active thread
 * already. */
bool blame_active(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret);

/* Whether the task idles at ts_ns, as a server that waits for requests, or for the moment to answer. */
bool blame_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

/* The tasks that could end the wait of a BLOCKED interval, if blame_wait() finds rivals. */
void blame_rivals(const struct graph *g, uint32_t interval, struct enders *ret);

/* True: the wait is a poll of several objects, as in an event loop. */
bool blame_polls_several(const struct graph *g, uint32_t interval);

/* True: b is the same wait again: the same call on the same object. */
bool blame_same_wait(const struct interval *a, const struct interval *b);

#endif
