/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * onward.h - private to analysis/: follows the work of a waiting task forward in time. Before the wait, the
 * task sent messages, woke tasks, or started tasks. These did the same in turn, before they idled again. The
 * tasks that do not idle at the end of the wait may still work for the waiting task. Pure; any thread.
 *
 * This is not the causal graph, which asks for the reason of one piece of work: if a broker passes a message
 * on to a worker that asked for a message before, then the request of the worker is this reason.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_ONWARD_H
#define CTRACE_ANALYSIS_CONTENTION_ONWARD_H

#include "graph/wake/blame.h"

/*
 * `interval` is the last wait for the thing for which the task waits, and may not have ended. producer: the
 * id of a process that works only for the waiting task; what any of its threads does counts as the work of
 * the waiting task itself. 0: none. Sets *ret to the tasks that have worked since by_ns or longer, and still
 * work at to_ns, one of each process. If the work went on from one such task to another one, only the later
 * one counts. Kernel threads do not count, nor do the processes of the waiting task and of the producer.
 * Returns false if other tasks may be missing: too many tasks take part, or the budget of scan.h is spent.
 */
bool onward_find(const struct graph *g, uint32_t interval, uint64_t by_ns, uint64_t to_ns, uint32_t producer,
		 struct enders *ret);

/* The task seems to poll for the end of a thread of its process. Returns the only such thread that still
 * works: the task has started it, and it waits for the end of its writes for most of the time between from_ns
 * and to_ns. All other threads wait for work for most of this time. Returns GRAPH_NONE if there is no such
 * thread, or if another one may work too. */
uint32_t onward_writer(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);

#endif
