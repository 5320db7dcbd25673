/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in detect/. Each entry says its unit, its
 * meaning and its evidence. Most also say the effect of a smaller and of a larger number.
 *
 * LOOP, BUSY, STARVED, DISK, DEADLOCK and SERVICE are the rules CT_HANG_* of abi.h. The idle point
 * of a task is the place where the task waits for its next work, again and again. A habit is a
 * usual time, or a usual kind of wait, of a task or of all tasks of one name (detect.h).
 *
 * The evidence is a test in test/unit/detect: edges_test.c, detect_test.c or crash_test.c. Unless the
 * entry says otherwise, the test fails with half and with twice the number. This shows only that the
 * code uses the number. Whether the numbers are good choices is measured for all of them together
 * (doc/service.md, "False alarms").
 */
#ifndef CTRACE_DETECT_THRESHOLDS_H
#define CTRACE_DETECT_THRESHOLDS_H

/* ns: default of the setting hang-after; a shorter hang is not reported. Too small: alarms about
 * delays that disturb nobody. Too large: short hangs are missed. Evidence: notices_a_blocked_loop
 * (detect_test.c). */
#define DETECT_AFTER_NS 2000000000ULL
/* ns: default of the setting hang-disk; a shorter wait for a disk is not reported. A request to a
 * busy disk may take seconds. Evidence: notices_a_stuck_disk (detect_test.c). */
#define DETECT_AFTER_DISK_NS 10000000000ULL
/* ns: default of the setting hang-learn; LOOP, BUSY and SERVICE judge a task after watching it for
 * this time. Too small: the first unusual work causes an alarm. Too large: young tasks are never
 * judged. No evidence yet. */
#define DETECT_LEARN_NS 60000000000ULL

/*
 * When tasks are judged.
 */

/* ns: all tasks are judged at most once in this time. Evidence: tests in edges_test.c fail with
 * twice the number. */
#define DETECT_TICK_NS 200000000ULL
/* ns: without a call of detect_tick() for this time or longer, the machine counts as asleep. Too
 * small: on a busy machine, the detector forgets waits. Too large: the sleep counts as a part of a
 * wait. Evidence: gap (edges_test.c). */
#define DETECT_GAP_NS 1500000000ULL
/* ns: after a cap of a task begins or ends, the task is not judged for this time. It is twice the usual
 * maximum of a cap (GOVERNOR_CAP_MAX_NS, daemon/thresholds.h). Too small: the task is judged during the
 * cap, or shortly before the governor caps it again. Evidence: cap (edges_test.c). */
#define JUDGE_CAP_NS 10000000000ULL
/* ns: after a reported hang, no hang with the same cause is reported for this time. Exception: a
 * deadlock is reported even if a task that waits for it was reported before. Too small: one hang
 * causes many reports. Too large: a second hang is missed. Evidence: quiet (edges_test.c). */
#define DETECT_QUIET_NS 30000000000ULL
/* priority (120 + nice): from this number on (nice 10 or more), a task lets other tasks run
 * first. So its time in the queue for a CPU is no hang. Evidence: low_priority (edges_test.c)
 * fails with the next smaller and with the next larger number. */
#define JUDGE_PRIO_LOW 130

/*
 * TIMES_* are factors: a hang is reported only if it lasts this many times as long as usual. Each
 * entry says which time is the usual one. TIMES_SYNC is different: it multiplies a limit. Too
 * small: alarms about work that takes a little longer than ever. Too large: hangs of tasks with
 * long work are missed.
 */

/* factor: LOOP reports a wait for a file lock, or for a lock with a known owner, only if the wait
 * lasts this many times as long as the task's longest time away from its idle point. Small, because
 * only the owner can end such a wait. Evidence: asks_how_long_it_was_away_before (detect_test.c). */
#define TIMES_LOCK 3
/*
 * factor, for two rules:
 * - LOOP reports a wait (other than those of TIMES_LOCK) only if it lasts this many times as long
 *   as the task's longest time away from its idle point.
 * - SERVICE reports unread bytes only if they stay unread this many times as long as the longer of
 *   two times: the longest time for which bytes on this connection were unread before, and the
 *   server's longest time away from its idle point.
 * Evidence: notices_a_service_that_does_not_read (detect_test.c).
 */
