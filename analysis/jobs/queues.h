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

#include "analysis/jobs/jobs.h"
#include "analysis/jobs/queue.h"

struct queues {
	/* Queues in which jobs still wait come first. Among these queues, and among the others, the
	 * one with the largest product of times.queueing.p95 and times.count comes first. */
	struct queue *v;
	size_t n;
};

/* The caller frees *ret with queues_free(). Returns 0 or -ENOMEM. */
int queues_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns, struct queues **ret);
/* Like queues_find(), for the jobs that jobs_find() found in [from_ns, to_ns). Changes the order of
 * the jobs. */
int queues_of_jobs(const struct graph *g, job_list *jobs, uint64_t from_ns, uint64_t to_ns,
		   struct queues **ret);
/* Keeps a queue if tasks[] is true for a task of its process. Removes the other queues. Returns 0, or
 * -ENOMEM with all queues kept. */
int queues_keep(struct queues *q, const struct graph *g, const bool *tasks);
/* Keeps q->v[i] if marked[i]. Removes the other queues. */
void queues_keep_marked(struct queues *q, const bool *marked);
void queues_free(struct queues *q);
/* Returns the name of the main thread, or else of q->task. Never returns NULL. */
const char *queue_comm(const struct graph *g, const struct queue *q);

#endif
