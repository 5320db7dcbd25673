/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pools.h - pools of threads whose jobs no framework reports. Threads that idle on one thing, such as the
 * futex of a queue, are the workers of a pool. A job is what a worker does between two idle waits on this
 * thing. If a worker takes several jobs in a row without idling, they count as one. When a job was enqueued
 * is not known.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_JOBS_POOLS_H
#define CTRACE_ANALYSIS_JOBS_POOLS_H

#include "analysis/jobs/queues.h"

/* Finds the pools that worked in [from_ns, to_ns). A pool has the form of a queue: queue.obj is the thing on
 * which its threads idle. A thread with jobs of a framework belongs to no pool. The caller frees *ret with
 * queues_free(). The pool with the most work comes first. Returns 0, -ENOMEM or -E2BIG (causal.h). */
int pools_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret);

#endif
