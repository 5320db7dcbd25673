/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_loop.h - the governor at work: measures the cost of the tracer, carries out what governor.h and
 * governor_caps.h decide, and writes the decisions into the trace. Drain thread only.
 *
 * In a coarse step (from CT_SHED_COARSE on) all tasks are read about twice a second. The readings tell which
 * tasks wait for long, and how much CPU time the other tasks had.
 *
 * A pause begins in this order:
 * - a flag ends the capture on all CPUs at one moment;
 * - the file segment is sealed;
 * - the programs are detached.
 *
 * A pause ends in this order:
 * - the programs are attached;
 * - the flag allows the capture;
 * - a CT_GAP is written, which says from when to when nothing was recorded;
 * - the states of all tasks are read;
 * - the file segment is sealed.
 *
 * So the gap lies between two known moments. The next file segment has the states as its checkpoint, and
 * readers go on from there. During a pause only governor_loop_settle() seals. So if the daemon is killed
 * during a pause, the gap in the trace begins with the pause.
 *
 * The cap of a group ends in this order:
 * - the daemon clears the bits of the group's tasks (bpf/caps.h);
 * - for each of these tasks, the daemon writes the state in which the iterator finds the task;
 * - a program that was still running may have set further bits, so after CAPS_OVER_NS the daemon does the
 *   first two steps again for these bits.
 *
 * Two records say that the cap of a task begins and ends. In between, readers do not know what the task does.
 * Readers match messages by counting bytes. So at a cap readers also forget the messages that are on their
 * way to and from the process of the task.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/governor/governor.h"
#include "daemon/governor/governor_caps.h"
#include "daemon/governor/governor_groups.h"
#include "daemon/governor/governor_most.h"
#include "daemon/kernel/probe.h"
#include "daemon/record/recorder.h"

struct governor_loop;

/* CPU time that threads have used so far. */
struct governor_loop_threads {
	uint64_t inspect_ns;
	uint64_t aside_ns; /* time of the threads that handle requests; the budget does not count it */
};

struct governor_loop_options {
	uint32_t budget_ppm; /* 0: no governor */
	uint32_t task_cap;   /* records that one task may make in a second; 0: no limit */
	struct probe *probe;
	struct recorder *recorder;
	/* Empties the rings into the recorder. */
	void (*empty)(void *arg);
	/* Reads the states of all tasks from the kernel. Returns 0 or -errno. */
	int (*resync)(void *arg, uint64_t now_ns);
	/* Reads all tasks, and writes a CT_FOUND for each task that has changed since the last reading, or,
	 * if `all` is true, for every task. Returns 0 or -errno. */
	int (*read)(void *arg, uint64_t now_ns, bool all);
	void (*threads)(void *arg, struct governor_loop_threads *ret);
	void *arg;
};

struct governor_loop_stats {
	uint32_t budget_ppm;
	enum ct_shed step;
	bool paused;
	bool blind;          /* inspections are stopped */
	uint64_t since_ns;   /* start of the step, boot time */
	double cost_percent; /* % of the machine's CPU time, over the last seconds */
	double bpf_percent;  /* part of cost_percent: the BPF programs */
	/* part of cost_percent that the budget does not count: see governor_spent.passed_ns */
	double passed_percent;
	/* CPU time so far: of the tracer without the threads that handle requests, and of the BPF programs
	 * alone */
	uint64_t spent_ns, bpf_ns;
	uint64_t changes;           /* steps forward and back, and changes of blind */
	uint64_t pauses, paused_ns; /* number of pauses since the start, and their total length */
	/* capped: caps of tasks so far. left_out: records that caps of tasks and of groups left out. */
	uint64_t capped, left_out;
	uint64_t caps_refused;
	uint64_t group_caps; /* caps of groups so far; group[] has the groups that are capped now */
	uint64_t group[GOVERN_GROUPS];
	unsigned n_groups;
	/* The task or the group that makes the most records. In a coarse step, in a pause and while a group
	 * is capped, this member keeps its value. */
	struct most most;
};

/* Makes the governor. Copies opt. Returns 0 or -ENOMEM. */
int governor_loop_new(const struct governor_loop_options *opt, struct governor_loop **ret);
/* Writes nothing into the trace. Accepts NULL. */
void governor_loop_free(struct governor_loop *g);

/* The counts for caps_note(). The caller passes every record to caps_note(). Borrowed from g. */
struct caps *governor_loop_caps(struct governor_loop *g);
/* The counts for groups_add(). The caller passes to groups_add() the groups of the tasks of each record for
 * which caps_note() returned true, and the group of each CT_TASK blob. Borrowed from g. */
struct groups *governor_loop_groups(struct governor_loop *g);
/* Changes the budget from now on. Returns the earlier budget. */
uint32_t governor_loop_budget(struct governor_loop *g, uint32_t budget_ppm);
/* False: no task is inspected now. */
bool governor_loop_inspects(const struct governor_loop *g);
/* True: the capture is paused. Then only governor_loop_settle() may seal a file segment. */
bool governor_loop_paused(const struct governor_loop *g);
/* To be called once in each round of the drain thread, after it has emptied the rings. */
void governor_loop_round(struct governor_loop *g);
/* To be called before another thread reads the trace, and before the trace ends. Writes what a later round
 * would write. If the capture is paused, it stays paused. */
void governor_loop_settle(struct governor_loop *g);
struct governor_loop_stats governor_loop_stats(const struct governor_loop *g);

#endif
