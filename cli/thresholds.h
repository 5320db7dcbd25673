/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - private to cli/: the numbers that decide what a command shows, how much of a trace it loads,
 * and how long it waits for the daemon.
 *
 * None of them changes a verdict; those numbers are in analysis/thresholds.h. No measurement supports the
 * numbers here, unless their entry names it.
 */
#ifndef CTRACE_CLI_THRESHOLDS_H
#define CTRACE_CLI_THRESHOLDS_H

#include "lib/clock.h"

/*
 * How much of a trace is loaded.
 */
/* Records. A trace up to this size is loaded whole. Higher: a large trace needs more memory, 64 bytes a
 * record. */
#define LOAD_WHOLE_RECORDS 16000000ULL
/* ns before and after the window that is loaded of a larger trace. Lower: a task that was blocked long before
 * the window has no reason; the work after a wait is not seen. */
#define LOAD_BEFORE_NS (30 * NSEC_PER_SEC)
#define LOAD_AFTER_NS  (5 * NSEC_PER_SEC)
/* ns before and after a moment that the user gave. A stall is looked for there. Lower: a longer stall shows
 * only in part. Higher: more to load. */
#define LOAD_AROUND_NS (60 * NSEC_PER_SEC)
/* Threads that decode a trace, on a machine with as many CPUs. Lower: loading takes longer. Higher: more memory,
 * two segments for each thread. */
#define LOAD_THREADS_MAX 8u

/*
 * What is shown.
 */
/* 1/n of the time: A shorter time has no line of its own. */
#define SHOW_SHARE 1000
/* 1/n of the time: `ctrace path` says which other change helps more, if that change saves twice as much and
 * so much more. */
#define SHOW_BETTER_SHARE 20
/* percent of the machine: A smaller cost of passing over records is not shown. */
#define SHOW_PASSED_PERCENT 0.01
/* ns: One look of the inspector takes milliseconds. If one takes longer than this, `ctrace status` says so.
 */
#define SHOW_STUCK_NS (10 * NSEC_PER_SEC)

/*
 * How long a command waits. Lower: a busy machine looks like a dead daemon. Higher: the user waits for
 * nothing.
 */
/* ms: for a connection, while other clients crowd the socket. */
#define WAIT_CONNECT_MS 5000
/* ms: for an answer that the daemon has at hand. */
#define WAIT_ANSWER_MS 10000
/* ms: for a watchpoint: the daemon looks for the variable in the debug information. */
#define WAIT_WATCH_MS 30000
/* ms: for a snapshot: the daemon copies up to the whole trace. */
#define WAIT_SNAPSHOT_MS 120000
/* ms: for a daemon of one's own to be ready: the kernel verifies the programs, about 1 s on a quiet machine.
 */
#define WAIT_READY_MS 60000
/* ms: for that daemon to write its last segment and to end. */
#define WAIT_STOP_MS 10000

#endif
