/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - says why jobs wait in a queue. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_JOBS_VERDICT_H
#define CTRACE_ANALYSIS_JOBS_VERDICT_H

#include "analysis/jobs/busy.h"
#include "analysis/jobs/jobs.h"
#include "analysis/jobs/queue.h"

/* Sets on_cpu, verdict and text of q. The caller has set the other members. v: all n jobs of the
 * queue in [from_ns, to_ns), except those with no_starts, sorted by queued_ns. busy: from
 * busy_find() for v. Returns 0 or -ENOMEM. */
int verdict_find(const struct graph *g, struct queue *q, const struct job *v, size_t n, const busy_list *busy,
		 uint64_t from_ns, uint64_t to_ns);

#endif
