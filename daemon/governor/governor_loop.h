/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_loop.h - the governor at work: measures what the tracer costs, does what
 * governor.h and governor_caps.h decide, and writes it into the trace.  Drain
 * thread only.
 *
 * A pause ends with a CT_GAP that says from when to when nothing was recorded, and
 * with the states of all tasks read anew; the segment that begins then has them
 * as its checkpoint, where readers take up again.
 *
 * A pause begins in this order: a flag ends the capture on all CPUs at one moment, the segment is sealed, the
 * programs are detached.  It ends in this order: the programs are attached, the flag allows the capture, the
 * states of all tasks are read, the gap is written, the segment is sealed.  So the gap lies between two known
 * moments.  In between only governing_settle() seals: after kill -9 the hole in the trace begins with the
 * pause.
 *
 * A cap of a group ends in this order: the daemon clears the bits of its tasks (bpf/caps.h), looks again
 * after 20 ms for bits that a program has set meanwhile, and writes the state of each task as the iterator
 * finds it. Between the two records of a task's cap readers believe nothing of it, and they forget the
 * messages under way of its process, since bytes are matched by counting.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/governor/governor.h"
#include "daemon/governor/governor_caps.h"
#include "daemon/governor/governor_groups.h"
#include "daemon/kernel/probe.h"
#include "daemon/record/recorder.h"

struct governor_loop;

/* CPU time of threads by now. */
struct governor_loop_threads {
	uint64_t inspect_ns;
	uint64_t aside_ns; /* of those that do what somebody asked for: the budget is not about that */
};

struct governor_loop_options {
	uint32_t budget_ppm; /* 0: no governor */
	uint32_t task_cap;   /* records a second of one task; 0: no limit */
	struct probe *probe;
	struct recorder *recorder;
	/* Empties the rings into the recorder. */
	void (*empty)(void *arg);
	/* Takes the state of all tasks from the kernel; 0 or -errno. */
	int (*resync)(void *arg, uint64_t now_ns);
	void (*threads)(void *arg, struct governor_loop_threads *ret);
	void *arg;
};

struct governor_loop_stats {
	enum ct_shed step;
	bool paused;
	uint64_t since_ns;          /* of the step, boot time */
	double cost_percent;        /* of the machine, over the last seconds */
	double bpf_percent;         /* of that: the programs */
	double passed_percent;      /* of that: what the tasks of capped groups pay themselves */
	uint64_t spent_ns, bpf_ns;  /* the same in all, since the programs were loaded */
	uint64_t changes;           /* steps taken, up and down */
	uint64_t pauses, paused_ns; /* in all */
	uint64_t capped, left_out; /* caps of tasks so far; records that these and those of groups left out */
	uint64_t caps_refused;
	uint64_t group_caps; /* caps of groups so far, and the groups that are capped now */
	uint64_t group[GOVERN_GROUPS];
	unsigned n_groups;
};

int governor_loop_new(const struct governor_loop_options *opt, struct governor_loop **ret);
/* Writes nothing more.  Accepts NULL. */
void governor_loop_free(struct governor_loop *g);

/* For caps_note(), which is to get every record. */
struct caps *governor_loop_caps(struct governor_loop *g);
/* For groups_add(), which is to get the tasks of those records that caps_note() looks at. */
struct groups *governor_loop_groups(struct governor_loop *g);
/* Whether a step is in force. */
bool governor_loop_sheds(const struct governor_loop *g, enum ct_shed step);
/* While this is true nothing is to be sealed, but by governor_loop_settle(). */
bool governor_loop_paused(const struct governor_loop *g);
/* Once each time round, after the rings were emptied. */
void governor_loop_round(struct governor_loop *g);
/* Before the trace is read or ends: writes what a later round would.  The capture stays as it is. */
void governor_loop_settle(struct governor_loop *g);
struct governor_loop_stats governor_loop_stats(const struct governor_loop *g);

#endif
