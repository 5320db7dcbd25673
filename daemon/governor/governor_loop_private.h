/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor_loop_private.h - what governor_loop.c (steps, pauses) and governor_loop_caps.c (caps) share. */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_PRIVATE_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_PRIVATE_H

#include "daemon/governor/governor_loop.h"

struct governor_loop {
	struct governor_loop_options opt;
	struct governor governor;
	struct caps caps;
	struct groups groups;
	struct governor_loop_stats stats;
	enum ct_shed told; /* the step that the programs and the trace know of */
	uint64_t told_ns;  /* when it was written last */
	uint64_t gap_ns;   /* paused since, and not written yet */
	unsigned cpus;
	uint64_t cpus_ns;
	/* for bpf_percent */
	uint64_t bpf_ns, bpf_at_ns, bpf_now_ns;
	/* what was said last: not each step of a long storm is worth a line */
	enum ct_shed said;
	uint64_t broken_ns; /* what had been detached could not be attached then; 0: all is as it should be */

	/* groups that are capped, and what probe_left_out() said when the first one was */
	struct {
		uint64_t group, since_ns;
	} grouped[GOVERN_GROUPS];
	uint64_t passed_ns;                /* what probe_passed_ns() said last */
	uint64_t left_out, left_out_apart; /* apart: of tasks with caps of their own, since then */
	/* when the caps of groups ended last: their tasks are looked for once more after that; 0: they were
	 */
	uint64_t over_ns;
	uint64_t over_since; /* since when those were capped */
	bool capping;        /* the programs look whether tasks are capped */
	uint64_t said_group, said_group_ns;
};

/* The governor's: does not go on while the machine is suspended. */
uint64_t governor_loop_clock(void);
/* A CT_SHED with its time, flags and tasks set. */
void governor_loop_record(struct governor_loop *g, struct ct_rec *rec, uint64_t since_ns);

/* What part of the records the group makes that can be capped and makes most; 0: there is none. */
double governor_loop_share(const struct governor_loop *g);
/* Caps that group. */
void governor_loop_cap_group(struct governor_loop *g);
/* Ends the caps of all groups. */
void governor_loop_uncap_groups(struct governor_loop *g);
/* Once each time round: tasks that make too many records. */
void governor_loop_caps_round(struct governor_loop *g);
/* Ends all caps. */
void governor_loop_caps_end(struct governor_loop *g);
/* The same, when the programs record nothing any more: nobody is left capped by one that was running. */
void governor_loop_caps_over(struct governor_loop *g);

#endif