#define TIMES_WAIT 10
/* factor: BUSY reports a run without an end only if it lasts this many times as long as the task's
 * longest time away from its idle point. Large, because the lengths of runs differ much. Evidence:
 * times_busy (edges_test.c). */
#define TIMES_BUSY 20
/* factor: STARVED reports a time in the queue for a CPU only if it is this many times as long as
 * the longest such time before, of the task or of any task of its name. Evidence: times_starved
 * (edges_test.c). */
#define TIMES_STARVED 4
/* factor: DISK reports a wait for a disk only if it lasts this many times as long as the longest
 * such wait before, of any task of the same name. Evidence: times_disk (edges_test.c). */
#define TIMES_DISK 4
/* factor: for a wait of the kind CT_W_SYNC, the limit of DISK is multiplied by this, because
 * fsync() of a large file is one long wait. Evidence: notices_a_stuck_disk (detect_test.c). */
#define TIMES_SYNC 3
/* BUSY_PART / BUSY_OF, share: if a task is away from its idle point for longer than a limit, it counts
 * as busy without an end only if it had a CPU for at least this share of the limit. Evidence for
 * BUSY_PART: busy (edges_test.c). */
#define BUSY_PART 4
#define BUSY_OF   5

/*
 * When the habits of a task are known. Too small: alarms about tasks that were watched too
 * little. Too large: fewer tasks are judged.
 */

/* returns: LOOP judges a task after the task has come back to its idle point this often. Evidence:
 * returns (edges_test.c). */
#define RETURNS_MIN 20
/* returns: BUSY judges a task after the task has come back to its idle point this often. A number
 * below RETURNS_MIN has no effect. Evidence: busy (edges_test.c). */
#define RETURNS_BUSY 100
/* messages: clients that wait for a task are judged after the task has received this many.
 * Evidence: counts_what_is_unread_from_when_it_can (detect_test.c) fails with a larger number.
 * No test fails with a smaller number. */
#define RECEIVES_MIN 20
/* looks: BUSY judges a task after the detector has seen the task on the CPU this often since its
 * last sign of progress (detect_task.progress_ns). Evidence: busy (edges_test.c). */
#define LOOKS_MIN 3
/* divisor: STARVED judges a task after the task was watched for learn_ns / LEARN_STARVED_SHARE.
 * LOOP, BUSY and SERVICE need the whole learn_ns, because they use the idle point. STARVED needs no
 * idle point. Evidence: starved_when_known (edges_test.c). */
#define LEARN_STARVED_SHARE 10
/* factor of learn_ns: LOOP, BUSY and SERVICE judge a young task also by the habits of other tasks
 * of its name. A task is young until LEARN_NAME_TIMES * learn_ns after its first return to its idle
 * point. Evidence: is_as_patient_as_its_name_for_a_while (detect_test.c) fails with a larger
 * number. No test fails with a smaller number. */
#define LEARN_NAME_TIMES 10
/* reports: the detector reports this many hangs of tasks of one name without learning from them. It
 * learns the times of later reported hangs as usual times, so it does not report such hangs again.
 * Too small: the second hang of a kind is missed. Too large: the same false alarm comes again and
 * again. Evidence: told (edges_test.c). */
#define TOLD_HABIT 2
/* votes: the idle point of a task is found by votes. A wait at the idle point adds votes. A wait at
 * another place takes votes away, and becomes the idle point when too few are left (task_vote()).
 * An idle point has at most this many votes. Too small: rare work moves the idle point. Too large:
 * a new idle point is found late. No evidence yet. */
#define VOTES_MAX 255
/* votes: a wait that is typical of an event loop (wait_is_loop()) has this many. Any other wait
 * has one, because it shows less well where a task idles. Evidence: votes_loop (edges_test.c). */
#define VOTES_LOOP 16
/* PATIENT_MAX_NS, ns, and PATIENT_SHARE, divisor: after a task has had a long wait, LOOP does not
 * report this task's later waits of the same kind.
 * - A wait is long if it lasts at least L / PATIENT_SHARE. L is the shortest limit of all rules (without
 *   overrides), but at most PATIENT_MAX_NS. By default: 2 s / 4 = 0.5 s.
 * - A wait at the idle point is never long. Nor is a reported hang, if at most TOLD_HABIT hangs of tasks
 *   of this name have been reported.
 * L / PATIENT_SHARE too small: nearly all waits are long, so LOOP reports few hangs. Too large: LOOP
 * reports usual waits as hangs. Evidence: patient (edges_test.c). */
