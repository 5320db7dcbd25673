/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in detect/.
 *
 * Each entry says: the unit; what the number means; what goes wrong if the number is too small or
 * too large; the evidence for the number.
 *
 * The evidence is a test in test/unit/detect, in edges_test.c or detect_test.c. A test that fails
 * with half and with twice the number shows that the code uses this number. It does not show that
 * the number is a good choice. False alarms in ordinary work are measured for all numbers together
 * (doc/service.md, "False alarms").
 *
 * The sizes of tables are not here: they are beside the tables.
 */
#ifndef CTRACE_DETECT_THRESHOLDS_H
#define CTRACE_DETECT_THRESHOLDS_H

/*
 * Defaults of settings (ctraced.conf(5)); only detect_defaults() uses them.
 */

/* ns: a shorter hang is not reported. Too small: alarms about delays that disturb nobody. Too
 * large: short hangs are missed. Evidence: notices_a_blocked_loop (detect_test.c) fails with half
 * and with twice the number. */
#define DETECT_AFTER_NS 2000000000ULL
/* ns: a shorter wait for a disk is not reported. The number is larger than DETECT_AFTER_NS, because
 * in ordinary work a busy disk takes seconds for one request. Evidence: notices_a_stuck_disk
 * (detect_test.c) fails with half and with twice the number. */
#define DETECT_AFTER_DISK_NS 10000000000ULL
/* ns: the habits of a task are watched for this time before the task is judged. Too small: the
 * first unusual work causes an alarm. Too large: young tasks are never judged. No evidence yet. */
#define DETECT_LEARN_NS 60000000000ULL

/*
 * When tasks are judged
 */

/* ns: all tasks are judged once in this time. Too small: ctraced needs more CPU time. Too large:
 * hangs are noticed later. Evidence: tests in edges_test.c fail with twice the number. */
#define DETECT_TICK_NS 200000000ULL
/* ns: if there is no tick for longer than this, the machine slept or stood still. Too small: on a
 * busy machine, the detector forgets waits. Too large: the sleep of the machine counts as a part of
 * a wait. Evidence: gap (edges_test.c) fails with half and with twice the number. */
#define DETECT_GAP_NS 1500000000ULL
/* ns: after a record about a cap of a task, the task is not judged for this time, because the
 * governor may cap the same task again soon. The number is twice GOVERNOR_CAP_MAX_NS
 * (daemon/thresholds.h). Evidence: cap (edges_test.c) fails with half and with twice the number. */
#define JUDGE_CAP_NS 10000000000ULL
/* ns: after a reported hang, other hangs with the same cause are not reported for this time. Too
 * small: one hang causes many reports. Too large: a second hang is missed. Evidence: quiet
 * (edges_test.c) fails with half and with twice the number. */
#define DETECT_QUIET_NS 30000000000ULL
/* priority as the kernel counts it (120 + nice; a larger number is less urgent): a task with this
 * priority or a larger number (nice 10 or more) is meant to let other tasks run first. So the time
 * of such a task in the queue for a CPU is no hang. Evidence: low_priority (edges_test.c) fails
 * with the next smaller and with the next larger number. */
#define JUDGE_PRIO_LOW 130

/*
 * How much longer than usual a hang is. TIMES_* are factors: a time can be a hang only if it is
 * longer than a time from the habits of the task, or of tasks of its name, times the factor. Each
 * entry says which time this is. (TIMES_SYNC multiplies a limit.) Too small: alarms about work
 * that takes a little longer than ever before. Too large: hangs of tasks with long work are missed.
 */

/* factor: for a wait for a file lock, or for a lock whose owner is known. The wait is compared with
 * the longest time away from the idle point. The factor is small because only the owner can end
 * such a wait. Evidence: asks_how_long_it_was_away_before (detect_test.c) fails with half and with
 * twice the factor. */
#define TIMES_LOCK 3
/* factor: for any other wait away from the idle point. The wait is compared with the longest time
 * away. Also for bytes that a server does not read: the time for which they are unread is compared
 * with the longest such time of the connection, and with the longest time away of the server's
 * task. Evidence: notices_a_service_that_does_not_read (detect_test.c) fails with half and with
 * twice the factor. */
#define TIMES_WAIT 10
/* factor: for a run without an end. The run is compared with the longest time away from the idle
 * point. The factor is larger than TIMES_LOCK and TIMES_WAIT, because the lengths of runs differ
 * more. Evidence: times_busy (edges_test.c) fails with half and with twice the factor. */
#define TIMES_BUSY 20
/* factor: for a time in the queue for a CPU. This time is compared with the longest such time of
 * the task, or of tasks of its name. Evidence: times_starved (edges_test.c) fails with half and
 * with twice the factor. */
#define TIMES_STARVED 4
/* factor: for a wait for a disk. The wait is compared with the longest wait for a disk of tasks of
 * the same name. Evidence: times_disk (edges_test.c) fails with half and with twice the factor. */
#define TIMES_DISK 4
/* factor: a task that writes out a file may wait this many times as long as the limit for any other
 * wait for a disk, because to write out a large file is one long wait. Evidence:
 * notices_a_stuck_disk (detect_test.c) fails with half and with twice the factor. */
#define TIMES_SYNC 3
/* BUSY_PART / BUSY_OF is a share: a task that hangs in a run has had the CPU for at least this
 * share of the limit. A task that hardly gets the CPU is only slow. Evidence: busy (edges_test.c)
 * fails with half of BUSY_PART and with twice BUSY_PART. */
#define BUSY_PART 4
#define BUSY_OF   5

