/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_spans.h - private to cli/otlp: the spans of jobs of frameworks. A job has a span for its time in the
 * queue (kind PRODUCER, of the enqueuer), and a span for its execution (kind CONSUMER, of the worker). The
 * first one is the parent of the second one, and has a link to it. One thread.
 *
 * The parent of the first span of a job:
 * - the execution of the job in which the enqueuer put this job into the queue. Of nested jobs: the innermost
 *   one.
 * - else the server span of the open request for which the enqueuer worked at this moment
 * - else none
 */
#ifndef CTRACE_CLI_OTLP_JOB_SPANS_H
#define CTRACE_CLI_OTLP_JOB_SPANS_H

#include "cli/otlp/batch.h"
#include "cli/otlp/contexts.h"

/* Returns 0 or -ENOMEM. */
int job_spans_put(struct batch *b, const struct services *s, const struct contexts *c);

#endif
