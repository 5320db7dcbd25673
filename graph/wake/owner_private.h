/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner_private.h - private to the files owner*.c: what they use of each other. owner.h says what
 * they find. Pure; any thread.
 */
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

/* Adds a task, unless its process is in the list already, or the list is full. */
void owner_add(const struct graph *g, struct enders *e, uint32_t task);
/*
 * Returns the task whose process has obj open with this mode (CT_FF_*; 0: any). The process tgid
 * itself does not count. If a process and its descendants have obj open, the youngest descendant
 * counts: it more likely uses the descriptor than the shell that made it. Returns GRAPH_NONE if no
 * such process is found. Also returns GRAPH_NONE if several processes have obj open, and not all of
 * them descend from one another. Then adds a task of each of these processes to *all.
 *
 * If no descriptor table has obj, returns the task that was seen to use obj.
 */
uint32_t owner_fd(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t tgid, uint8_t mode,
		  struct enders *all);
/* Returns the last task that woke the task `me` through obj up to ts_ns. If there is none,
 * returns the first task that woke `me` through obj later. Sets *ret_ns to the time of this
 * wake. Returns GRAPH_NONE if no task woke `me` through obj. */
uint32_t owner_past_waker(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint64_t *ret_ns);
/* Returns true if the task is stopped just before ts_ns. */
bool owner_is_stopped(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Returns how many of the tasks in e are stopped just before ts_ns. */
size_t owner_count_stopped(const struct graph *g, const struct enders *e, uint64_t ts_ns);
/* Returns the task that could end the wait of the task `me` for obj at ts_ns, or GRAPH_NONE if it
 * is not known. mode and *all are as for owner_fd(). */
uint32_t owner_object(const struct graph *g, uint64_t obj, uint64_t ts_ns, uint32_t me, uint8_t mode,
		      struct enders *all);
/* Returns the task at the other end of the socket, or the task that has to accept the connection;
 * or GRAPH_NONE. Tasks of the process tgid do not count as tasks that accept. *all is as for
 * owner_fd(). */
uint32_t owner_sock(const struct graph *g, uint64_t sock, uint64_t ts_ns, uint32_t tgid, struct enders *all);
/*
 * Completes b with the task that could end a poll. Of the objects of the polled set, those with the
 * best score count. If these objects lead to several processes, and their score is below
 * POLL_WRITTEN, no task is to blame, because nothing shows for which process the task polls.
 * Exception: if exactly one of the tasks is stopped, that task is to blame.
 */
void owner_of_poll(const struct graph *g, const struct interval *s, struct blame *b, struct enders *all);
/* Completes b with the owner of the file lock for which the task waits. */
void owner_of_flock(const struct graph *g, const struct interval *s, struct blame *b);
/* Returns the child for which the task waits, or GRAPH_NONE if it is not known. If any child can
 * end the wait, returns the youngest child, and adds all children to *all. */
uint32_t owner_child(const struct graph *g, const struct interval *s, struct enders *all);
/*
 * The waiter gave some work to another task, and now waits for the result (the wait s). Returns
 * this other task: the last fitting task that the waiter woke or created since its previous wait.
 * Some previous waits do not count: earlier parts of the same poll, each of which ended by the time
 * limit; and, if s is a wait on a futex, waits of at most HANDED_PAUSE_NS. Returns GRAPH_NONE if
 * there is no such task.
 *
 * A task fits if:
 * - s is a wait on a futex or a poll, and the task is a thread of the waiter's process that is not
 *   back in its old wait;
 * - s is another wait, and the task waited on /dev/fuse for requests when the waiter woke it.
 */
uint32_t owner_handed_to(const struct graph *g, const struct interval *s);

#endif
