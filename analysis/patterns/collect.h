/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h - makes the sequence (sequence.h) of a process from a trace: its transactions, and what
 * its tasks did in each transaction. The events are sent messages, waits, enqueued jobs, started
 * processes and threads, requested file locks, marks of a moment, and calls of the functions that a
 * framework describes.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_COLLECT_H
#define CTRACE_ANALYSIS_PATTERNS_COLLECT_H

#include "analysis/patterns/sequence.h"
#include "graph/timeline/graph.h"

enum collect_action {
	COLLECT_REQUESTS, /* each transaction is a request that the process answered */
	COLLECT_MARKS,    /* each transaction lies between two marks of the process (CT_MARK) */
	COLLECT_LIFE,     /* one transaction: the tasks of the process and of its descendants */
};
const char *collect_action_name(enum collect_action action);

struct collected {
	struct sequence sequence;
	enum collect_action action;
	uint32_t n_tasks; /* tasks with events; their times are added up, also if they run side by side */
	uint32_t lacks;   /* what the governor left out: CT_LACK_* */
};

/* Collects the transactions of the process of `task` in [from_ns, to_ns): COLLECT_REQUESTS. If the process
 * answered no request, takes COLLECT_MARKS. If it has no marks either, takes COLLECT_LIFE. The caller frees
 * *ret with collected_free(). Returns 0, -ENOMEM or -E2BIG. */
int collect(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns, struct collected **ret);
/* Like collect(), but does not look for requests or marks: always makes one transaction, COLLECT_LIFE. */
int collect_life(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
		 struct collected **ret);
void collected_free(struct collected *c);

#endif
