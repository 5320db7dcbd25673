/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queues.h - the queues of jobs in a trace: how long jobs waited in a queue, how long the jobs ran,
 * and why they waited.
 *
 * The jobs are those that a framework reports (doc/frameworks.md). The verdicts are those of
 * DiagDroid (Kang, Zhou, Lyu: "DiagDroid: Android Performance Diagnosis via Anatomizing
 * Asynchronous Executions", FSE 2016) that can be found from records. Pure; any thread. A struct
 * queues has indices into the graph, so the graph and its window have to live as long.
 */
#ifndef CTRACE_ANALYSIS_JOBS_QUEUES_H
#define CTRACE_ANALYSIS_JOBS_QUEUES_H

#include "analysis/account/quantiles.h"
#include "graph/timeline/graph.h"

/* Why jobs wait in a queue. */
enum queue_verdict {
	QUEUE_FINE,      /* jobs hardly wait, or at most one job waits at one time */
	QUEUE_SERIAL,    /* one thread runs all jobs, one after the other */
	QUEUE_TOO_SMALL, /* all threads run jobs, and the jobs are mostly off-CPU */
	QUEUE_OVERLOAD,  /* all threads run jobs, and the jobs mostly have a CPU */
	QUEUE_SLOW_KIND, /* a few long jobs hold up many short ones */
	QUEUE_STUCK,     /* all threads run jobs that do not end, while other jobs wait */
	QUEUE_LATE,      /* jobs wait although a thread is free */
	QUEUE_VERDICTS,
};
/* Returns the word for a verdict: "fine", "serial", "too-small", ... */
const char *queue_verdict_name(enum queue_verdict verdict);

struct job_times {
	size_t count; /* the number of jobs that began */
	/* ns. Of the jobs that began, `queueing` leaves out those without a recorded enqueue, and
	 * `execution` leaves out those without an end. */
	struct quantiles queueing, execution;
};

/* The jobs of one kind: the same function, enqueued by threads of the same name. */
struct job_group {
	uint32_t enqueuer; /* a task that enqueued a job of this kind; GRAPH_NONE: not known */
	uint64_t function; /* the address of the function that the jobs run; 0: not known */
	struct job_times times;
	uint64_t total_ns; /* the sum of the execution times of the jobs */
};

struct queue {
	uint64_t obj;  /* id of the queue; 0: the framework does not tell its queues apart */
	uint32_t task; /* a task that ran jobs; if none is known, a task that enqueued a job */
	struct job_times times;
	size_t n_waiting;      /* jobs that still waited at the end of the range */
	size_t n_running;      /* jobs that still ran at the end of the range */
	uint32_t n_threads;    /* number of tasks that ran jobs */
	uint32_t most_running; /* the most jobs that ran at one time */
	uint32_t most_waiting; /* the most jobs that waited at one time */
	/* 0..1: the sum of the CPU time of the jobs, divided by the sum of their execution times */
	double on_cpu;
	enum queue_verdict verdict;
	char *text;               /* the verdict in words */
	struct job_group *groups; /* sorted by total_ns, the largest first */
	size_t n_groups;
};

struct queues {
	/* First the queues in which jobs still wait, then the others. In both parts, queues are
	 * sorted by times.queueing.p95 * times.count, the largest first. */
	struct queue *v;
	size_t n;
};

/* Finds the queues of the jobs that waited, ran or ended in the range [from_ns, to_ns). The caller
 * frees *ret with queues_free(). Returns 0 or -ENOMEM. */
int queues_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret);
void queues_free(struct queues *q);
/* Returns the name of the main thread of the queue's process. If the graph does not have the main
 * thread, returns the name of the task q->task. Never returns NULL. */
const char *queue_comm(const struct graph *g, const struct queue *q);

#endif
