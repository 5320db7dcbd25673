/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_loop.h - the governor at work: measures the cost of the tracer, carries out what
 * governor.h and governor_caps.h decide, and writes the decisions into the trace. Drain thread
 * only.
 *
 * In a coarse step (CT_SHED_COARSE or CT_SHED_PAUSES) all tasks are read about twice a second, or
 * less often if there are very many tasks. These readings show which tasks wait for long, and how
 * much CPU time the other tasks had.
 *
 * A pause begins in this order:
 * - the caps of all tasks and groups end;
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
 * So the gap lies between two known moments. The next file segment has the states as its
 * checkpoint, and readers go on from there. During a pause only governor_loop_settle() seals a file
 * segment, and it writes the gap up to now first. So if the daemon is killed during a pause, no
 * file segment hides the gap.
 *
 * The cap of a group ends in this order:
 * - the daemon clears the bits of the group's tasks (bpf/caps.h);
 * - for each of these tasks, the daemon writes the state in which the iterator finds the task;
 * - a program that was still running may have set further bits, so after CAPS_OVER_NS the daemon
 *   does the first two steps again for these bits.
 *
 * One CT_SHED record says that the cap of a task begins, and another one that it ends. In between,
 * readers know only the long waits of the task. Readers match messages by counting bytes, and
 * during the cap they do not know all bytes. So when the cap begins, and when it ends, readers also
 * forget the messages that are on their way to and from the process of the task.
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
	/* CPU time that the budget does not count: of requests of clients, and of the threads
	 * *worker* and *names* */
	uint64_t aside_ns;
};

struct governor_loop_options {
	uint32_t budget_ppm; /* 0: no budget */
	uint32_t task_cap;   /* records that one task may make in a second; 0: no limit */
	struct probe *probe;
	struct recorder *recorder;
	/* Empties the rings into the recorder. */
	void (*empty)(void *arg);
	/* Reads the states of all tasks from the kernel. Returns 0 or -errno. */
	int (*resync)(void *arg, uint64_t now_ns);
	/* Reads all tasks. If `all` is true, writes a CT_FOUND for every task, else only for each
	 * task that has changed since the last reading. Returns 0 or -errno. */
	int (*read)(void *arg, uint64_t now_ns, bool all);
	void (*threads)(void *arg, struct governor_loop_threads *ret);
	void *arg;
};

struct governor_loop_stats {
	uint32_t budget_ppm;
	enum ct_shed step;
	bool paused;
	bool blind;          /* inspections are stopped */
	uint64_t since_ns;   /* when the step began, boot time */
	double cost_percent; /* percent of the machine's CPU time, averaged over the last seconds */
	double bpf_percent;  /* percent of the machine's CPU time that the BPF programs take;
				computed every GOVERNOR_BPF_NS */
	/* the part of cost_percent that the budget does not count; see governor_spent.passed_ns */
	double passed_percent;
	/* CPU time so far. spent_ns: of the tracer, without governor_loop_threads.aside_ns. bpf_ns:
	 * of the BPF programs alone. */
	uint64_t spent_ns, bpf_ns;
	/* number of steps forward and back, and of stops and restarts of inspections */
	uint64_t changes;
	uint64_t pauses, paused_ns; /* number of pauses since the start, and their total length */
	/* capped: how often a task was capped because of its own records. left_out: how many
	 * records the caps of tasks and of groups have left out. */
	uint64_t capped, left_out;
	uint64_t caps_refused;
	/* number of caps of groups so far; group[] has the groups that are capped now */
	uint64_t group_caps;
	uint64_t group[GOVERN_GROUPS];
	unsigned n_groups;
	/* The task or the group that makes the most records. In a coarse step, in a pause, and
	 * while a group is capped, this member does not change. */
	struct most most;
};

/* Makes the governor. Copies opt. Returns 0 or -ENOMEM. */
int governor_loop_new(const struct governor_loop_options *opt, struct governor_loop **ret);
/* Frees g. Writes nothing into the trace. Accepts NULL. */
void governor_loop_free(struct governor_loop *g);

/* Returns the counts for caps_note(). The caller passes every record to caps_note(). Borrowed from
 * g. */
struct caps *governor_loop_caps(struct governor_loop *g);
/* Returns the counts for groups_add(). The caller passes two kinds of groups to groups_add(): the
 * groups of the tasks of each record for which caps_note() returned true, and the group of each
 * CT_TASK blob. Borrowed from g. */
struct groups *governor_loop_groups(struct governor_loop *g);
/* Changes the budget from now on. Returns the earlier budget. */
uint32_t governor_loop_budget(struct governor_loop *g, uint32_t budget_ppm);
/* Returns false while the governor allows no inspections. */
bool governor_loop_inspects(const struct governor_loop *g);
/* Returns true if the capture is paused. Then only governor_loop_settle() may seal a file
 * segment. */
bool governor_loop_paused(const struct governor_loop *g);
/* The caller calls this function once in each round of the drain thread, after the rings have been
 * emptied. */
void governor_loop_round(struct governor_loop *g);
/* The caller calls this function before another thread reads the trace, and before the trace ends.
 * Writes into the trace what later rounds would write: the ends of caps, the gap of a pause up to
 * now, in a coarse step a reading of all tasks, and the step if one is in force. If the capture is
 * paused, it stays paused. */
void governor_loop_settle(struct governor_loop *g);
struct governor_loop_stats governor_loop_stats(const struct governor_loop *g);

#endif
