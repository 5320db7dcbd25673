/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queues.h - the queues of jobs in a trace: how long jobs waited in a queue, how long they ran, and
 * why they waited.
 *
 * The jobs are those that a framework reports (doc/frameworks.md). The verdicts are those of
 * DiagDroid (Kang, Zhou, Lyu: "DiagDroid: Android Performance Diagnosis via Anatomizing
 * Asynchronous Executions", FSE 2016), as far as records show them. Pure; any thread. The result
 * has indices into the graph, and needs the graph and its window.
 */
#ifndef CTRACE_ANALYSIS_JOBS_QUEUES_H
#define CTRACE_ANALYSIS_JOBS_QUEUES_H

#include "analysis/account/quantiles.h"
#include "graph/timeline/graph.h"

/* Why jobs wait in a queue. */
enum queue_verdict {
	QUEUE_FINE,      /* jobs hardly wait */
	QUEUE_SERIAL,    /* one thread runs all jobs, one after the other */
	QUEUE_TOO_SMALL, /* all threads are taken by jobs that wait for something themselves */
	QUEUE_OVERLOAD,  /* all threads are taken by jobs that compute */
	QUEUE_SLOW_KIND, /* a few long jobs hold up many short ones */
	QUEUE_STUCK,     /* all threads run jobs that do not end, while other jobs wait */
	QUEUE_LATE,      /* jobs wait although a thread is free */
	QUEUE_VERDICTS,
};
/* Returns the word for a verdict: "fine", "serial", "too-small", ... */
const char *queue_verdict_name(enum queue_verdict verdict);

struct job_times {
	size_t count;                         /* the number of jobs that began; `execution` leaves
						 out those without an end */
	struct quantiles queueing, execution; /* ns */
};

/* The jobs of one kind: the same function, enqueued by threads of the same name. */
struct job_group {
	uint32_t enqueuer; /* a task that enqueued such a job; GRAPH_NONE: not known */
	uint64_t function; /* the address of the function that the job runs; 0: not known */
	struct job_times times;
	uint64_t total_ns; /* the sum of the executions */
};

struct queue {
	uint64_t obj;  /* the queue; 0: the framework does not tell its queues apart */
	uint32_t task; /* a task that ran jobs, or enqueued them */
	struct job_times times;
	size_t n_waiting;      /* jobs that were enqueued and had not begun at the end of the window */
	size_t n_running;      /* jobs that had begun and not ended at the end of the window */
	uint32_t n_threads;    /* different tasks that ran jobs */
	uint32_t most_running; /* the most jobs that ran at one time */
	uint32_t most_waiting;
	double on_cpu; /* the share of the execution in which the thread had a CPU: 0..1 */
	enum queue_verdict verdict;
	char *text;               /* the verdict in words */
	struct job_group *groups; /* the group with the most time of execution first */
	size_t n_groups;
};

struct queues {
	/* first the queues in which jobs still wait, then the others; in both parts, those in which
	 * jobs waited most come first */
	struct queue *v;
	size_t n;
};

/* Finds the queues of the jobs that were enqueued, ran or ended in [from_ns, to_ns). The caller
 * frees *ret with queues_free(). Returns 0 or -ENOMEM. */
int queues_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret);
void queues_free(struct queues *q);
/* Returns the name of the main thread of the queue's process. If the trace does not have the main
 * thread, returns the name of queue.task. Never returns NULL. */
const char *queue_comm(const struct graph *g, const struct queue *q);

#endif
