/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blame.h - finds, for one wait, its object and the task to blame: the task for which the waiter
 * waited. Pure; any thread.
 * - If a task ended the wait, this task is to blame in most cases. Exceptions are, for example: a wait
 *   for a disk; a wake by a kernel thread; a signal for which the waiter did not wait.
 * - If an interrupt ended a wait on a socket, the task of this host that sent the bytes is to blame, if
 *   there is one. If the waiter waited for room to write, the task that made room is to blame: it
 *   received bytes.
 * - If a wait has not ended, or a time limit or a killer signal ended it, the task that could have
 *   ended the wait is to blame: the owner, the task at the other end, or the child.
 */
#ifndef CTRACE_GRAPH_WAKE_BLAME_H
#define CTRACE_GRAPH_WAKE_BLAME_H

#include "ctrace/glibc.h"
#include "graph/timeline/graph.h"
#include "trace/words/resource.h"

/* The members of `time` in ctrace.diagnosis/1 (doc/json.md) */
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
	/* Waits shorter than CT_COARSE_NS, known only as sums: see interval_sums(). */
	TIME_SHORT,
	TIME_KINDS,
};
const char *time_kind_name(enum time_kind k);

/* The tasks that could end one wait: at most one of each process, unless records show that several threads of
 * a process have ended such waits. */
#define ENDERS_MAX 8
struct enders {
	uint32_t v[ENDERS_MAX];
	size_t n;
};

/* When a process got its present request. */
struct blame_request {
	uint64_t since_ns : 63; /* 0: unused; all times are smaller than FORMAT_TIME_MAX */
	bool recorded : 1;      /* else since_ns is only a guess: the request may have come before */
};

struct blame {
	uint32_t task;                /* GRAPH_NONE: no task of this host, or not known */
	uint32_t event;               /* the record that shows that `task` is to blame, or GRAPH_NONE */
	uint64_t obj;                 /* object of the wait; of a poll: the polled object that ends it */
	uint64_t until_ns;            /* when `task` acted; if no task acted, the end of the wait */
	struct blame_request request; /* blame_debt() found the rivals, with this; else unused */
	enum resource_kind kind : 8;
	uint8_t time; /* enum time_kind */
	uint8_t edge; /* enum edge_kind */
	uint8_t strength;
	uint8_t rivals; /* how many tasks could end the wait, if `task` is not known; 0: not known, or none */
	bool ended : 1; /* the event for which the waiter waited has ended the wait */
	bool timed_out : 1;
	bool owed : 1;      /* the waiter is owed an answer on the socket obj: see owner_owed() */
	bool killed : 1;    /* a signal, exit_group() or execve() ended the wait and the waiter */
	bool ownerless : 1; /* a record shows that no task owns the awaited lock */
	bool sole : 1; /* a poll with no time limit, all of whose descriptors lead to the process of `task` */
	bool undelivered : 1; /* what the waiter has sent on obj did not arrive: see bytes_arrived_ns() */
};

/* Fills *ret for a BLOCKED interval. If the wait timed out, looks also at its first repeat that did
 * not time out. This repeat must end by limit_ns. */
void blame_wait(const struct graph *g, uint32_t interval, uint64_t limit_ns, struct blame *ret);
/* Returns false if the result of blame_wait() for this interval is the same with any limit_ns. */
bool blame_has_limit(const struct graph *g, uint32_t interval);

/* *b blames the task that released a lock, and so ended `interval`. If records show that another task owned
 * the lock at at_ns, returns true, and *ret blames that task. Or *b weakly blames the owner of a mutex,
 * because records are missing. If this task was certainly the owner at at_ns, returns true, and *ret blames
 * it strongly. ret->until_ns is the end of the time for which *ret holds. */
bool blame_earlier_owner(const struct graph *g, uint32_t interval, uint64_t at_ns, const struct blame *b,
			 struct blame *ret);

/* b is the blame for `interval`. Returns true if all of this holds:
 * - A signal ended the interval, which is a poll.
 * - The poll did not report the signal through a signalfd.
 * - The sender belongs neither to the process of the task nor to a descendant of this process.
 * - The sender did not release a lock of a database.
 *
 * Then the task hardly waited for the signal. If the poll repeats waits that ended by time limits,
 * the task did not need the signal to go on. */
bool blame_is_interruption(const struct graph *g, uint32_t interval, const struct blame *b);

/* Like blame_wait(), but as if nothing had ended the wait. */
void blame_lasting(const struct graph *g, uint32_t interval, struct blame *ret);

/* Like blame_lasting(), for a wait that the caller knows to be for an answer on sock. */
void blame_socket(const struct graph *g, uint32_t interval, uint64_t sock, struct blame *ret);

