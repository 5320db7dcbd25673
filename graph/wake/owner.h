/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - private to graph/: finds the task that could end a wait, if no wake-up shows it: the
 * owner of the lock, the other end of the pipe or socket, the child, or the server of the file
 * system. The functions return GRAPH_NONE if they find no task of this host. Pure; any thread.
 */
#ifndef CTRACE_GRAPH_WAKE_OWNER_H
#define CTRACE_GRAPH_WAKE_OWNER_H

#include "graph/wake/blame.h"

/* `wake` ended the wait s. Returns the task at the other end of sock that made the wake-up. *ret_event is:
 * - the record CT_SEND of bytes to sock: of the waker's own send, or of bytes_unread() in bytes.h
 * - `wake`, if the task ended the connection
 * - the record CT_RECV that made room for bytes of sock, if s is a poll, and neither `wake` nor what the
 *   waiter does next shows that there were new bytes to read
 * - GRAPH_NONE, if the task is only the most likely one. If several processes may be this task, returns
 *   GRAPH_NONE, and *all has a task of each */
uint32_t owner_sender(const struct graph *g, const struct interval *s, uint64_t sock,
		      const struct window_event *wake, uint32_t *ret_event, struct enders *all);
/* Returns true if the waker of `wake` has the other end of sock, and closes it, shuts it down, or
 * exits. If the wake-up is not inside close() or shutdown(), returns false if a later record
 * shows a send or a receive on the other end. */
bool owner_closes(const struct graph *g, uint64_t sock, const struct window_event *wake);
/* A cheap test before owner_closes(): returns false if the waker cannot end any connection. */
bool owner_may_close(const struct graph *g, const struct window_event *wake);
/*
 * Returns true if the process of `task` has the socket. Only one process counts as the one that has it,
 * the first in this list that is known:
 * - the process that sent or received on the socket last, up to ts_ns
 * - the process that receives on the socket first after ts_ns, or else sends first
 * - the process that has the socket open
 */
bool owner_has_socket(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns);
/* As owner_has_socket(), or the table of descriptors of the task's process shows the socket. Other processes
 * may have it, too, and may have used it last. */
bool owner_may_have_socket(const struct graph *g, uint32_t task, uint64_t sock, uint64_t ts_ns);
/* Returns true if the process of `task` may have a connection, other than `except`, that was accepted at the
 * address to which the socket o leads. o: the client's end, or a unix socket with the name of the listening
 * one. */
bool owner_serves(const struct graph *g, uint32_t task, const struct window_object *o, uint64_t except,
		  uint64_t ts_ns);
/* Returns true if all threads of the process that sent last on the socket have exited at ts_ns, and no living
 * process is known to have the socket open. */
