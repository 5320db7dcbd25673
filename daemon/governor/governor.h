/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor.h - decides which records to leave out, so that tracing costs no more than its budget.
 * Pure: the caller passes the time and the CPU time spent, and carries out what the governor
 * decides. Only one thread at a time.
 *
 * The budget is a bucket of CPU time. The bucket fills at the rate of the budget, up to a limit:
 * the CPU time that may be spent at once. The governor acts if the bucket is empty and tracing
 * spends more than the bucket gains:
 *
 * - If the capture alone costs well below the budget (GOVERNOR_CAPTURE), the governor stops the
 *   inspections, because the inspections cause the rest of the cost.
 * - Otherwise the governor takes the next step: CT_SHED_HOOKS, then CT_SHED_COARSE. In both steps
 *   every wait of CT_COARSE_NS or more is still recorded, with its reason and its end.
 * - From the step CT_SHED_COARSE on, if one group of tasks makes a large part of the records
 *   (GOVERNOR_SHARE), the governor caps this group: for a while, it leaves out records that are
 *   only about tasks of this group. So in a storm of forks, only the group that makes the storm
 *   loses records.
 * - In the last step, CT_SHED_PAUSES, the governor pauses the capture. The pause lasts until the
 *   bucket holds enough to record for a while, but at most GOVERNOR_OFF_MAX_NS.
 *
 * Some kernels cannot do the step CT_SHED_COARSE. On such a kernel CT_SHED_HOOKS is the last step,
 * in which the governor caps groups and pauses the capture.
 *
 * The governor takes a step back after the cost was well below the budget for a while. If a step
 * forward soon follows, the governor waits longer before the next step back. The governor also
 * takes a step back from CT_SHED_PAUSES if no pause was needed for a while (GOVERNOR_NO_PAUSE_NS).
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

/* CPU time that the tracer has used so far. */
struct governor_spent {
	/* for recording: the BPF programs, and the daemon without inspections and without the CPU
	 * time that the budget does not count (governor_loop_threads.aside_ns) */
	uint64_t capture_ns;
	uint64_t other_ns; /* for inspections */
	/* part of capture_ns: the time that the BPF programs spend to leave out short waits (in a
	 * coarse step) and events of capped tasks (while a group is capped) */
	uint64_t passed_ns;
};

struct governor {
	/* the share of the machine's CPU time that tracing may take; 0: the governor leaves out no
	 * record */
	uint32_t budget_ppm;
	enum ct_shed step;
	bool blind; /* inspections are stopped */
	bool paused;
	/* share of the machine's CPU time that tracing takes, averaged over GOVERNOR_COST_NS */
	double cost_ppm;
	/* the part of cost_ppm that the budget does not count (GOVERNOR_PASSED_PPM) */
	double passed_ppm;
	/* rate_ppm: the cost that the budget counts, averaged since rate_ns, but over at most
	 * GOVERNOR_RATE_NS. capture_ppm: the part of rate_ppm for recording, without
	 * inspections. */
	double rate_ppm, capture_ppm;
	/* CPU time that the start of the capture needs after a pause, in addition to the cost of
	 * recording */
	double on_ns;
	double bucket_ns; /* CPU time in the bucket; below 0: more was spent than the budget allows */
	uint64_t begin_ns, last_ns;
	struct governor_spent spent;
	unsigned cpus;
	/* the time of the last step forward, and of the last step back; 0: there was none */
	uint64_t up_ns, down_ns;
	uint64_t rate_ns; /* rate_ppm is measured since this time */
	/* since this time the cost is low enough for a step back; 0: it is too high */
	uint64_t calm_ns;
	uint64_t pause_ns; /* the time of the last pause or resume */
	uint64_t cap_ns;   /* since this time groups are capped; 0: no group is capped */
	/* how long it took to end the last caps of groups; a group may have many tasks */
	uint64_t uncap_ns;
	/* The caller sets this member before each tick: the part (0 to 1) of all records that the
	 * group with the most records makes. 0: the governor cannot cap this group. */
	double share;
	/* The caller sets these two members before each tick. coarse: this kernel can do the step
	 * CT_SHED_COARSE. back_ppm: in the step CT_SHED_COARSE, the cost that the capture would
	 * have in the step CT_SHED_HOOKS. */
	bool coarse;
	double back_ppm;
	unsigned patience; /* factor for the time of low cost that is needed before a step back */
};

enum governor_act {
	GOVERNOR_STAY,
	GOVERNOR_STEP,   /* g->step or g->blind has changed; the caller then calls governor_stepped() */
	GOVERNOR_PAUSE,  /* the caller stops the capture */
	GOVERNOR_RESUME, /* the caller starts the capture, then calls governor_resumed() */
	GOVERNOR_CAP,    /* the caller caps the group that `share` is about */
	GOVERNOR_UNCAP,  /* the caller ends the caps of all groups, then calls governor_uncapped() */
};

/* now_ns is not 0, and comes from a clock that stands still while the machine is suspended. cpus:
 * the number of CPUs that are on-line. */
void governor_init(struct governor *g, uint32_t budget_ppm, uint64_t now_ns,
		   const struct governor_spent *spent, unsigned cpus);
/* Changes the budget, fills the bucket, and sets patience to 1. If budget_ppm is 0, the governor
 * leaves out less at each of the next ticks, until all is recorded. */
void governor_budget(struct governor *g, uint32_t budget_ppm);
/* Decides what the caller has to do next. Does nothing before GOVERNOR_TICK_NS have passed since
 * the last tick. now_ns and cpus are as for governor_init(). */
enum governor_act governor_tick(struct governor *g, uint64_t now_ns, const struct governor_spent *spent,
				unsigned cpus);
/* The caller calls this function when it has carried out a step. The CPU time spent since the last
 * tick is the cost of the change, and says nothing about the cost of recording in the new step. */
void governor_stepped(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* The caller calls this function when the capture has started again. The CPU time spent since the
 * last tick is the cost of the start. */
void governor_resumed(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* The caller calls this function when no group is capped any more. took_ns: how long it took to end
 * the caps. */
void governor_uncapped(struct governor *g, uint64_t now_ns, uint64_t took_ns);

#endif
