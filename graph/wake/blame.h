/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blame.h - finds, for one wait, its object and the task for which the waiter waited. This task is
 * the task to blame.
 *
 * - If a task ended the wait, this task is to blame. Exceptions: a wait for a disk; a wake by a
 *   kernel thread; a signal for which the waiter did not wait.
 * - If an interrupt ended a wait on a socket, the task that sent the bytes is to blame, if it is on
 *   this host. If the wait was a write, the task that received bytes, and so made room, is to
 *   blame.
 * - In three cases no task did what the waiter waited for: the wait's own time limit ended the
 *   wait; a signal that kills ended the wait; the wait lasts to the end of the trace. Then the task
 *   that could have ended the wait is to blame: the owner of the lock, the task at the other end of
 *   the connection, or the child.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_BLAME_H
#define CTRACE_GRAPH_WAKE_BLAME_H

#include "graph/timeline/graph.h"
#include "trace/words/resource.h"

/* Where the time of a task went. The field `time` of ctrace.diagnosis/1 has a member for each kind
 * ("running_ns", ...). */
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
	/* Waits shorter than CT_COARSE_NS, if there are only sums of them. A piece of a path with
	 * this kind is a part of a FOLDED interval, so the task also ran in it: see
	 * interval_sums(). */
	TIME_SHORT,
	TIME_KINDS,
};
/* Returns the word for the kind: "running", "runnable", ... */
const char *time_kind_name(enum time_kind k);

/* The tasks that could end one wait, if the records do not show which of them will end it. The
 * list has at most one task of each process. */
#define ENDERS_MAX 8
struct enders {
	uint32_t v[ENDERS_MAX];
	size_t n;
};

struct blame {
	uint32_t task;     /* the task to blame; GRAPH_NONE: no task of this host */
	uint32_t event;    /* index of the record that shows that this task is to blame, or
			      GRAPH_NONE */
	uint64_t obj;      /* the object on the waiter's side; if the wait is a poll of several
			      objects, the object that mattered */
	uint64_t until_ns; /* when the task to blame acted; if no task acted, the time at which
			      the wait ended */
	enum resource_kind kind;
	uint8_t time;     /* enum time_kind */
	uint8_t edge;     /* enum edge_kind */
	uint8_t strength; /* enum edge_strength */
	uint8_t rivals;   /* the number of tasks that could end the wait, at most ENDERS_MAX, if
			     there are several and none of them ended the wait; else 0 */
	bool ended;       /* the event for which the task waited has ended the wait */
	bool timed_out;   /* the wait's own time limit ended it */
	bool owed;        /* obj is a socket on which the waiter is owed an answer: see
			     owner_owed() in owner.h */
	bool killed;      /* a signal, or the end of the whole process, ended the wait, and the waiter
			     exited soon after */
};

/* Fills *ret for a BLOCKED interval. A wait that timed out may have repeats. If the first repeat
 * that did not time out ends by limit_ns, and a task is to blame for it, *ret is about it. */
void blame_wait(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *ret);

/* Like blame_wait(), but treats the wait as if nothing had ended it: fills *ret with the task
 * that could have ended the wait. A caller uses this function if it does not matter why the wait
 * ended. */
void blame_lasting(const struct graph *g, uint32_t interval, struct blame *ret);

/* Like blame_lasting(), but treats the wait as a wait for an answer on the socket sock. The
 * caller knows that the waiter waits for this answer. */
void blame_socket(const struct graph *g, uint32_t interval, uint64_t sock, struct blame *ret);

/* The process of the interval's task has worked on a request since since_ns. Looks for a task of
 * another process that owes this process an answer, on a connection that a thread of this process
 * polls. A task that idles does not count if the question to it was sent before since_ns, or is not
 * recorded. If there is a task that counts, fills *ret with it and returns true. Returns false if
 * there is none, or if tasks of several processes count. */
bool blame_debt(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret);

/* For a wait on a futex that no task ended and whose owner is not known: looks for the only
 * active thread among the other threads of the process. If exactly one is active, fills *ret
 * with this thread and returns true. Several active threads that wait for one other process
 * count as one. A thread is active if it computes, or if it waits for one of these: the disk; a
 * file lock; the end of its write; an answer that it is owed; its own child; another process
 * that has to read what the thread sent. The other threads only wait for work. since_ns is as in
 * blame_debt(). Returns false in three cases: no thread or several threads are active; *ret
 * already blames a thread that is active or sleeps; the process has more than ACTIVE_THREADS
 * threads. */
bool blame_active(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret);

/* Returns true if the task idles at ts_ns, like a server that waits for requests, or for the
 * moment to answer. */
bool blame_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

/* Fills *ret with the tasks that could end the wait of a BLOCKED interval. Callers use this
 * function if blame_wait() has set `rivals`. */
void blame_rivals(const struct graph *g, uint32_t interval, struct enders *ret);

/* Returns true if the wait is a poll of several objects, as in an event loop. */
bool blame_polls_several(const struct graph *g, uint32_t interval);

/* Returns true if b repeats the wait a: the same call on the same object. */
bool blame_same_wait(const struct interval *a, const struct interval *b);

#endif
