/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect_policy.h - decides which tasks are inspected:
 * - tasks in a long wait;
 * - tasks in a loop of short waits, each of which a timer ends;
 * - tasks that yield again and again.
 * Drain thread only. Times are boot time.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_POLICY_H
#define CTRACE_DAEMON_INSPECT_INSPECT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/record/tasks.h"

#define INSPECT_POLICY_SCAN_MAX 8192
#define INSPECT_POLICY_GROUPS   16

/* How many waits of each group (govern_group()) were inspected. A group gets at most about half of
 * all inspections. Groups beyond INSPECT_POLICY_GROUPS share `others`. Tasks without a group have
 * no limit. */
struct inspect_policy_shares {
	struct {
		uint64_t group;
		uint32_t n;
	} v[INSPECT_POLICY_GROUPS];
	uint32_t others;
};

struct inspect_policy {
	uint64_t long_wait_ns;
	/* The process of the daemon, or 0. Its threads wait for work; to inspect them would be more work. */
	uint32_t own_tgid;
	uint64_t next_scan_ns;
	uint32_t next_tid;
	uint64_t fill_ns; /* the time up to which tokens have been added */
	uint32_t tokens;  /* how many inspections may be asked for now */
	struct inspect_policy_shares shares;
	uint64_t shares_ns;
	uint64_t postponed;
};

/* Asks for an inspection of the task. Returns false if the request is refused. Then the inspection
 * of a waiting task stays due. A task that yields must again yield INSPECT_POLICY_YIELDS times
 * between two scans. */
typedef bool (*inspect_policy_fn)(void *arg, struct task *task);

void inspect_policy_init(struct inspect_policy *p, uint64_t long_wait_ns, uint64_t now_ns);
/* If the next scan is due, calls inspect() for the tasks whose inspection is due, within the
 * limits. */
void inspect_policy_scan(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns,
			 inspect_policy_fn inspect, void *arg);
/* For a snapshot. Calls inspect() for each long wait that was not inspected after since_ns. Also
 * calls it for long waits whose inspection showed a lock (task.inspect_lock), because the lock may
 * have another owner by now. Stops after max accepted requests. One group gets at most about half
 * of max. Returns the number of accepted requests. */
unsigned inspect_policy_all(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns, uint64_t since_ns,
			    unsigned max, inspect_policy_fn inspect, void *arg);

#endif
