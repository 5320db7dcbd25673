/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor.h - decides which records to leave out, so that tracing costs no more than its budget. Pure: the
 * caller passes the time and the CPU time spent, and carries out what the governor decides. One thread.
 *
 * The budget is a bucket of CPU time. The bucket fills at the rate of the budget, up to a limit: the CPU
 * time that may be spent at once. The governor acts if the bucket is empty and tracing spends more than the
 * bucket gains:
 *
 * - If the capture alone costs well below the budget (GOVERNOR_CAPTURE), the governor stops the inspections,
 *   because they cause the rest of the cost.
 * - Otherwise the governor takes the next step: CT_SHED_HOOKS, then CT_SHED_COARSE. In both steps every wait
 *   of CT_COARSE_NS or more is still recorded, with its reason and its end.
 * - From the step CT_SHED_COARSE on, if one group of tasks makes a large part of the records
 *   (GOVERNOR_SHARE), the governor caps this group: it leaves out the group's records for a while. So in a
 *   storm of forks, only the group that makes the storm loses records.
 * - In the last step, CT_SHED_PAUSES, the governor pauses the capture, until the bucket holds enough to
 *   record for a while.
 *
 * A kernel may not be able to do the step CT_SHED_COARSE. Then CT_SHED_HOOKS is the last step, in which the
 * governor caps groups and pauses the capture.
 *
 * The governor takes a step back after the cost was well below the budget for a while. If a step forward soon
 * follows, the governor waits longer before the next step back. The governor also takes a step back from
 * CT_SHED_PAUSES if no pause was needed for a while (GOVERNOR_NO_PAUSE_NS).
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* CPU time that the tracer has used so far. */
struct governor_spent {
	/* for recording: the BPF programs, and the daemon without its threads for inspections and
	 * requests */
	uint64_t capture_ns;
	uint64_t other_ns; /* for inspections */
	/* part of capture_ns: what the BPF programs need to leave out the events of tasks in capped groups,
	 * and, in a coarse step, short waits */
	uint64_t passed_ns;
};

struct governor {
	/* part of the CPU time of the whole machine that tracing may cost; 0: the governor never
	 * leaves out a record */
	uint32_t budget_ppm;
	enum ct_shed step;
	bool blind; /* inspections are stopped */
	bool paused;
	double cost_ppm;   /* CPU time spent, over the last seconds */
	double passed_ppm; /* part of cost_ppm that the budget does not count: see GOVERNOR_PASSED_PPM */
	/* rate_ppm: CPU time that the budget counts, averaged since rate_ns, over GOVERNOR_RATE_NS at most.
	 * capture_ppm: the part of rate_ppm for recording, without inspections. */
	double rate_ppm, capture_ppm;
	double on_ns;     /* CPU time to start the capture, in addition to the cost of running it */
	double bucket_ns; /* CPU time in the bucket; below 0: overspent */
	uint64_t begin_ns, last_ns;
	struct governor_spent spent;
	unsigned cpus;
	/* the time of the last step forward, and of the last step back; 0: there was none */
	uint64_t up_ns, down_ns;
	uint64_t rate_ns;  /* rate_ppm is measured since this time */
	uint64_t calm_ns;  /* the cost is low enough for a step back since this time; 0: too high */
	uint64_t pause_ns; /* the time of the last pause or resume */
	uint64_t cap_ns;   /* groups are capped since this time; 0: no group is capped */
	uint64_t uncap_ns; /* how long it took to end the last cap; a group may have many tasks */
	/* Set by the caller before each tick: the part (0 to 1) of all records that the group with the most
	 * records makes. 0: this group may not be capped. */
	double share;
	/* Set by the caller before each tick. coarse: this kernel can do the step CT_SHED_COARSE. back_ppm:
	 * in the step CT_SHED_COARSE, what the capture would cost in the step CT_SHED_HOOKS. */
	bool coarse;
	double back_ppm;
	unsigned patience; /* the time of low cost before a step back is multiplied by this */
};

enum governor_act {
	GOVERNOR_STAY,
	GOVERNOR_STEP,   /* g->step or g->blind has changed; the caller then calls governor_stepped() */
	GOVERNOR_PAUSE,  /* the caller stops the capture */
	GOVERNOR_RESUME, /* the caller starts the capture, then calls governor_resumed() */
	GOVERNOR_CAP,    /* the caller leaves out the records of the group of `share` */
	GOVERNOR_UNCAP,  /* the caller records all groups again, then calls governor_uncapped() */
};

/* now_ns: not 0, from a clock that stands still while the machine is suspended. cpus: the number of CPUs
 * that are on-line. */
void governor_init(struct governor *g, uint32_t budget_ppm, uint64_t now_ns,
		   const struct governor_spent *spent, unsigned cpus);
/* Changes the budget, fills the bucket, and resets patience. With budget_ppm 0, each of the next ticks takes
 * back one thing that is left out. */
void governor_budget(struct governor *g, uint32_t budget_ppm);
/* Decides what the caller has to do next. Does nothing before GOVERNOR_TICK_NS have passed since the last
 * tick. Parameters as for governor_init(). */
enum governor_act governor_tick(struct governor *g, uint64_t now_ns, const struct governor_spent *spent,
				unsigned cpus);
/* To be called when a step has been carried out. The CPU time spent since the last tick is the cost of the
 * change, and says nothing about the cost of the step. */
void governor_stepped(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* To be called when the capture has started again. The CPU time spent since the last tick is the
 * cost of the start. */
void governor_resumed(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* To be called when no group is capped any more. took_ns: how long it took to end the caps. */
void governor_uncapped(struct governor *g, uint64_t now_ns, uint64_t took_ns);

#endif
