/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_behind.h - the queues of jobs that are behind the wait of a diagnosis, as JSON. One thread. */
#ifndef CTRACE_REPORT_JOBS_BEHIND_H
#define CTRACE_REPORT_JOBS_BEHIND_H

#include <jansson.h>

#include "analysis/diagnose/diagnosis.h"
#include "analysis/jobs/queues.h"
#include "trace/words/describe.h"

/* Returns buf, with the name of the queue. */
const char *queue_words(const struct graph *g, const struct queue *q, char buf[DESCRIBE_MAX]);
/* The queues of analysis/jobs/behind.h. Sets *ret to a new reference, or to NULL if there is no such queue.
 * Returns 0, or -ENOMEM if the queues cannot be examined. */
int render_jobs_behind_json(const struct graph *g, const struct diagnosis *d, json_t **ret);

#endif
