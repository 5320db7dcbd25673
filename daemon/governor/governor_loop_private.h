/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor_loop_private.h - for governor_loop.c (steps, pauses) and governor_loop_caps.c (caps). */
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
	uint64_t told_ns;
	/* in a pause: the time up to which its gap is written; 0: no pause */
	uint64_t gap_ns;
	unsigned cpus;
	uint64_t cpus_ns;
	/* For stats.bpf_percent. bpf_ns: the CPU time of the BPF programs up to the time bpf_at_ns.
	 * bpf_now_ns: their CPU time up to the last reading. */
	uint64_t bpf_ns, bpf_at_ns, bpf_now_ns;
	/* The step of the last message. The next message comes at a step beyond this one, or when
	 * everything is recorded again. */
	enum ct_shed said;
	uint64_t read_ns;
	uint64_t back_ns;
	double back_ppm;
	uint64_t broken_ns; /* when the last attach of programs failed; 0: it did not fail */

	struct {
		uint64_t group, since_ns;
	} grouped[GOVERN_GROUPS];
	uint64_t passed_ns, short_ns;
	/* left_out: probe_left_out() at the time when grouped[0] was capped. left_out_apart:
	 * records that caps of single tasks have left out since that time. */
	uint64_t left_out, left_out_apart;
	/* When the caps of groups last ended: they all end together. CAPS_OVER_NS later, the daemon
	 * looks for tasks that are still capped. If this fails, over_ns becomes the time of the
	 * failure, and the daemon looks again. 0: it need not look. */
	uint64_t over_ns;
	uint64_t over_since; /* when the first of these groups was capped */
	bool capping;        /* the programs check whether tasks are capped */
	uint64_t said_group, said_group_ns;
	/* Up to this time, records were left out, so the counts of tasks and groups are too low. */
	uint64_t uncounted_ns;
};

/* ns of a clock that stands still while the machine is suspended */
uint64_t governor_loop_clock(void);
/* Writes rec as a CT_SHED: fills in kind and state. since_ns: when the step or the cap began. */
void governor_loop_record(struct governor_loop *g, struct ct_rec *rec, uint64_t since_ns);

/* Returns the part (0 to 1) of all records that the largest group makes. 0: none can be capped. */
double governor_loop_share(const struct governor_loop *g);
void governor_loop_cap_group(struct governor_loop *g);
void governor_loop_uncap_groups(struct governor_loop *g);
/* Caps the tasks that reach opt.task_cap records in a second. Ends these caps when the second is
 * over. Call this in each round, except in a pause. */
void governor_loop_caps_round(struct governor_loop *g);
/* Sets stats.most, the task or group with the most records. Does nothing if records were left out in
 * the last second that was counted. */
void governor_loop_most(struct governor_loop *g);
void governor_loop_caps_end(struct governor_loop *g);
/* Call this after governor_loop_caps_end() and probe_pause(). A BPF program that was running may have
 * capped a task between these two calls. Ends such caps. */
void governor_loop_caps_over(struct governor_loop *g);

#endif