#define PATIENT_MAX_NS 2000000000ULL
#define PATIENT_SHARE  4
/* ns: for TIMES_DISK, the detector learns the longest wait for a disk. It does not learn waits that
 * are shorter than this number. Too small: after one slow request, DISK reports only much longer
 * waits. Too large: the waits for a slow disk are not learned, and cause alarms. Evidence:
 * times_disk (edges_test.c). */
#define DISK_LEARNT_NS 1000000000ULL
/* SHARE_FIRST and SHARE_EVERY, returns: when a thread returns to its idle point, the detector checks
 * whether another thread uses the same epoll. It does so at the first SHARE_FIRST returns, and then
 * at one return in SHARE_EVERY. SHARE_EVERY too small: ctraced needs more CPU time. Too large: a thread
 * is judged although other threads take over its work. No evidence yet. */
#define SHARE_FIRST 4
#define SHARE_EVERY 16

/* crashes: the detector reports at most this many at each tick. Too small: of several processes that
 * crash together, some are not reported. Too large: a program that crashes in a loop fills the trace
 * with reports. Evidence: crash_storm (crash_test.c). */
#define CRASHES_PER_TICK 4
/* ns: two fatal signals of a process within this time belong to one crash. Too small: a crash is
 * reported twice. Too large: the crash of a new process with the same pid is not reported. Evidence:
 * pid_again (crash_test.c). */
#define CRASH_SAME_NS 1000000000ULL
/* ns: if a process ends so long after it has reported an uncaught exception, it ended for another reason. Too
 * small: the end of a process that cleans up for long is not reported. Too large: a service that lived on
 * and was stopped is reported. Evidence: long_after (exception_test.c). */
#define RAISED_KEPT_NS 30000000000ULL
/* ns: as RAISED_KEPT_NS, for a thread that ends while its process goes on. A thread does no work after the
 * report. Too small: on a busy machine, the end of a thread is not reported. Too large: a thread that handled
 * an exception and ended later is reported. The analysis of a trace has the same limit
 * (CRASH_THREAD_END_NS). Evidence: threads (exception_test.c). */
#define RAISED_THREAD_NS 1000000000ULL

/*
 * Records come a little out of order, through the rings of several CPUs.
 */

/* ns: the entry of a task that has ended stays for this time, so that late records do not revive
 * the task. This time must be longer than a round of the drain thread (DRAIN_QUIET_MS). Evidence:
 * dead (edges_test.c). */
#define DEAD_KEPT_NS 1000000000ULL
/* ns: a CT_FUTEX says which task owns a futex. It comes at most this much before the CT_SWITCH with
 * which the wait for the futex begins. Too small: if an interrupt runs between the two records, the
 * owner is not found. Too large: the CT_FUTEX of a mutex that the task got without a wait counts
 * for the task's next wait. Evidence: futex_early (edges_test.c). */
#define FUTEX_EARLY_NS 1000000ULL
/* ns: for one wait, the start that the kernel gives may be this much later than the start in the
 * records. Too small: on a busy machine, the time of a hang starts anew. Too large: a new wait of
 * the same kind is taken for the old one. Evidence: adopt_slack (edges_test.c). */
#define ADOPT_SLACK_NS 1000000000ULL
/* ns: for one wait, the starts in a CT_FOUND and in another record differ by at most this (graph/
 * has the same number, FOUND_SLACK_NS). Too small: the time of a hang starts anew. Too large: a new
 * wait is taken for the old one. Evidence: coarse_slack (edges_test.c). */
#define COARSE_SLACK_NS 1000000ULL
/* ns: a sender may lose the CPU in the system call, so the CT_SEND may come up to this much later
 * than the CT_RECV of the same bytes. Too small: bytes that were read count as unread. Too large:
 * an earlier receive counts for a later send. No evidence yet. */
#define SOCKET_LATE_NS 100000000ULL

#endif
