/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queues.h - the queues of jobs that a framework reports (doc/frameworks.md): how long jobs waited
 * and ran, and why they waited. The verdicts follow DiagDroid (Kang, Zhou, Lyu: "DiagDroid: Android
 * Performance Diagnosis via Anatomizing Asynchronous Executions", FSE 2016).
 *
 * Pure; any thread. The graph and its window have to live as long as a struct queues.
 */
#ifndef CTRACE_ANALYSIS_JOBS_QUEUES_H
#define CTRACE_ANALYSIS_JOBS_QUEUES_H

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
	QUEUE_VERDICTS,
};
const char *queue_verdict_name(enum queue_verdict verdict);

struct job_times {
	size_t count;
	/* In ns. queueing: from enqueue to start. execution: from start to end. Each has only jobs
	 * of which both ends are known. */
	struct quantiles queueing, execution;
};

/* Jobs with the same function, enqueued by threads of the same name. */
struct job_group {
	uint32_t enqueuer;
	uint64_t function;
	struct job_times times;
	uint64_t total_ns;
};

struct queue {
	uint64_t obj;
	uint32_t task; /* a task that ran jobs, or else an enqueuer */
	struct job_times times;
	size_t n_waiting;
	size_t n_running;
	uint32_t n_threads;
	uint32_t most_running;
	uint32_t most_waiting;
	/* 0..1: the CPU time of the jobs, divided by their execution time */
	double on_cpu;
	enum queue_verdict verdict;
	char *text;
	struct job_group *groups;
	size_t n_groups;
};

struct queues {
	/* Sorted: queues in which jobs still wait come first, then larger products of
	 * times.queueing.p95 and times.count. */
	struct queue *v;
	size_t n;
};

/* The caller frees *ret with queues_free(). Returns 0 or -ENOMEM. */
int queues_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret);
/* Keeps a queue if tasks[] is true for a task of its process. Removes the other queues. */
void queues_keep(struct queues *q, const struct graph *g, const bool *tasks);
void queues_free(struct queues *q);
/* Returns the name of the main thread, or else of q->task. Never returns NULL. */
const char *queue_comm(const struct graph *g, const struct queue *q);

#endif