bool owner_has_left(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns true if s is a wait that ended with a wake-up on obj. */
bool owner_is_woken_for(const struct graph *g, const struct interval *s, uint64_t obj);
/* `wake` ended the wait s, and says that sock has room again for bytes to send. Returns the task that made
 * the room: it received at the other end. *ret_event is the record CT_RECV of this receive. If no record
 * shows a receive that made room then, *ret_event is GRAPH_NONE, and the task is only the most likely one.
 * *all is as for owner_sender(). */
uint32_t owner_receiver(const struct graph *g, const struct interval *s, uint64_t sock,
			const struct window_event *wake, uint32_t *ret_event, struct enders *all);
/* Returns true if a frame of the stack waits for a lock. */
bool owner_stack_locks(const struct window *w, uint64_t stack);
/* Completes b for a wait that no task ended. *all has the tasks that could have ended it. If there
 * are several, b->rivals is their number. */
void owner_of_wait(const struct graph *g, uint32_t interval, struct blame *b, struct enders *all);
/* Returns the task at the other end of the socket, or the task that has to accept the connection.
 * If several tasks may be this task, *all has them. */
uint32_t owner_of_socket(const struct graph *g, uint64_t sock, uint64_t ts_ns, struct enders *all);
/* Returns true if the socket is owed an answer, in one of three cases: a request on the socket has
 * no answer; the socket is connecting; the socket has connected, but no bytes were exchanged. Only
 * the end that asks is owed an answer: the end that connected, or on a socket pair, the end that
 * sent first. */
bool owner_owed(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Returns true if sock is a datagram socket that is not connected, and the destination of its last send up to
 * ts_ns is known. */
bool owner_has_dest(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* `task` has the other end of sock. Returns true if all of this holds at the end of s:
 * - The process of `task` has only this thread.
 * - `task` has received all messages that were sent on sock before s.
 * - `task` waits only for a further message on this connection.
 *
 * Then `task` owes no answer: a task at this end, sock, has to act first. */
bool owner_waits_for_more(const struct graph *g, uint64_t sock, uint32_t task, const struct interval *s);
/* Returns true if bytes from the other end were not received yet at ts_ns. */
bool owner_unread(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* Like owner_unread(), but returns false for a unix socket, where bytes are never on their way. */
bool owner_under_way(const struct graph *g, uint64_t sock, uint64_t ts_ns);
/* A task of process tgid waits for a lock of a file at ts_ns, or has tried to get it. */
struct lock_try {
	uint64_t obj; /* the file */
	/* the record CT_FLOCK of the try, or the record CT_HELD of the wait. NULL: not known, so any lock on
	 * the file counts. Otherwise only locks on the same bytes count that exclude the wanted lock */
	const struct window_event *want;
	uint64_t ts_ns;
	uint64_t until_ns; /* the task waits, or tries, until then */
	uint32_t tgid;
};
struct lock_owner {
	uint32_t task;  /* GRAPH_NONE: not known */
	uint32_t event; /* the record of the lock */
	/* weak if the record of an unlock may be missing, if another process may own a lock too, or if
	 * another task took the lock */
	uint8_t strength;
};
/* Finds the owner of the lock. Tasks of the process tgid do not count. If several processes own such locks,
 * or may own it, none counts as the owner, and *all has a task of each; otherwise *all stays as it is. A
 * process that surely owns a lock counts before the processes that may own one. If descriptor tables show
 * that the process which took the lock has passed the open file on, another process owns the lock. If there
 * are more than LOCKERS_MAX locks or LOCK_RECORDS_MAX records, the owner is not known. */
void owner_of_lock(const struct graph *g, const struct lock_try *t, struct lock_owner *ret,
		   struct enders *all);
/* A time in which one task owned a lock for which another task waited. */
struct lock_turn {
	uint32_t task;     /* GRAPH_NONE: not known */
	uint32_t event;    /* the record that shows the begin of the turn, or GRAPH_NONE */
	uint64_t from_ns;  /* since when the owner is known */
	uint64_t until_ns; /* UINT64_MAX: no record shows the end of the turn */
	bool certain;
};
/*
 * s is a wait on a futex with a known owner (graph_futex_owner()), and no join. Finds the owner at at_ns: the
 * recorded one, or a later one. While a task waits in the kernel for such a lock, each release of the lock
 * wakes a waiter. So a wake-up of another waiter through this futex, also at the exit of the owner of a
 * robust mutex, shows the end of a turn. Then the woken task is the next owner, unless it waits for the lock
 * again. Then the owner in that wait is the next owner.
 *
 * If a read-write lock was released, several readers may own it: ret->task is not certain then, and *all has
 * the tasks that got the lock.
 */
void owner_turn(const struct graph *g, const struct interval *s, uint64_t at_ns, struct lock_turn *ret,
		struct enders *all);
/* `waker` ended s, a wait for a mutex. Returns true if the owner had died without a release. So the waker did
 * not own the mutex: it repaired it. Then *b blames the owner. */
bool owner_has_died(const struct graph *g, const struct interval *s, uint32_t waker, struct blame *b);
/* s is a wait for a file lock. Like owner_turn(), but only finds an owner that is certain. Returns false if
 * there is none, or if no record shows the end of its turn before s->to_ns. */
bool owner_file_turn(const struct graph *g, const struct interval *s, uint64_t at_ns, struct lock_turn *ret);
/* `wake` ended s, a wait for a file lock. Returns true if the waker's process unlocks wanted bytes of this
 * file before another task gets a lock on them, or if this is not known. The record of the unlock comes after
 * the wake-up, and a close() or an exit may unlock too. */
bool owner_unlocks(const struct graph *g, const struct interval *s, const struct window_event *wake);
/* `wake` ended s. Returns true if both tasks waited for a lock of the same bytes, and the waker did not get
 * it before the wake-up, is still in the call, and does not unlock a part of the file just after: it gave up,
 * for example because it was killed. Then the kernel wakes the tasks that waited behind it, but no lock was
 * released: locks_delete_block() in fs/locks.c. */
bool owner_gave_up(const struct graph *g, const struct interval *s, const struct window_event *wake);
/*
 * Returns true if an inspection shows that s is a wait for a lock of a database, or for a lock
 * of a Java virtual machine. (The inspection found the lock in the memory of the program.) If time
 * limits have divided the wait into parts, the inspection may be of an earlier part. Then *b is for
 * a wait for this lock:
 * - If the inspection shows the owner, and the owner still lives, *b blames the owner.
 * - If the inspection shows that no task owns the lock, b->ownerless is true.
 *
 * The lock may have got another owner since the inspection. So the blame is strong only in these cases:
 * - a lock of a database: owner_shown_recently(), or the shown owner has stayed in one wait since the
 *   inspection;
 * - a lock of Java: the shown owner has stayed in one wait since the inspection. Only then, b->kind is
 *   RESOURCE_JAVA_LOCK and b->edge is EDGE_LOCK.
 */
bool owner_of_shown_lock(const struct graph *g, const struct interval *s, struct blame *b);
/*
 * Returns true if an inspection of s shows that the task waits until another thread of its Java virtual
 * machine has run a FutureTask, or has ended, and this thread still lives. *b blames this thread. The blame
 * is strong only for a FutureTask that the thread surely still runs: the inspection was made at most
 * SHOWN_LOCK_OLD_NS before the end of s, or the thread has stayed in one wait since. (Object.wait() for a
 * Thread may have another purpose than to wait for its end.)
 */
bool owner_of_java_task(const struct graph *g, const struct interval *s, struct blame *b);
/* Returns true if is() holds for a frame of the stack that an inspection of s shows. */
bool owner_visit_shows(const struct graph *g, const struct interval *s, bool (*is)(const char *frame));
/* Returns true if an inspection of s shows that the task waits for a read-write lock of the C library or of
 * Rust. Several readers may own such a lock at once. */
bool owner_in_rwlock(const struct graph *g, const struct interval *s);
/* Returns true if an inspection of s shows that the task is in Thread.sleep() of Java. It then waits on a
 * futex with a time limit, and no other thread knows of this futex. */
bool owner_sleeps_in_java(const struct graph *g, const struct interval *s);
/* Returns true if an inspection of s shows that the task owns the lock of Java itself for which it waits: it
 * has the lock to read, and waits to own it to write. */
bool owner_is_own_lock(const struct graph *g, const struct interval *s);
/* Returns true if an inspection of s shows that the task waits for room in a channel of Rust. */
bool owner_sends_to_channel(const struct graph *g, const struct interval *s);
/* Returns true if owner_of_shown_lock() does. */
bool owner_is_shown_lock(const struct graph *g, const struct interval *s);
/* Returns true if an inspection of s shows a lock of a database or a monitor, as in
 * owner_of_shown_lock(), and was made at most SHOWN_LOCK_OLD_NS before the end of s. */
bool owner_shown_recently(const struct graph *g, const struct interval *s);
/* Completes b for a stopped or frozen task. b->event is the signal that stopped the task, or the SIGCHLD
 * to its tracer, or GRAPH_NONE: no record shows such a signal, as in a frozen control group. An idle
 * tracer is not to blame. */
void owner_stopper(const struct graph *g, const struct interval *s, struct blame *b);

/* Returns true if other tasks have woken `me` through obj before ts_ns, but `waker` has never woken a task
 * through it. */
bool owner_wakes_first(const struct graph *g, uint64_t obj, uint32_t me, uint32_t waker, uint64_t ts_ns);

/* Returns true if a thread of the process of `task` waits at ts_ns for input on sock, and records show that
 * this wait would have ended if the input had arrived after since_ns. */
bool owner_awaits_input(const struct graph *g, uint32_t task, uint64_t sock, uint64_t since_ns,
			uint64_t ts_ns);
/* Returns true if a record from the poll s shows that s ends as soon as there is input on sock. Returns false
 * for an edge-triggered member of an epoll: input from before s does not end s. */
bool owner_ends_on_input(const struct graph *g, const struct interval *s, uint64_t sock);
/* Returns true if records show that the poll s ends as soon as there is room to write to sock. So if s lasts,
 * the other end does not read. The last set counts that was recorded up to the end of s; of an epoll, the
 * last records about sock. Returns false in these cases:
 * - The task polls one descriptor, and no record from s shows for what.
 * - The member of an epoll is edge-triggered: programs ask for room there even if they have nothing to write.
 * - Nothing was sent on sock before s: then s may wait until the connection is made. */
bool owner_polls_for_room(const struct graph *g, const struct interval *s, uint64_t sock);

/* b->task, a thread of the waiter's process, ended a poll of the waiter through a pipe or an eventfd. Returns
 * when the waiter woke this thread from its last longer wait on a futex without an owner, to give work to it.
 * Returns 0 if no record shows this. */
uint64_t owner_handed_ns(const struct graph *g, uint32_t waiter, const struct blame *b);

#endif
