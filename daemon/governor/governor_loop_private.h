/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor_loop_private.h - the declarations that governor_loop.c (steps, pauses) and
 * governor_loop_caps.c (caps) share. */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_PRIVATE_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_PRIVATE_H

#include "daemon/governor/governor_loop.h"

struct governor_loop {
	struct governor_loop_options opt;
	struct governor governor;
	struct caps caps;
	struct groups groups;
	struct governor_loop_stats stats;
	enum ct_shed told; /* the step that is in force in the programs and in the trace */
	uint64_t told_ns;  /* when the step was last written into the trace */
	/* start of the time in the present pause for which no gap is written yet; 0: there is no
	 * pause */
	uint64_t gap_ns;
	unsigned cpus;
	uint64_t cpus_ns;
	/* For bpf_percent of the statistics. bpf_ns: the CPU time of the programs at the time
	 * bpf_at_ns. bpf_now_ns: the CPU time of the programs now. */
	uint64_t bpf_ns, bpf_at_ns, bpf_now_ns;
	/* The step that the last message names. Because of this member, a long storm does not get a
	 * message for each change of the step. */
	enum ct_shed said;
	uint64_t read_ns; /* in a coarse step: the time of the next reading of all tasks */
	uint64_t back_ns; /* the last result of probe_whole_cost_ns() */
	double back_ppm;
	uint64_t broken_ns; /* when the last attach of detached programs failed; 0: it did not
			       fail */

	/* The groups that are capped. */
	struct {
		uint64_t group, since_ns;
	} grouped[GOVERN_GROUPS];
	uint64_t passed_ns, short_ns; /* the last results of probe_passed_ns() and probe_short_ns() */
	/* left_out: the result of probe_left_out() when the first group was capped. left_out_apart:
	 * how many records the caps of single tasks have left out since then. */
	uint64_t left_out, left_out_apart;
	/* When the caps of groups last ended. CAPS_OVER_NS later the daemon looks once more for
	 * tasks that are still capped. 0: the daemon need not look. */
	uint64_t over_ns;
	uint64_t over_since; /* of the caps that ended at over_ns: when the first one began */
	bool capping;        /* true: the programs check whether tasks are capped */
	uint64_t said_group, said_group_ns;
	/* Up to this time, records of some tasks were left out. So counts from before this time are
	 * too low. */
	uint64_t uncounted_ns;
};

/* Returns the time of the governor's clock in nanoseconds. This clock stands still while the
 * machine is suspended. */
uint64_t governor_loop_clock(void);
/* Writes rec as a CT_SHED: fills in kind and state. The caller has set all other members of rec.
 * since_ns: when the step or the cap began that rec is about. */
void governor_loop_record(struct governor_loop *g, struct ct_rec *rec, uint64_t since_ns);

/* Finds the group that makes the most records. Returns the part (0 to 1) of all records that this
 * group makes, or 0 if there is no such group or this group cannot be capped. */
double governor_loop_share(const struct governor_loop *g);
/* Caps the group that governor_loop_share() finds. */
void governor_loop_cap_group(struct governor_loop *g);
/* Ends the caps of all groups. */
void governor_loop_uncap_groups(struct governor_loop *g);
/* Caps the tasks that make more records in a second than governor_loop_options.task_cap, and ends
 * caps that are over. Called once in each round, except in a pause. */
void governor_loop_caps_round(struct governor_loop *g);
/* Finds the task or the group that makes the most records, and sets stats.most. Does nothing if
 * records were left out in the second that was counted. */
void governor_loop_most(struct governor_loop *g);
/* Ends the caps of all tasks and of all groups. */
void governor_loop_caps_end(struct governor_loop *g);
/* Ends the caps that are left after the programs have stopped recording. A program that was still
 * running may have capped a task after governor_loop_caps_end(). */
void governor_loop_caps_over(struct governor_loop *g);

#endif