/*
 * When the habits of a task are known. Too small: alarms about tasks that were watched too little.
 * Too large: fewer tasks are judged.
 */

/* returns: a task has come back to its idle point this often before it is judged. Evidence: returns
 * (edges_test.c) fails with half and with twice the number. */
#define RETURNS_MIN 20
/* returns: a task has come back to its idle point this often before its run can be a hang.
 * Evidence: busy (edges_test.c) fails with half and with twice the number. */
#define RETURNS_BUSY 100
/* messages: a task has received at least this many before the detector reports clients that wait
 * for it. Evidence: counts_what_is_unread_from_when_it_can (detect_test.c) fails with a larger
 * number. No test fails with a smaller number. */
#define RECEIVES_MIN 20
/* looks: the detector reports a run as a hang only after this many looks at the running task that
 * showed no progress. Evidence: busy (edges_test.c) fails with half and with twice the number. */
#define LOOKS_MIN 3
/* share 1/n of learn_ns: after a task has been watched for this share, it is judged by its time in
 * the queue for a CPU, because this needs no idle point. Evidence: starved_when_known
 * (edges_test.c) fails with half and with twice the number. */
#define LEARN_STARVED_SHARE 10
/* times learn_ns: after this time, which begins when the task first comes back to its idle point,
 * the task is judged by its own habits alone. Before, the habits of tasks of the same name count
 * too. Evidence: is_as_patient_as_its_name_for_a_while (detect_test.c) fails with a larger number.
 * No test fails with a smaller number. */
#define LEARN_NAME_TIMES 10
/* reported hangs of tasks of one name: after more hangs than this, the detector learns the time of
 * the hang as a habit. Too small: the second hang of a kind is missed. Too large: the same false
 * alarm comes again and again. Evidence: told (edges_test.c) fails with half and with twice the
 * number. */
#define TOLD_HABIT 2
/* votes: the idle point has at most this many. Each wait in which the task may idle votes for its
 * own place. Too small: rare work moves the idle point. Too large: if a task gets a new idle point,
 * the detector finds it later. No evidence yet. */
#define VOTES_MAX 255
/* votes: a wait that is typical of an event loop (wait_is_loop()) has this many votes. Another wait
 * has one, because it shows less well where a task idles. Evidence: votes_loop (edges_test.c) fails
 * with half and with twice the number. */
#define VOTES_LOOP 16
/* PATIENT_MAX_NS, ns; PATIENT_SHARE, share 1/n: a wait is long if it lasts 1/PATIENT_SHARE of the
 * shortest limit of all rules. If this limit is larger than PATIENT_MAX_NS, then PATIENT_MAX_NS
 * counts in its place. If a task has ever been in a long wait of one kind away from its idle point,
 * the rule LOOP does not report a later wait of this task that is of the same kind. If short waits
 * count as long, few waits are judged. If only very long waits count as long, there are alarms
 * about waits that are usual. Evidence: patient (edges_test.c) fails with half and with twice each
 * number. */
#define PATIENT_MAX_NS 2000000000ULL
#define PATIENT_SHARE  4
/* ns: a shorter wait for a disk does not count for the habits. Too small: one slow request makes
 * the limit longer. Too large: a slow disk does not become a habit. Evidence: times_disk
 * (edges_test.c) fails with half and with twice the number. */
#define DISK_LEARNT_NS 1000000000ULL
/* returns of a task to its idle point: at the first SHARE_FIRST returns, and then at one return in
 * SHARE_EVERY, the detector checks whether the thread shares its epoll. SHARE_EVERY too small:
 * ctraced needs more CPU time. Too large: a thread is judged although other threads take over its
 * work. No evidence yet. */
#define SHARE_FIRST 4
#define SHARE_EVERY 16

/*
 * Order of records. The records come through the rings of several CPUs, so they are a little out of
 * order.
 */

/* ns: the entry of a task that has ended is kept for this time, so that late records do not revive
 * the task. The time has to be longer than a round of the drain thread (DRAIN_QUIET_MS). Evidence:
 * dead (edges_test.c) fails with half and with twice the number. */
#define DEAD_KEPT_NS 1000000000ULL
/* ns: the record CT_FUTEX comes before the record of its wait, from the same CPU, and at most this
 * much earlier. Too small: if an interrupt runs between the two records, the owner is not found.
 * Too large: if the task got a mutex without waiting, the owner of this mutex is taken for the
 * owner of the next futex that the task waits for. Evidence: futex_early (edges_test.c) fails with
 * half and with twice the number. */
#define FUTEX_EARLY_NS 1000000ULL
/* ns: the kernel's time for the start of a wait may be up to this much later than the time in the
 * records. If the difference is larger, the two times belong to two waits. Too small: on a busy
 * machine, the time of a hang starts anew. Too large: a new wait of the same kind is taken for the
 * old one. Evidence: adopt_slack (edges_test.c) fails with half and with twice the number. */
#define ADOPT_SLACK_NS 1000000000ULL
/* ns: if a CT_FOUND and another record are about one wait, their times for the start of this wait
 * differ by at most this. graph/ uses the same limit. Too small: the time of a hang starts anew.
 * Too large: a new wait is taken for the old one. Evidence: coarse_slack (edges_test.c) fails with
 * half and with twice the number. */
#define COARSE_SLACK_NS 1000000ULL
/* ns: if the sender loses the CPU inside the system call, the record of the send comes later than
 * the record of the receive, by up to this much. Too small: bytes that were read count as unread.
 * Too large: an earlier receive counts for a later send. No evidence yet. */
#define SOCKET_LATE_NS 100000000ULL

#endif
