/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompted.h - private to analysis/: finds the process that a polling task told to do something, and for
 * which the polling task may wait. A task tells a process to do something by an *order*: a signal, or
 * bytes that are written into a pipe. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H
#define CTRACE_ANALYSIS_DIAGNOSE_PROMPTED_H

#include "analysis/diagnose/diagnosis.h"

/* Returns the begin of a row of sleeps and waits for children, with hardly any work in between.
 * from_ns: a moment in the row, or before it. Returns from_ns if no row follows. */
uint64_t prompted_since(const struct graph *g, uint32_t task, uint64_t from_ns);
/* Returns the main thread of the process to which the task gave an order in [from_ns, to_ns]. Example:
 * a command sends a signal that stops a service, and then polls until the service has stopped. Returns
 * GRAPH_NONE in these cases:
 * - The task gave an order to no process, or to several processes.
 * - The main thread ended before alive_ns. */
uint32_t prompted_task(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		       uint64_t alive_ns, enum edge_kind *ret_edge);
/* Returns true if the task has nothing to do: it idles (blame_idles()), or waits to read from a pipe. */
bool prompted_idles(const struct graph *g, uint32_t task, uint64_t ts_ns);

/* Returns the record of the last signal that told the process of the last link to end, if this process has
 * not ended by the end of the link. The signal came before the middle of the link, from the process of
 * another link, or from a descendant of it, such as kill(1). It is SIGTERM, or another signal that mostly
 * ends programs, and that the process ignores. (Process 1 of a PID namespace ignores each signal for which it
 * has no handler.) Returns GRAPH_NONE if there is no such record. */
uint32_t prompted_end(const struct graph *g, const struct link *links, size_t n);

/* The kernel sent the signal to a task. Returns true if a person or another process wants the end of the
 * task, for example with a key of the terminal. The kernel sends others, such as SIGALRM or SIGSEGV, because
 * of the task itself. */
bool prompted_by_person(int signal);
/* Returns true if a person or another program ended the wait of the first link: a signal killed the process
 * of a link in the second half of this wait, or just after it. Neither the process of a link nor a descendant
 * of it sent the signal. The kernel sends it for a person, for example after Ctrl-C. */
bool prompted_kill(const struct graph *g, const struct link *links, size_t n);

#endif
