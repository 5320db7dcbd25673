/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.h - the structures for a queue of jobs. queues.h and verdict.h fill them. */
#ifndef CTRACE_ANALYSIS_JOBS_QUEUE_H
#define CTRACE_ANALYSIS_JOBS_QUEUE_H

#include "analysis/account/quantiles.h"
#include "graph/timeline/graph.h"

enum queue_verdict {
	QUEUE_FINE,
	QUEUE_SERIAL,
	QUEUE_TOO_SMALL, /* all threads run jobs, which are mostly off-CPU */
	QUEUE_OVERLOAD,  /* all threads run jobs, which mostly have a CPU */
	QUEUE_SLOW_KIND,
	QUEUE_STUCK, /* the running jobs do not end */
	QUEUE_LATE,
	QUEUE_ITSELF,   /* the running jobs wait for waiting jobs of the same queue */
	QUEUE_FLOOD,    /* very many short jobs wait for one thread */
	QUEUE_OBSOLETE, /* new versions of a job are enqueued while the old ones have not ended */
	QUEUE_UNKNOWN,  /* the records do not show whether, or why, jobs wait */
	QUEUE_VERDICTS,
};
const char *queue_verdict_name(enum queue_verdict verdict);

struct job_times {
	size_t count;
	/* In ns. queueing: from enqueue to start, of the jobs for which both times are recorded.
	 * execution: from start to end, of the jobs for which both times are recorded. */
	struct quantiles queueing, execution;
};

/* Jobs of one kind: they have the same function, and threads of the same name enqueued them. Or the jobs of
 * one kind whose stacks at the enqueue are of one cluster (callers.h). */
struct job_group {
	uint64_t stack;     /* the stack of most of the jobs (window_stack()); 0: not recorded */
	size_t n_stacks;    /* jobs with a stack. Only some jobs have one */
	size_t n_alike;     /* different stacks; 0: of a kind */
	const char *caller; /* the frame that tells this group from the others of its kind; NULL: no other */
	bool rest;          /* the jobs without a stack of a kind whose stacks are of several clusters */
	uint32_t enqueuer;
	uint64_t function;
	struct job_times times;
	uint64_t total_ns;
	size_t n_ended;
	/* The sum and the median of the execution times. A job that has started and has not ended
	 * counts up to the end of the window. */
	uint64_t so_far_ns, so_far_p50_ns;
};

/* How many jobs waited, over time. The time is divided into parts of equal length, so that the size is
 * bounded. */
#define QUEUE_LENGTH_PARTS 60
struct queue_length {
	bool known; /* false: no enqueue was recorded, and the other members are 0 */
	uint64_t from_ns, to_ns, part_ns;
	uint32_t most;
	uint64_t most_ns; /* when `most` jobs waited first */
	double mean;
	struct {
		uint32_t most;
		double mean;
	} parts[QUEUE_LENGTH_PARTS];
};

struct queue {
	uint64_t obj;
	uint32_t task; /* a task that ran jobs, or else an enqueuer */
	struct job_times times;
	size_t n_waiting;   /* without n_no_starts */
	size_t n_running;   /* of nested jobs (busy.h), only the innermost ones */
	size_t n_no_starts; /* jobs with no_starts (jobs.h) */
	uint32_t n_threads;
	/* How many jobs may run at one time, as the program says; 0: not known. */
	uint32_t declared;
	uint32_t most_running;      /* the same */
	uint32_t most_waiting;      /* without n_no_starts */
	struct queue_length length; /* without n_no_starts */
	/* 0..1: the CPU time of the jobs, divided by their execution time */
	double on_cpu;
	enum queue_verdict verdict;
	char *text;
	/* kinds: the stacks do not count. groups: each kind, or its clusters and its rest. Both begin with
	 * the most time of execution. */
	struct job_group *kinds, *groups;
	size_t n_kinds, n_groups;
};

#define QUEUE_NAME_MAX 160
/* Returns buf, for example with "function 0x1234, enqueued by main in on_click". on_click()
 * is the function that tells this group from the others of its kind. */
const char *queue_group_name(const struct graph *g, const struct job_group *x, char buf[QUEUE_NAME_MAX]);

#endif
