/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_auto.h - decides for the setting "frameworks = auto" which frameworks keep their probes. Pure.
 *
 * The limit is a share of the machine's CPU time, for all frameworks together. The limit allows
 * bursts: a bucket takes the cost of all hits, and empties at the rate of the limit. If the bucket
 * is full, the most expensive framework loses its probes. They are attached again after a pause. If
 * the framework loses them again soon, the next pause is twice as long. Each calm time halves it. A
 * calm time does not make it short at once: otherwise a program that floods now and then would get
 * the probes back too early each time.
 *
 * A framework is the unit, and not a single probe: without some of its probes, the records of a
 * framework would be wrong, for example starts without ends. It is not a process either: a probe on a
 * file acts in all processes that have mapped the file.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_AUTO_H
#define CTRACE_DAEMON_JOBS_JOBS_AUTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One framework. The rates are those of the last round with probes. */
struct jobs_auto {
	double hits_per_s;
	double cost_ppm; /* of the machine's CPU time */
	bool off;
	/* off: detached since then; otherwise attached since then. 0: never detached. */
	uint64_t since_ns;
	uint64_t pause_ns; /* the last pause; 0: none so far */
	uint64_t again_ns; /* off: the probes are attached again at this time */
	uint64_t times;    /* how often the probes were detached so far */
};

struct jobs_auto_bucket {
	double limit_ppm; /* 0: no limit */
	double level_ns;
	uint64_t last_ns;
	unsigned cpus;
};

/* What happened to a framework since the last round. cost_ns: CPU time of its hits. */
struct jobs_auto_spent {
	uint64_t hits, cost_ns;
};

/* Takes the cost of n frameworks since the last call. Returns the index of the framework that has to
 * lose its probes now, or SIZE_MAX. The framework is then marked as off. */
size_t jobs_auto_round(struct jobs_auto_bucket *b, struct jobs_auto *v, const struct jobs_auto_spent *spent,
		       size_t n, uint64_t now_ns);
/* Returns the index of a framework that has to get its probes back now, or SIZE_MAX. The framework is
 * then marked as on. */
size_t jobs_auto_back(struct jobs_auto_bucket *b, struct jobs_auto *v, size_t n, uint64_t now_ns);

/* Returns false if the probes have used up half of what they may cost at once. Then stacks of enqueues are
 * left out, before a framework loses its probes. */
bool jobs_auto_stacks(const struct jobs_auto_bucket *b);

#endif
