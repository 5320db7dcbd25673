/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_loop.h - the governor at work: measures the cost of the tracer, carries out what
 * governor.h and governor_caps.h decide, and writes the decisions into the trace. Drain thread
 * only.
 *
 * In a coarse step, all tasks are read about twice a second, or less often if there are very many.
 * These readings show which tasks wait for long, and how much CPU time the other tasks had.
 *
 * A pause begins in this order: all caps end; a flag ends the capture on all CPUs at one moment;
 * the file segment is sealed; the programs are detached.
 *
 * A pause ends in this order: the programs are attached; the flag allows the capture; a CT_GAP says
 * from when to when nothing was recorded; the states of all tasks are read; the file segment is
 * sealed.
 *
 * During a pause only governor_loop_settle() seals a file segment, and it writes the gap up to now
 * first. So no file segment hides the gap if the daemon is killed.
 *
 * To end the cap of a group, the daemon clears the bits of its tasks (bpf/caps.h), and writes the
 * present state of each task. After CAPS_OVER_NS, the daemon does both again, because a running
 * program may have set further bits.
 *
 * A CT_SHED record says that the cap of a task begins, and another one that it ends. For a new child
 * in a capped group, only the end is recorded. While a task is capped, readers know only its long
 * waits. Readers match messages by counting bytes. So when a cap begins or ends, they forget the
 * unread messages from and to the task's process.
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

struct governor_loop_threads {
	uint64_t inspect_ns;
	/* CPU time that the budget does not count: all CPU time of the threads `worker` and
	 * `names`, and the CPU time that other threads spend on requests of clients */
	uint64_t aside_ns;
};

struct governor_loop_options {
	uint32_t budget_ppm;
	uint32_t task_cap;
	struct probe *probe;
	struct recorder *recorder;
	void (*empty)(void *arg);
	/* Reads the states of all tasks from the kernel. Returns 0 or -errno. */
	int (*resync)(void *arg, uint64_t now_ns);
	/* Reads all tasks, and writes a CT_FOUND for each changed task, or for every task if `all`
	 * is set. Returns 0 or -errno. */
	int (*read)(void *arg, uint64_t now_ns, bool all);
	void (*threads)(void *arg, struct governor_loop_threads *ret);
	void *arg;
};

struct governor_loop_stats {
	uint32_t budget_ppm;
	enum ct_shed step;
	bool paused;
	bool blind;
	uint64_t since_ns;
	double cost_percent; /* percent of the machine's CPU time, averaged over the last seconds */
	double bpf_percent;  /* CPU time of the BPF programs alone */
	/* the part of cost_percent that the budget does not count (governor_spent.passed_ns) */
	double passed_percent;
	/* CPU time so far. spent_ns: without governor_loop_threads.aside_ns. bpf_ns: of the BPF
	 * programs. */
	uint64_t spent_ns, bpf_ns;
	/* steps forward and back, and stops and restarts of inspections */
	uint64_t changes;
	uint64_t pauses, paused_ns;
	/* capped: how often a single task was capped. left_out: how many records were left out so
	 * far because their task or its group was capped. */
	uint64_t capped, left_out;
	uint64_t caps_refused;
	/* group_caps: caps of groups so far. group: the groups that are capped now. */
	uint64_t group_caps;
	uint64_t group[GOVERN_GROUPS];
	unsigned n_groups;
	/* does not change in a coarse step, in a pause, or while a group is capped */
	struct most most;
};

int governor_loop_new(const struct governor_loop_options *opt, struct governor_loop **ret);
void governor_loop_free(struct governor_loop *g);

/* The counts for caps_note(), to which the caller passes every record. Borrowed from g. */
struct caps *governor_loop_caps(struct governor_loop *g);
/* The counts for groups_add(). The caller adds the groups of each record for which caps_note()
 * returned true, and of each CT_TASK blob. Borrowed from g. */
struct groups *governor_loop_groups(struct governor_loop *g);
uint32_t governor_loop_budget(struct governor_loop *g, uint32_t budget_ppm);
bool governor_loop_inspects(const struct governor_loop *g);
/* During a pause, only governor_loop_settle() may seal a file segment. */
bool governor_loop_paused(const struct governor_loop *g);
/* Call this in each round of the drain thread, after the rings have been emptied. */
void governor_loop_round(struct governor_loop *g);
/*
 * Call this before another thread reads the trace, and before the trace ends. Ends the caps of all
 * tasks and groups, but not a pause. Then writes:
 * - in a pause: the gap up to now
 * - in a coarse step without a pause: the states of the tasks that ran, or changed their state
 * - the step in force, unless nothing is left out
 */
void governor_loop_settle(struct governor_loop *g);
struct governor_loop_stats governor_loop_stats(const struct governor_loop *g);

#endif
