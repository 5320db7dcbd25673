/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visit.h - looks at waits that last, while they last, and gives names to
 * sampled stacks.  One thread of its own does the slow work (task iterator,
 * stack memory, unwinding, symbols); nothing that is looked at is stopped.
 *
 * visit_ask_*() and visit_drain() are for one thread (the daemon's drain
 * thread) and never wait for the visiting one; visit_stats() is for any.
 */
#ifndef CTRACE_DAEMON_VISIT_H
#define CTRACE_DAEMON_VISIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

struct probe;
struct visit;

struct visit_stats {
	uint64_t asked;    /* requests taken into the queue */
	uint64_t done;     /* requests dealt with (asked - done are in the queue or in work) */
	uint64_t stale;    /* of these: the task was gone or no longer in that wait */
	uint64_t refused;  /* requests refused: queue full */
	uint64_t lost;     /* results dropped: nobody drained them in time, or no memory */
	uint64_t no_stack; /* visited, but no user stack could be had */
};

/*
 * Starts the thread.  probe: for probe_read_task(); stays the caller's and must
 * outlive the visit.  0 or -errno.
 */
int visit_new(struct probe *probe, struct visit **ret);
/* Stops the thread, drops what is queued.  Accepts NULL. */
void visit_free(struct visit *v);

/*
 * Asks for a visit of task tid in the wait that began at since_ns (boot time; the
 * time of its CT_SWITCH).  The result is CT_STACK + CT_VISIT, whose ts is the
 * time of the visit and x[1] = ts - since_ns.  When the task has left the wait
 * (another object or system call, or running) by then, there is no result.
 * obj, nr: of the CT_SWITCH, to tell that.  0, or -EAGAIN: queue full (counted).
 */
int visit_ask_wait(struct visit *v, uint32_t tid, uint64_t since_ns, uint64_t obj, uint16_t nr);
/* Asks for names for a sampled stack (copied).  The result is CT_STACK + CT_SAMPLE. 0 or -EAGAIN. */
int visit_ask_stack(struct visit *v, uint16_t cpu, const struct ct_rawstack_blob *raw);

/*
 * Hands over the results that are ready, each as: fn(arg, cpu, rec, words, stack), where stack (may be NULL,
 * then x[0] is 0) is the CT_STACK blob that words[0] names, valid during the call.  Returns how many.
 */
typedef void (*visit_result_fn)(void *arg, uint16_t cpu, const struct ct_rec *rec, const uint64_t words[2],
				const struct ct_stack_blob *stack);
size_t visit_drain(struct visit *v, visit_result_fn fn, void *arg);

struct visit_stats visit_stats(const struct visit *v);

#endif
