/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inspect_policy.h - decides which waits deserve an inspection: those that last, and loops of
 * short waits that only a clock ends.  Pure but for the marks it leaves in the
 * entries of the task table.  Drain thread only.
 */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_POLICY_H
#define CTRACE_DAEMON_INSPECT_INSPECT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/record/tasks.h"

#define INSPECT_POLICY_SCAN_NS    (100 * 1000000ULL) /* between two scans */
#define INSPECT_POLICY_SCAN_MAX   8192 /* entries looked at in one scan; the next goes on from there */
#define INSPECT_POLICY_LOOP_NS    1000000000ULL /* a loop of short waits this long is inspected */
#define INSPECT_POLICY_LOOP_WAITS 3             /* how many waits it must have had by then */
#define INSPECT_POLICY_LOOP_AGAIN 2000000000ULL
#define INSPECT_POLICY_YIELDS     10  /* yields from one scan to the next: it spins, and is looked at */
#define INSPECT_POLICY_PER_SEC    100 /* inspections asked for */
#define INSPECT_POLICY_GROUPS     16  /* of which it is known how many of them they had */
#define INSPECT_POLICY_BACKOFF_BASE                                                                          \
	2000000000ULL /* the same wait over again is inspected after 2, 4, ... 64 s */
#define INSPECT_POLICY_BACKOFF_MAX 5
/* A wait this many times longer than a long one is inspected even so, if the last inspection was that long
 * ago. */
#define INSPECT_POLICY_STUCK       10
#define INSPECT_POLICY_STUCK_AGAIN 10000000000ULL

/* How many inspections groups (govern_group()) had.  One group gets at most half: its waits must not use up
 * the inspections of others.  Root's tasks outside of control groups are no group. */
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
	/* a bucket of inspections that fills at INSPECT_POLICY_PER_SEC */
	uint64_t fill_ns;
	uint32_t tokens;
	struct inspect_policy_shares shares; /* of the present second */
	uint64_t shares_ns;
	uint64_t postponed; /* an inspection was due, but a limit held it back */
};

/* What to do with a wait that is due; false: it could not be asked for and is due again at the next scan. */
typedef bool (*inspect_policy_fn)(void *arg, struct task *task);

void inspect_policy_init(struct inspect_policy *p, uint64_t long_wait_ns, uint64_t now_ns);
/* Does nothing before the next scan is due. */
void inspect_policy_scan(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns,
			 inspect_policy_fn inspect, void *arg);
/* For a snapshot: every wait that is long by now and whose last inspection is from before since_ns, at most
 * max of them, without the rate limit.  Returns how many were asked for. */
unsigned inspect_policy_all(struct inspect_policy *p, struct tasks *tasks, uint64_t now_ns, uint64_t since_ns,
			    unsigned max, inspect_policy_fn inspect, void *arg);

#endif
