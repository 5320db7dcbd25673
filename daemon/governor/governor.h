/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor.h - decides which records to leave out, so that tracing costs no more than its budget
 * (doc/service.md). Pure: the caller passes the time and the CPU time spent, and carries out the
 * decisions. One thread at a time.
 *
 * The budget is a bucket of CPU time, which fills at the rate of the budget, up to a limit. The
 * governor acts if the bucket is empty and tracing spends more than the bucket gains:
 * - If the capture alone costs well below the budget (GOVERNOR_CAPTURE), the governor stops the
 *   inspections. Before caps and pauses, it stops them if the capture alone is within the budget.
 *   It tries them again now and then (GOVERNOR_BLIND_NS).
 * - Otherwise the governor takes the next step: CT_SHED_HOOKS, CT_SHED_COARSE, CT_SHED_PAUSES.
 * - From CT_SHED_COARSE on, the governor caps a group of tasks that makes a large part of the
 *   records (GOVERNOR_SHARE): for a while, most of its records are left out (bpf/caps.h).
 * - In CT_SHED_PAUSES, the governor pauses the capture. The pause ends when the bucket holds enough
 *   to record for a while, or after GOVERNOR_OFF_MAX_NS.
 *
 * Some kernels cannot do CT_SHED_COARSE. Then CT_SHED_HOOKS is the last step, with caps and pauses.
 *
 * The governor takes a step back after the cost was well below the budget for a while. If a step
 * forward soon follows, the next step back comes later.
 *
 * The daemon itself has a cost, also if hardly any program runs (GOVERNOR_PROGRAMS). On a slow machine,
 * it may be near the budget, and a step would not lower it. Then the governor takes no step forward, and
 * only the cost of the programs counts for a step back.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

struct governor_spent {
	/* CPU time for recording. Not counted: inspections, and work that the budget does not count
	 * (governor_loop_threads.aside_ns). */
	uint64_t capture_ns;
	uint64_t programs_ns; /* the part of capture_ns in BPF programs */
	uint64_t other_ns;
	/* The part of capture_ns for waits too short for a record. While a group is capped, also
	 * the part for events that the caps leave out. */
	uint64_t passed_ns;
};

struct governor {
	/* share of the machine's CPU time that tracing may take; 0: no budget */
	uint32_t budget_ppm;
	enum ct_shed step;
	bool blind;        /* the inspections are stopped */
	uint64_t blind_ns; /* since this time */
	bool paused;
	/* share of the machine's CPU time that tracing takes, averaged over GOVERNOR_COST_NS */
	double cost_ppm;
	/* the part of cost_ppm that the budget does not count (GOVERNOR_PASSED_PPM) */
	double passed_ppm;
	/* rate_ppm: the cost that the budget counts. capture_ppm: the part of it that goes into
	 * recording. programs_ppm: the part of capture_ppm in BPF programs. Averages since rate_ns, over
	 * at most GOVERNOR_RATE_NS. */
	double rate_ppm, capture_ppm, programs_ppm;
	/* CPU time that the start of the capture needs after a pause */
	double on_ns;
	double bucket_ns; /* CPU time in the bucket; below 0: too much was spent */
	uint64_t begin_ns, last_ns;
	struct governor_spent spent;
	unsigned cpus;
	/* up_ns: time of the last step forward. down_ns: time of the last step back. 0: none. */
	uint64_t up_ns, down_ns;
	uint64_t rate_ns;
	/* since this time the cost is low enough for a step back; 0: it is too high */
	uint64_t calm_ns;
	uint64_t pause_ns;
	uint64_t cap_ns; /* groups are capped since this time; 0: no group is capped */
	uint64_t uncap_ns;
	/* Set by the caller before each tick: the part (0 to 1) of all records that the largest
	 * group makes. 0: the largest group cannot be capped. */
	double share;
	/* set by the caller before each tick: this kernel can do CT_SHED_COARSE */
	bool coarse;
	/* Set by the caller before each tick. CT_SHED_COARSE does not record short waits. back_ppm
	 * is the share of the machine's CPU time that the short waits would cost in CT_SHED_HOOKS,
	 * which records them. */
	double back_ppm;
	unsigned patience; /* a step back needs a low cost for a time; the time is multiplied by this */
};

enum governor_act {
	GOVERNOR_STAY,
	/* governor.step or governor.blind has changed: apply it, then call governor_stepped() */
	GOVERNOR_STEP,
	GOVERNOR_PAUSE,
	GOVERNOR_RESUME, /* start the capture, then call governor_resumed() */
	GOVERNOR_CAP,
	GOVERNOR_UNCAP, /* end the caps of all groups, then call governor_uncapped() */
};

/* now_ns: not 0, of a clock that stands still while the machine is suspended. cpus: CPUs
 * on-line. */
void governor_init(struct governor *g, uint32_t budget_ppm, uint64_t now_ns,
		   const struct governor_spent *spent, unsigned cpus);
/* Sets the budget, fills the bucket, and sets patience to 1. Without a budget (0), each tick leaves
 * out less, until all is recorded. */
void governor_budget(struct governor *g, uint32_t budget_ppm);
/* Returns the next action of the caller, at most once in GOVERNOR_TICK_NS; in between, returns
 * GOVERNOR_STAY. now_ns and cpus are as for governor_init(). */
enum governor_act governor_tick(struct governor *g, uint64_t now_ns, const struct governor_spent *spent,
				unsigned cpus);
/* Call this after a step. The CPU time since the last tick is the cost of the change, and says
 * nothing about the new step. */
void governor_stepped(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* Call this when the capture has started again. The CPU time since the last tick is the cost of the
 * start. */
void governor_resumed(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* Call this when no group is capped any more. took_ns: how long it took to end the caps. */
void governor_uncapped(struct governor *g, uint64_t now_ns, uint64_t took_ns);

#endif
