/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in detect/.
 *
 * Each entry says: the unit; what the number means; what goes wrong below and above it; the evidence.
 * Evidence names tests: "edges" are those of test/unit/detect/edges_test.c, the others are those of
 * detect_test.c beside it. "On both sides" means that a test fails with half of the number, and one with
 * twice the number. False alarms in ordinary work are measured as a whole (doc/service.md, "False alarms"),
 * not for each number. Sizes of tables, which count what they refuse, stand with the tables.
 */
#ifndef CTRACE_DETECT_THRESHOLDS_H
#define CTRACE_DETECT_THRESHOLDS_H

/*
 * Defaults of settings (ctraced.conf(5)); detect_defaults() alone uses them.
 */

/* ns. A hang lasts at least so long. Below: alarms about delays that nobody minds. Above: short hangs are
 * missed. Evidence: notices_a_blocked_loop, on both sides, that it is so; none yet that it is right. */
#define DETECT_AFTER_NS 2000000000ULL
/* ns. The same of a wait for a disk: in ordinary work, a busy disk takes seconds for one request.
 * Evidence: notices_a_stuck_disk, on both sides, that it is so; none yet that it is right. */
#define DETECT_AFTER_DISK_NS 10000000000ULL
/* ns. The habits of a task are watched for so long before it is judged. Below: the first unusual work is an
 * alarm. Above: young tasks are never judged. No evidence yet. */
#define DETECT_LEARN_NS 60000000000ULL

/*
 * When tasks are judged
 */

/* ns. All tasks are judged once in so much time. Below: more CPU time. Above: hangs are noticed later.
 * Evidence: edges, from above; below it only costs. */
#define DETECT_TICK_NS 200000000ULL
/* ns. No tick for so long: the machine slept or stood still. Below: a busy machine forgets waits. Above:
 * a sleep is part of a wait. Evidence: edges (gap), on both sides. */
#define DETECT_GAP_NS 1500000000ULL
/* ns. After the record of a cap, a task is not judged for so long: the governor caps a storm again and
 * again. Evidence: edges (cap), on both sides, that it is so; it is twice GOVERNOR_CAP_MAX_NS. */
#define JUDGE_CAP_NS 10000000000ULL
/* ns. Hangs with the cause of a reported one are not reported for so long. Below: one hang makes many
 * reports. Above: a second hang is missed. Evidence: edges (quiet), on both sides, that it is so. */
#define DETECT_QUIET_NS 30000000000ULL
/* Priority (120 + nice). A task with nice 10 or more is meant to give way to others: its queue for a CPU
 * is no hang. Evidence: edges (low_priority), on both sides, that it is so. */
#define JUDGE_PRIO_LOW 130

/*
 * How many times longer a hang is than the longest time of ordinary work. Below: alarms about work that
 * is a little longer than ever. Above: hangs of tasks with long work are missed.
 */

/* A wait for a lock whose owner is known: nothing but the owner ends it. Evidence:
 * asks_how_long_it_was_away_before, on both sides. */
#define TIMES_LOCK 3
/* Any other wait away from the idle point. Evidence: notices_a_service_that_does_not_read, on both sides. */
#define TIMES_WAIT 10
/* A run without an end: work differs more than waits. Evidence: edges (times_busy), on both sides. */
#define TIMES_BUSY 20
/* The queue for a CPU. Evidence: edges (times_starved), on both sides. */
#define TIMES_STARVED 4
/* A wait for a disk. Evidence: edges (times_disk), on both sides. */
#define TIMES_DISK 4
/* A write-out, against any other wait for a disk: that of a large file is one long wait. Evidence:
 * notices_a_stuck_disk, on both sides. */
#define TIMES_SYNC 3
/* The part of the limit that a task has to have run to hang in a run: one that hardly gets the CPU is slow.
 * Evidence: edges (busy), on both sides. */
#define BUSY_PART 4
#define BUSY_OF   5

/*
 * When the habits are known. Below: alarms of tasks that were watched too little. Above: fewer tasks are
 * judged.
 */

/* How often a task has come back to its idle point. Evidence: edges (returns), on both sides. */
#define RETURNS_MIN 20
/* The same before a run can be a hang. Evidence: edges (busy), on both sides. */
#define RETURNS_BUSY 100
/* Messages that a service has read. Evidence: counts_what_is_unread_from_when_it_can, from above; none
 * yet from below. */
#define RECEIVES_MIN 20
/* Looks at a running task that show no progress. Evidence: edges (busy), on both sides. */
#define LOOKS_MIN 3
/* A part (1/n) of the time of learning is enough to judge the queue for a CPU, which has no idle point.
 * Evidence: edges (starved_when_known), on both sides. */
#define LEARN_STARVED_SHARE 10
/* Times the time of learning. After it a task is judged by its own history alone, no longer by its name's.
 * Evidence: is_as_patient_as_its_name_for_a_while, from above; none yet from below. */
#define LEARN_NAME_TIMES 10
/* Reported hangs of one name. With more of them, what the task did then is a habit. Below: the second hang
 * of a kind is missed. Above: the same false alarm again and again. Evidence: edges (told), on both
 * sides. */
#define TOLD_HABIT 2
/* Votes for the idle point at most. Below: rare work moves it. Above: a task that changes its ways is
 * misjudged for longer. No evidence yet. */
#define VOTES_MAX 255
/* Votes of a wait in an epoll or poll, which shows better where a task idles than a futex or a read.
 * Evidence: edges (votes_loop), on both sides. */
#define VOTES_LOOP 16
/* ns, and a part (1/n). A task that has waited in a kind of wait for this part of the shortest limit, or of
 * this time, is patient there: such waits are no hang. Below: few waits are judged. Above: alarms about
 * waits that are usual. Evidence: edges (patient), on both sides of both. */
#define PATIENT_MAX_NS 2000000000ULL
#define PATIENT_SHARE  4
/* ns. Shorter waits for a disk are no habit. Below: one slow request makes the limit longer. Above: a slow
 * disk is no habit. Evidence: edges (times_disk), on both sides. */
#define DISK_LEARNT_NS 1000000000ULL
/* Returns. Whether threads share an epoll is looked at in so many first ones, then in one of so many. Below:
 * more CPU time. Above: a thread that others stand in for is judged. No evidence yet. */
#define SHARE_FIRST 4
#define SHARE_EVERY 16

/*
 * Order of records, which come through the rings of several CPUs
 */

/* ns. A task that has ended is known for so long, so that late records do not bring it back. It has to be
 * longer than a round of the drain thread (DRAIN_QUIET_MS). Evidence: edges (dead), on both sides, that
 * it is so. */
#define DEAD_KEPT_NS 1000000000ULL
/* ns. The record of a futex comes at most so long before that of its wait, from the same CPU. Below: an
 * interrupt hides the owner. Above: a mutex that the task took at once owns its next wait. Evidence: edges
 * (futex_early), on both sides, that it is so; none yet that it is right. */
#define FUTEX_EARLY_NS 1000000ULL
/* ns. The kernel may say that a wait began so much later than its records do, and it is the same wait.
 * Below: on a busy machine a hang begins anew. Above: a new wait of the same kind is taken for the old one.
 * Evidence: edges (adopt_slack), on both sides, that it is so. */
#define ADOPT_SLACK_NS 1000000000ULL
/* ns. The record of a send may come so much later than that of its receive, if the sender loses the CPU in
 * between. Below: bytes that were read count as unread. Above: receives of before belong to a later send.
 * No evidence yet. */
#define SOCKET_LATE_NS 100000000ULL

#endif
