/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in detect/.
 *
 * Each entry says: the unit; what the number means; what goes wrong with a smaller number ("Below")
 * and with a larger one ("Above"); the evidence. The evidence names tests. "edges (gap)" is the
 * test gap in test/unit/detect/edges_test.c; a name without this word is the name of a test in
 * test/unit/detect/detect_test.c. "On both sides" means that one test fails with half of the
 * number, and one test fails with twice the number. "That it is so" means that a test only shows
 * that the code uses this number. False alarms in ordinary work are measured as a whole
 * (doc/service.md, "False alarms"), not for each number. Sizes of tables are beside the tables,
 * which count what they refuse.
 */
#ifndef CTRACE_DETECT_THRESHOLDS_H
#define CTRACE_DETECT_THRESHOLDS_H

/*
 * Defaults of settings (ctraced.conf(5)); only detect_defaults() uses them.
 */

/* ns: a shorter hang is not reported. Below: alarms about delays that disturb nobody. Above: short hangs
 * are missed. Evidence: notices_a_blocked_loop, on both sides, that it is so; none yet that it is right. */
#define DETECT_AFTER_NS 2000000000ULL
/* ns: as DETECT_AFTER_NS, for a wait for a disk. This time is longer, because in ordinary work a
 * busy disk takes seconds for one request. Evidence: notices_a_stuck_disk, on both sides, that it
 * is so; none yet that it is right. */
#define DETECT_AFTER_DISK_NS 10000000000ULL
/* ns: the habits of a task are watched for this time before the task is judged. Below: the first unusual
 * work causes an alarm. Above: young tasks are never judged. No evidence yet. */
#define DETECT_LEARN_NS 60000000000ULL

/*
 * When tasks are judged
 */

/* ns: all tasks are judged once in this time. Below: more CPU time. Above: hangs are noticed later.
 * Evidence: the edges tests, from above; a smaller number only costs more CPU time. */
#define DETECT_TICK_NS 200000000ULL
/* ns: if there is no tick for longer than this, the machine slept or stood still. Below: on a busy
 * machine, the detector forgets waits. Above: the sleep of the machine counts as a part of a wait.
 * Evidence: edges (gap), on both sides. */
#define DETECT_GAP_NS 1500000000ULL
/* ns: after a record about a cap of a task, the task is not judged for this time, because the
 * governor may cap the same task again soon. Evidence: edges (cap), on both sides, that it is so.
 * This time is twice GOVERNOR_CAP_MAX_NS. */
#define JUDGE_CAP_NS 10000000000ULL
/* ns: after a reported hang, other hangs with the same cause are not reported for this time. Below:
 * one hang causes many reports. Above: a second hang is missed. Evidence: edges (quiet), on both
 * sides, that it is so. */
#define DETECT_QUIET_NS 30000000000ULL
/* priority as the kernel counts it (120 + nice; a larger number is less urgent): a task with this
 * number or a larger one (nice 10 or more) is meant to let other tasks run first. So the time of such a
 * task in the queue for a CPU is no hang. Evidence: edges (low_priority), on both sides, that it is so. */
#define JUDGE_PRIO_LOW 130

/*
 * A time can be a hang only if it is longer than the longest time of ordinary work, multiplied by the
 * number here. Below: alarms about work that takes a little longer than ever before. Above: hangs of
 * tasks with long work are missed.
 */

/* times, for a wait for a file lock, or for a lock whose owner is known. The number is small because only
 * the owner can end such a wait. Evidence: asks_how_long_it_was_away_before, on both sides. */
#define TIMES_LOCK 3
/* times, for any other wait away from the idle point. Evidence: notices_a_service_that_does_not_read, on
 * both sides. */
#define TIMES_WAIT 10
/* times, for a run without an end. The number is larger because the lengths of runs differ more than the
 * lengths of waits. Evidence: edges (times_busy), on both sides. */
#define TIMES_BUSY 20
/* times, for a time in the queue for a CPU. The time of ordinary work is here the longest time that the task,
 * or tasks of its name, were in the queue before. Evidence: edges (times_starved), on both sides. */
#define TIMES_STARVED 4
/* times, for a wait for a disk. The time of ordinary work is here the longest wait for a disk of tasks of the
 * same name. Evidence: edges (times_disk), on both sides. */
#define TIMES_DISK 4
/* times: a task that writes out a file may wait this many times as long as the limit for any other wait
 * for a disk, because to write out a large file is one long wait. Evidence: notices_a_stuck_disk, on both
 * sides. */
#define TIMES_SYNC 3
/* BUSY_PART of BUSY_OF parts: a task that hangs in a run has had the CPU for at least this part of the
 * limit. A task that hardly gets the CPU is only slow. Evidence: edges (busy), on both sides. */
#define BUSY_PART 4
#define BUSY_OF   5

/*
 * When the habits of a task are known. Below: alarms about tasks that were watched too little. Above:
 * fewer tasks are judged.
 */

