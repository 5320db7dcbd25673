/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect_policy.h - decides which tasks are inspected: tasks in a long wait, tasks in a loop of
 * short waits that only a timer ends, and tasks that yield again and again. Pure, except for its
 * marks in the entries of the task table. Only the drain thread calls the functions. Times are boot
 * time.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_POLICY_H
#define CTRACE_DAEMON_INSPECT_INSPECT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/record/tasks.h"

/* the most tasks that one scan looks at; the next scan goes on with the task behind them */
#define INSPECT_POLICY_SCAN_MAX 8192
#define INSPECT_POLICY_GROUPS   16 /* the most groups of tasks whose inspections are counted */

/* For each group (govern_group()): how many inspections its waits had. One group gets at most about
 * half of the inspections that the limit allows, so that its waits do not use up the inspections of
 * other groups. Root's tasks outside of control groups are in no group and have no such limit. */
struct inspect_policy_shares {
	struct {
		uint64_t group;
		uint32_t n;
	} v[INSPECT_POLICY_GROUPS];
};

struct inspect_policy {
	uint64_t long_wait_ns;
	uint64_t next_scan_ns;
	uint32_t next_tid;
	/* tokens: how many inspections may be asked for now. INSPECT_POLICY_PER_SEC tokens are
	 * added in a second, and there are never more tokens than INSPECT_POLICY_PER_SEC. fill_ns:
	 * the time up to which tokens have been added. */
	uint64_t fill_ns;
	uint32_t tokens;
	struct inspect_policy_shares shares; /* the inspections of the present second */
	uint64_t shares_ns;
	uint64_t postponed; /* inspections that were due, but that a limit postponed */
};

/* Asks for an inspection of the task. Returns false if the request is refused; the wait is then due again at
 * the next scan. */
typedef bool (*inspect_policy_fn)(void *arg, struct task *task);

/* long_wait_ns: the time from which a wait is long. */
void inspect_policy_init(struct inspect_policy *p, uint64_t long_wait_ns, uint64_t now_ns);
/* Scans the tasks, and calls inspect() for each task whose inspection is due, as far as the limits
 * allow. Does nothing before the next scan is due. */
void inspect_policy_scan(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns,
			 inspect_policy_fn inspect, void *arg);
/* For a snapshot: calls inspect() for every long wait that was not inspected after since_ns,
 * without the limit on the rate. At most max waits are inspected; about half of them may be of one
 * group. Returns how many inspections were asked for. */
unsigned inspect_policy_all(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns, uint64_t since_ns,
			    unsigned max, inspect_policy_fn inspect, void *arg);

#endif