/* Looks for other processes for which threads of the waiter's process wait:
 * - a process that owes an answer. If the task that owes the answer is idle, this process counts
 *   only if a question to it was recorded after request->since_ns.
 * - a descendant that was born after request->since_ns, if a thread waits for its output
 *
 * Returns true if there is one such process, and nothing else may keep back the answer to the request: no
 * other thread is active (see blame_active()), and no child is at work, which means that it neither idles nor
 * waits for the waiter's process. Then *ret blames the task of this process for which a thread waits: weakly,
 * if not all threads were looked at.
 *
 * Also returns true if there is no such process, but a single active thread of the waiter's process that
 * began to wait after the recorded time of the request, as for the disk. Then *ret weakly blames this thread.
 *
 * If the time of the request is recorded, then waits and children count only if they began after it. If any
 * such wait or child is known, then what may have begun before does not count, nor do threads that compute.
 *
 * Otherwise returns false. If *ret blames no task, then sets ret->rivals and ret->request: the tasks that may
 * keep back the answer. The process may have more than ACTIVE_THREADS threads; then it is not known whether
 * there are others. */
bool blame_debt(const struct graph *g, uint32_t interval, const struct blame_request *request,
		struct blame *ret);

/* *ret blames, for a poll, a task that owes the poller an answer. By the rules of blame_debt(), the process
 * may await something else before it can answer its request. If so, sets ret->task to GRAPH_NONE, and
 * ret->rivals and ret->request. */
void blame_doubt(const struct graph *g, uint32_t interval, const struct blame_request *request,
		 struct blame *ret);

/* Called for a wait that no task ended, and that has no known owner: mostly a wait on a futex. Blames
 * the only active thread among the other threads of the process. since_ns: when the waiter's
 * process began to work on its present request. A thread is
 * active if it computes, or waits for one of these: the disk, a file lock, the end of its write, an
 * answer, a connection that is not made or not accepted yet, its child, a process that has not read the
 * thread's bytes. If the wait is for a lock (ret->kind), a thread that sleeps is active too. Several active
 * threads that wait for the same other process, or file, count as one. Returns false if:
 * - no thread or several threads are active
 * - *ret already blames a task that is active or sleeps
 * - the waiter was killed as soon as it began to wait
 * - the process has more than ACTIVE_THREADS threads */
bool blame_active(const struct graph *g, uint32_t interval, uint64_t since_ns, struct blame *ret);

/* Returns true if the task waits for work, and its process has none: no thread of its process is active
 * (blame_active()), and one of these holds:
 * - The interval is a wait on a futex that is no lock, and the task waited there before its last work too.
 * - The task waits in its event loop, and is owed no answer, or waits in an accept. Its process has several
 * threads.
 *
 * Returns false for a process with more than ACTIVE_THREADS threads. */
bool blame_idle_process(const struct graph *g, uint32_t interval);

/* Returns true if the task idles: in an accept, in a sleep, on a futex, or in a poll. Exception: a
 * poll for the answer of a known task, or for a program that the task has started. Also returns
 * true after the task's last interval. */
bool blame_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

/* b->rivals is not 0. Returns the tasks that could end the wait. */
void blame_rivals(const struct graph *g, uint32_t interval, const struct blame *b, struct enders *ret);
/* Returns when the task connected last before ts_ns to the port to which the socket is connected, as far as a
 * wake-up shows, or else ts_ns. */
uint64_t blame_connected_ns(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns);
/* Returns the tasks that blame_debt() counts as rivals. */
void blame_debtors(const struct graph *g, uint32_t interval, const struct blame_request *request,
		   struct enders *ret);

bool blame_polls_several(const struct graph *g, uint32_t interval);
/* Returns true if the poll also waits for changes of files (inotify). */
bool blame_polls_inotify(const struct graph *g, uint32_t interval);

/* A wait of `task` ended at end_ns. Returns the first record after `last` of a signal that may have ended the
 * wait and the task's process, or NULL. last: an earlier result for the same wait; NULL: returns the first
 * one of all. */
const struct window_event *blame_killer(const struct graph *g, uint32_t task, uint64_t end_ns,
					const struct window_event *last);

/* Returns when the waiter sent the request whose answer ended the wait, or 0. */
uint64_t blame_asked_ns(const struct graph *g, const struct blame *b);

/* Returns the time at which a process gave a helper its last command before ts_ns: `task` waited in a read of
 * a pipe, until a task of the process tgid wrote to this pipe. So the task had nothing to do for this process
 * just before. Returns 0 if something else ended the last such wait. */
uint64_t blame_command_ns(const struct graph *g, uint32_t task, uint64_t ts_ns, uint32_t tgid);

/* Returns true if b repeats the wait a: the same call on the same object. */
static inline bool blame_same_wait(const struct interval *a, const struct interval *b)
{
	return a->wait == b->wait && a->nr == b->nr && a->obj == b->obj;
}

/* As blame_same_wait(), or both are waits for one condition variable of glibc: its waiters wait on one of two
 * futexes, which have the same GLIBC_FUTEX_PAIR(). */
static inline bool blame_same_place(const struct interval *a, const struct interval *b)
{
	return blame_same_wait(a, b) || (a->wait == CT_W_FUTEX && b->wait == CT_W_FUTEX && a->nr == b->nr &&
					 GLIBC_FUTEX_PAIR(a->obj) == GLIBC_FUTEX_PAIR(b->obj));
}

/* Returns the stack of the wait, or 0. Some programs wait for one thing many times in a row, each time with a
 * short time limit. So if the stack of s was not recorded, the stack of the wait before it counts. That wait
 * must be the same call on the same object, and must have ended by its time limit. */
uint64_t blame_stack(const struct graph *g, const struct interval *s);

#endif
