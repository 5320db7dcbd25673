/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - decides which waits deserve an inspection: those that last, and loops of
 * short waits that only a clock ends.  Pure but for the marks it leaves in the
 * entries of the task table.  Drain thread only.
 */
#ifndef CTRACE_DAEMON_INSPECT_WATCH_H
#define CTRACE_DAEMON_INSPECT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/record/tasks.h"

#define WATCH_SCAN_NS      (100 * 1000000ULL) /* between two scans */
#define WATCH_SCAN_MAX     8192               /* entries looked at in one scan; the next goes on from there */
#define WATCH_LOOP_NS      1000000000ULL /* how long a loop of short waits is watched before it is inspected */
#define WATCH_LOOP_WAITS   3             /* how many waits it must have had by then */
#define WATCH_LOOP_AGAIN   2000000000ULL
#define WATCH_YIELDS       10            /* yields from one scan to the next: it spins, and is looked at */
#define WATCH_PER_SEC      100           /* inspections asked for */
#define WATCH_GROUPS       16            /* of which it is known how many of them they had */
#define WATCH_BACKOFF_BASE 2000000000ULL /* the same wait over again is inspected after 2, 4, ... 64 s */
#define WATCH_BACKOFF_MAX  5
/* A wait this many times longer than a long one is inspected even so, if the last inspection was that long
 * ago. */
#define WATCH_STUCK       10
#define WATCH_STUCK_AGAIN 10000000000ULL

/* How many inspections groups (govern_group()) had.  One group gets at most half: its waits must not use up
 * the inspections of others.  Root's tasks outside of control groups are no group. */
struct watch_shares {
	struct {
		uint64_t group;
		uint32_t n;
	} v[WATCH_GROUPS];
};

struct watch {
	uint64_t long_wait_ns;
	uint64_t next_scan_ns;
	uint32_t next_tid;
	/* a bucket of inspections that fills at WATCH_PER_SEC */
	uint64_t fill_ns;
	uint32_t tokens;
	struct watch_shares shares; /* of the present second */
	uint64_t shares_ns;
	uint64_t postponed; /* an inspection was due, but a limit held it back */
};

/* What to do with a wait that is due; false: it could not be asked for and is due again at the next scan. */
typedef bool (*watch_inspect_fn)(void *arg, struct task *task);

void watch_init(struct watch *w, uint64_t long_wait_ns, uint64_t now_ns);
/* Does nothing before the next scan is due. */
void watch_scan(struct watch *w, struct tasks *tasks, uint64_t now_ns, watch_inspect_fn inspect, void *arg);
/* For a snapshot: every wait that is long by now and whose last inspection is from before since_ns, at most
 * max of them, without the rate limit.  Returns how many were asked for. */
unsigned watch_all(struct watch *w, struct tasks *tasks, uint64_t now_ns, uint64_t since_ns, unsigned max,
		   watch_inspect_fn inspect, void *arg);

#endif
