/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_private.h - functions that the files owner*.c share. Pure; any thread. */
#ifndef CTRACE_GRAPH_WAKE_OWNER_PRIVATE_H
#define CTRACE_GRAPH_WAKE_OWNER_PRIVATE_H

#include "graph/wake/owner.h"

static inline const struct window_event *owner_event(const struct graph *g, const struct graph_ref *r)
{
	return &g->w->events[r->event];
}

static inline bool owner_alive(const struct graph *g, uint32_t task, uint64_t ts)
{
	return g->tasks[task].born_ns <= ts && ts < g->tasks[task].exit_ns;
}

/* `other` has the tgid of `task`, and lives. Returns false if it is of a later process with the same id. */
static inline bool owner_is_same_process(const struct graph *g, uint32_t task, uint32_t other)
{
	return g->tasks[other].born_ns <= g->tasks[task].exit_ns;
}

/* Returns a living thread of the process: the main thread if it lives. GRAPH_NONE: none lives. */
uint32_t owner_process(const struct graph *g, uint32_t tgid, uint64_t ts_ns);
/* Adds no second task of a process. Drops the task if the list is full. */
void owner_add(const struct graph *g, struct enders *e, uint32_t task);
/* Like owner_add(), but may add several threads of a process. */
void owner_add_task(struct enders *e, uint32_t task);
/*
 * Returns a task of the process that has obj open with this mode (CT_FF_*; 0: any). Leaves out:
 * - the process tgid
 * - if mode is not 0: a process that only inherited the descriptor from an ancestor with another program
 *
 * If several processes remain, chooses the process P that descends from all others, because a shell opens
 * pipes for its children. In two cases, chooses none: returns GRAPH_NONE, and adds a task of each
 * remaining process to *all:
 * - No process descends from all others.
 * - mode is not 0, and an ancestor of both P and the process tgid has the same descriptor as P. Then P may
 *   only have inherited the descriptor, and never use it.
 *
 * If no process is known to have obj open, returns the task that used obj, if this task still lives. But if
 * obj is a connection that is not accepted yet, this task has the other end. Then returns GRAPH_NONE.
 */
uint32_t owner_fd(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid, uint8_t mode,
		  struct enders *all);
/* Adds a task of each living process whose table of descriptors shows obj, also of those that only inherited
 * it. Returns false if a further process may have it. */
bool owner_holders(const struct graph *g, uint64_t obj, uint64_t ts_ns, struct enders *all);
/* Returns true if a table of the process that was recorded between the two times shows obj. */
bool owner_is_in_table(const struct graph *g, uint64_t obj, uint32_t tgid, uint64_t from_ns, uint64_t to_ns);
/* Returns the modes (CT_FF_*) with which the process has obj open. 0: no record shows that it has obj. */
uint8_t owner_modes(const struct graph *g, uint64_t obj, uint32_t tgid);
/*
 * Returns the task that made one of the last PAST_WAKES wake-ups of `me` through obj up to ts_ns, or else the
 * first one after ts_ns, unless `me` has woken the waker after ts_ns: it may only obey. The task lives at
 * ts_ns. Leaves out tasks that have closed the pipe obj since. If several tasks remain, leaves out those that
 * wait on obj themselves at ts_ns, unless all do. If there are still several, returns GRAPH_NONE, and adds
 * them to *all. These may be threads of one process. *ret_ns is the time of the last of the wake-ups.
 */
uint32_t owner_past_waker(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me,
			  struct enders *all, uint64_t *ret_ns);
/* The task woke another one through the pipe obj at used_ns, and lives at ts_ns. Returns true if
 * the descriptor table of the task's process was recorded between used_ns and ts_ns, without the
 * pipe. */
