/* SPDX-License-Identifier: GPL-2.0-or-later */
/* behind.h - finds the queues that are behind a long wait: jobs that the tasks of a diagnosis enqueued
 * waited in these queues. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_BEHIND_H
#define CTRACE_ANALYSIS_JOBS_BEHIND_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/jobs/queues.h"

/*
 * Finds each queue for which all of the following is true:
 * - The starts of its jobs are recorded, and its verdict is not QUEUE_FINE.
 * - Jobs that one task of the chain enqueued waited in the queue for at least BEHIND_SHARE of the
 *   victim's wait. If the verdict of the diagnosis is VERDICT_NORMAL, the whole window replaces the
 *   victim's wait.
 * In a queue that is stuck or waits for itself, the time in which these jobs run counts too.
 *
 * The caller frees *ret with queues_free(). Returns 0 or -ENOMEM.
 */
int behind_find(const struct graph *g, const struct diagnosis *d, struct queues **ret);

#endif