/* returns: a task has come back to its idle point this often before it is judged. Evidence: edges
 * (returns), on both sides. */
#define RETURNS_MIN 20
/* returns: a task has come back to its idle point this often before its run can be a hang. Evidence: edges
 * (busy), on both sides. */
#define RETURNS_BUSY 100
/* messages: a task has received this many before the unread bytes on its sockets can be a hang. Evidence:
 * counts_what_is_unread_from_when_it_can, from above; none yet from below. */
#define RECEIVES_MIN 20
/* looks: this many looks at a running task show no progress before its run is a hang. Evidence:
 * edges (busy), on both sides. */
#define LOOKS_MIN 3
/* a part (1/n) of the time of learning: a task that has been watched for this part is judged by its time
 * in the queue for a CPU, because this needs no idle point. Evidence: edges (starved_when_known), on both
 * sides. */
#define LEARN_STARVED_SHARE 10
/* times the time of learning: after this time a task is judged by its own history alone; before, the
 * history of tasks of the same name counts too. Evidence: is_as_patient_as_its_name_for_a_while, from
 * above; none yet from below. */
#define LEARN_NAME_TIMES 10
/* reported hangs of tasks of one name: after more hangs than this, the detector learns the time of the
 * hang as a habit. Below: the second hang of a kind is missed. Above: the same false alarm comes again and
 * again. Evidence: edges (told), on both sides. */
#define TOLD_HABIT 2
/* votes: the idle point has at most this many. Below: rare work moves the idle point. Above: if a
 * task gets a new idle point, the detector finds it later. No evidence yet. */
#define VOTES_MAX 255
/* votes: a wait that is typical of an event loop (wait_is_loop()) has this many, because it shows better
 * where a task idles than a futex or a read does. Evidence: edges (votes_loop), on both sides. */
#define VOTES_LOOP 16
/* PATIENT_SHARE (1/n), PATIENT_MAX_NS (ns): a wait is long if it lasts 1/PATIENT_SHARE of the shortest limit
 * of all rules. If this limit is larger than PATIENT_MAX_NS, PATIENT_MAX_NS counts in its place. If a task
 * has ever been in a long wait of one kind, the rule LOOP does not report later waits of this kind of this
 * task. A shorter time: few waits are judged. A longer time: alarms about waits that are usual. Evidence:
 * edges (patient), for both numbers on both sides. */
#define PATIENT_MAX_NS 2000000000ULL
#define PATIENT_SHARE  4
/* ns: a shorter wait for a disk does not count for the habits. Below: one slow request makes the limit
 * longer. Above: a slow disk does not become a habit. Evidence: edges (times_disk), on both sides. */
#define DISK_LEARNT_NS 1000000000ULL
/* returns of a task to its idle point: whether threads share an epoll is checked at the first SHARE_FIRST
 * returns, and then at one return in SHARE_EVERY. Below: more CPU time. Above: a thread is judged although
 * other threads take over its work. No evidence yet. */
#define SHARE_FIRST 4
#define SHARE_EVERY 16

/*
 * Order of records. The records come through the rings of several CPUs, so they are a little out of
 * order.
 */

/* ns: the entry of a task that has ended is kept for this time, so that late records do not revive the
 * task. The time has to be longer than a round of the drain thread (DRAIN_QUIET_MS). Evidence: edges (dead),
 * on both sides, that it is so. */
#define DEAD_KEPT_NS 1000000000ULL
/* ns: the record of a futex comes before the record of its wait, from the same CPU, and at most this much
 * earlier. Below: if an interrupt runs in between, the owner is not found. Above: if the task got a mutex
 * without waiting, the owner of this mutex is taken for the owner of the next futex that the task waits
 * for. Evidence: edges (futex_early), on both sides, that it is so; none yet that it is right. */
#define FUTEX_EARLY_NS 1000000ULL
/* ns: the kernel's time for the start of a wait may be up to this much later than the time in the
 * records. If the difference is larger, the two times belong to two waits. Below: on a busy
 * machine, the time of a hang starts anew. Above: a new wait of the same kind is taken for the old
 * one. Evidence: edges (adopt_slack), on both sides, that it is so. */
#define ADOPT_SLACK_NS 1000000000ULL
/* ns: if a CT_FOUND and another record are about one wait, their times for the start of this wait
 * differ by at most this. graph/ uses the same limit. Below: the time of a hang starts anew. Above:
 * a new wait is taken for the old one. Evidence: edges (coarse_slack), on both sides. */
#define COARSE_SLACK_NS 1000000ULL
/* ns: if the sender loses the CPU inside the call, the record of the send comes up to this much later than
 * the record of the receive. Below: bytes that were read count as unread. Above: an earlier receive counts
 * for a later send. No evidence yet. */
#define SOCKET_LATE_NS 100000000ULL

#endif