bool owner_has_closed(const struct graph *g, uint64_t obj, uint32_t task, uint64_t used_ns, uint64_t ts_ns);
/* The next two functions look at the moment just before ts_ns. */
bool owner_is_stopped(const struct graph *g, uint32_t task, uint64_t ts_ns);
size_t owner_count_stopped(const struct graph *g, const struct enders *e, uint64_t ts_ns);
/* Returns true if the task ran, or wanted to run, for at least 1/ACTIVE_SHARE of the time. */
bool owner_computed(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Any of these tasks may end a wait of this time. Returns the only one that is stopped at its end, or else
 * the only one that computed. Otherwise returns GRAPH_NONE. */
uint32_t owner_only_likely(const struct graph *g, const struct enders *e, uint64_t from_ns, uint64_t to_ns);
/*
 * s is a wait for an io_uring, which does not show for which files it waits. Looks at the last PAST_WAKES
 * waits of the task for this ring that were ended by something else than their time limit. If each of them
 * ended because a task of another process wrote to a pipe, returns this task, and sets *ret_pipe. Leaves out
 * tasks that have closed the pipe since, and tasks that wait for room in it at the end of s: the ring does
 * not wait for data of a full pipe. If several tasks remain, adds them to *all, and returns the result of
 * owner_only_likely(). If anything else ended one of the waits, returns GRAPH_NONE: the ring may wait for it.
 */
uint32_t owner_of_ring(const struct graph *g, const struct interval *s, uint64_t *ret_pipe,
		       struct enders *all);
/* Returns the task that could end the wait of `me` for obj. mode and *all are as for owner_fd(). */
uint32_t owner_object(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
		      struct enders *all);
/* Returns the task at the other end. If no such task is known, returns the task that has to accept the
 * connection, but no task of the process tgid (0: any). *all is as for owner_fd(). */
uint32_t owner_sock(const struct graph *g, uint64_t sock, uint64_t ts_ns, uint32_t tgid, struct enders *all);
/* Returns the task that used the socket last before ts_ns, or, if there is none, first. */
uint32_t owner_sock_user(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns true if `task`, the task on the CPU, may have woken the waiter on `sock`. If an interrupt
 * woke the waiter, the result is:
 * - If a user of the other end is known: whether `task` is of a process that has the other end.
 * - Otherwise: whether the other end may be on this host. */
bool owner_own_wake(const struct graph *g, uint32_t task, uint64_t sock, const struct window_event *wake);
/* Returns true for the waits in which a server waits for the next connection. */
bool owner_is_for_next(const struct interval *s);
/*
 * Returns the task that has to accept the connection of socket o, or to receive its datagrams. Adds one
 * task of each worker process to *all. Of several workers, the one that has been busy for longest counts. But
 * if one of them is not busy, returns GRAPH_NONE. If the workers have several sockets at this address
 * (SO_REUSEPORT), no record says which one the kernel has chosen: then only stopped_worker() counts, and for
 * datagrams, no worker counts. A worker that waits for a datagram may have received this one before.
 */
uint32_t owner_listener(const struct graph *g, const struct window_object *o, uint64_t ts_ns, uint32_t tgid,
			struct enders *all);
/* The next three functions are for a socket with owner_has_dest(). A destination owes an answer if the socket
 * has asked it, and has received nothing since that may be its answer. A send that answers another socket is
 * not a question. owner_dest_owes() leaves out destinations from which the trace has no send at all: they may
 * never answer. It also leaves out groups of hosts. */
bool owner_dest_owes(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns true if all destinations that owe an answer are on other hosts. */
bool owner_dest_is_far(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* o: a connected socket. Returns the other end. For a datagram socket of IP, this may be a socket without a
 * connection. Returns 0 if there are several such sockets at the address, or none. */
uint64_t owner_dgram_receiver(const struct graph *g, const struct window_object *o, uint64_t ts_ns);
/* Returns true if the socket o may receive what the send r has sent. */
bool owner_dest_is_for(const struct ct_rec *r, const struct window_object *o);
/*
 * Returns the task that owes the answer. Returns GRAPH_NONE in these cases:
 * - Several destinations owe an answer.
 * - Several processes have a socket at the destination, or none is known.
 * - The destination is a group of hosts.
 * - A socket at the destination is connected to the asking socket.
 * - The datagram did not arrive.
 *
 * Adds a task of each process that may owe the answer to *all. The result is never certain: no record shows
 * which processes have the socket at each moment, and many datagrams need no answer.
 */
uint32_t owner_of_dest(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all);
/* For a poll whose records lack some descriptors. Returns a datagram socket for which the task may poll: the
 * task asked something on it since its wait before the poll, the destination owes the answer, and the process
 * has received something from this destination before. Returns 0 if there is none. *ret_event is the record
 * of the send. */
uint64_t owner_asked_last(const struct graph *g, const struct interval *s, uint32_t *ret_event);
/*
 * Finds the polled objects that explain the poll best (enum poll_score, owner_poll.c). If their score
 * is at most POLL_WRITTEN, and they lead to several tasks, no task is to blame. Exception: exactly
 * one of the tasks is stopped.
 */
void owner_of_poll(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all);
/* Returns the polled object that explains the poll best, or 0. Never asks why another task waits. */
uint64_t owner_polled(const struct graph *g, const struct interval *s);
/* Returns true if one of the records r, which are in the order of time, is from one of the two times or from
 * between them. */
bool owner_has_record_within(const struct graph *g, const struct graph_ref *r, size_t n, uint64_t from_ns,
			     uint64_t to_ns);
/* Returns true if it is not known that no input on the socket l woke the task of s between since_ns and s. A
 * record of the receive may be missing: splice() makes none. */
bool owner_may_have_got(const struct graph *g, const struct interval *s, uint64_t l, uint64_t since_ns);
/* Returns true if the task waits for a new connection, or in a poll in which it is owed no answer. */
bool owner_idles_in_loop(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Returns true if the stack of the wait on a futex (blame_stack()) shows a wait for a lock. */
bool owner_in_lock(const struct graph *g, const struct interval *s);
/* Returns true if an inspection of s shows that a thread of Java waits until another thread has initialized a
 * class. Then sets b->kind. b->task is the only thread of the process whose inspection shows that it
 * initializes a class. No record shows which class. So if there are several such threads, b->task is
 * GRAPH_NONE, and *all has them. */
bool owner_of_class(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all);
/* If an inspection shows a process that has to end the wait for a semaphore or a message queue of System V
 * (abi.h, CT_VL_SYSV), *b weakly blames this process. Exceptions:
 * - The process has several threads: no record says which of them acts.
 * - At the end of s, the process itself waits for any message of a queue: it idles.
 * - At the end of s, the process itself waits for a semaphore, and no inspection shows for which process: it
 *   may wait for the same semaphore.
 */
void owner_of_sysv(const struct graph *g, const struct interval *s, struct blame *b);
/* Returns true if records of this time may be missing in which the process of `task` releases a lock. */
bool owner_may_have_unlocked(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* `task` took a lock of flock(), or an OFD lock, with the record `event`. No record up to until_ns shows that
 * the lock has ended. */
struct lock_kept {
	uint32_t task, event;
	uint64_t until_ns;
};
/*
 * ret->task is kept->task, or the task that is likely to have the open file if kept->task has exited. The
 * descriptor tables may show that the open file was passed on. Changes *ret in these cases:
 * - Other processes have the locked file open (CT_FF_LOCK), and ret->task does not. If there is one such
 * process, it is the owner. If there are several, no task is, and *all has them.
 * - No table shows which open file has the lock, and the last table of kept->task lacks the file. Then the
 * other processes count that have it open and do not ask for a lock themselves. The result is weak.
 */
void owner_find_keeper(const struct graph *g, const struct lock_try *t, const struct lock_kept *kept,
		       struct lock_owner *ret, struct enders *all);
void owner_of_flock(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all);
/* Returns the child for which the task waits. If the task may wait for any child, returns the
 * youngest living child, and adds all living children to *all. */
uint32_t owner_child(const struct graph *g, const struct interval *s, struct enders *all);
/*
 * Before the wait s, the waiter may have given work to another task. In s, it may wait for the result.
 * Returns the last task to which the waiter gave work since its previous wait, or GRAPH_NONE:
 * - If s is on a futex or a poll: a thread of the same process that the waiter woke or created. A woken
 *   thread is left out if it is back in the same wait, because it has no work then.
 * - If s is any other wait: a task that waited for requests on /dev/fuse until the waiter woke it.
 *
 * The search for the previous wait skips some waits. If s is on a futex, the search skips waits of
 * at most HANDED_PAUSE_NS. If s is any other wait, the search skips each wait that ended by its
 * time limit and that s repeats (blame_same_wait()).
 */
uint32_t owner_handed_to(const struct graph *g, const struct interval *s);
/* Returns true if the task waits on a futex that is no lock, and waited there before its last work, too, like
 * a thread of a pool without work. Waits that ended by their time limit do not count as waits before. */
bool owner_has_no_work(const struct graph *g, uint32_t task, uint64_t ts_ns);

#endif
